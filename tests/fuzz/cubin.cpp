// Reads any bytes as a cubin, in full or only its beginning.
// SPDX-License-Identifier: Apache-2.0
#include "ask.hpp"
#include "formats/device_code.hpp"

using namespace ptxguard;

namespace {

void ask(const Source& source) {
    const auto facts = read_cubin(source);
    if (!facts) return;
    look_at(facts->arch.sm());
    if (facts->toolkit) look_at(facts->toolkit->text);
    if (facts->options) look_at(*facts->options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ask_whole_and_shrinking(data, size, ask);
    return 0;
}
