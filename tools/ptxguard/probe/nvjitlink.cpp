// nvJitLink's command and what its result codes mean.
// SPDX-License-Identifier: Apache-2.0
#include "probe/nvjitlink.hpp"

#include "host/paths.hpp"
#include "probe/engine_lines.hpp"

namespace ptxguard {

namespace {

// Whatever the result code: a message of ptxas is a refusal.
Outcome by_words(const std::string& log, Outcome by_code) {
    return log.find("ptxas") != std::string::npos ? Outcome::refused : by_code;
}

// Unrecognized option, PTX compile, NVVM compile, architecture mismatch, outdated library, unrecognized
// architecture, unsupported architecture.
const EngineKind k_nvjitlink{"nvJitLink", false, {1, 4, 5, 13, 14, 16, 17}, by_words};

// 12.9 reports an unsupported -arch as an internal error and prints the reason to standard error; creating
// does nothing else.
void read_failed_create(EngineAnswer& answer, const Answer& run) {
    if (answer.outcome != Outcome::broken || answer.result <= 0 ||
        !starts_with(answer.call, "nvJitLinkCreate"))
        return;
    answer.outcome = Outcome::refused;
    answer.first_error = answer.call + " answered " + std::to_string(answer.result);
    for (const std::string& line : split(run.err, "\r\n")) {
        const auto at = line.find("Internal error: ");
        if (at == std::string::npos) continue;
        answer.first_error += ": " + trim(line.substr(at));
        break;
    }
}

}  // namespace

Command nvjitlink_command(const std::string& library, const NvJitLinkSample& sample,
                          std::chrono::milliseconds limit) {
    std::vector<std::string> options;
    if (sample.limit) options.push_back("--limit");
    if (sample.ptx.empty()) options.push_back("--option=" + sample.version.text());
    return engine_command("nvjitlink", library, options, sample.archs, sample.ptx, limit);
}

EngineResult nvjitlink_result(const std::string& library, const NvJitLinkSample& sample, const Answer& run) {
    EngineResult result = engine_result(k_nvjitlink, library, sample.archs, run);
    for (EngineAnswer& answer : result.answers) read_failed_create(answer, run);
    return result;
}

}  // namespace ptxguard
