// Reads any text as the head of PTX.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "ask.hpp"
#include "formats/device_code.hpp"

using namespace ptxguard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto facts = read_ptx(text);
    if (facts && !looks_like_ptx(text)) std::abort();
    if (!facts) look_at(facts.trouble().text());
    if (facts) look_at(facts->target.sm() + (facts->toolkit ? facts->toolkit->text : ""));
    return 0;
}
