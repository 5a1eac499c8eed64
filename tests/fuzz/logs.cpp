// Logs: the reader, the search of messages and the conclusions, in reads of different sizes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "ask.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/scenario_of_log.hpp"

using namespace ptxguard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Facts facts = Facts::embedded();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string_view left = text;
    const std::size_t at_once = size % 7 + 1;
    const FoundMessages found = find_messages(
        [&](char* to, std::size_t most) {
            const std::size_t part = left.copy(to, std::min(most, at_once));
            left.remove_prefix(part);
            return part;
        },
        "log");
    const Scenario scenario = scenario_of_log("log", found, facts);
    const Diagnosed diagnosed = diagnose("log", found, facts, {});
    for (const LogDiagnosis& one : diagnosed.explanation.diagnoses) look_at(one.cause);
    (void)scenario;
    return 0;
}
