// NVRTC's command and what its result codes mean.
// SPDX-License-Identifier: Apache-2.0
#include "probe/nvrtc.hpp"

#include "host/paths.hpp"
#include "probe/engine_lines.hpp"

namespace ptxguard {

namespace {

// Whatever the result code: without its builtins NVRTC cannot compile. 10.x accepts architecture names that
// its builtins do not have; those count as unsupported.
Outcome by_words(const std::string& log, Outcome by_code) {
    if (log.find("failed to load builtins for compute_") != std::string::npos) return Outcome::refused;
    return log.find("libnvrtc-builtins") != std::string::npos ||
                   log.find("nvrtc-builtins64") != std::string::npos
               ? Outcome::broken
               : by_code;
}

const EngineKind k_nvrtc{"NVRTC", true, {5, 6}, by_words};  // invalid option, compilation error

}  // namespace

std::vector<std::string> builtins_beside(const Host& host, const std::string& library) {
    const auto real = host.real_path(library);
    const std::string folder = parent_path(real ? *real : library);
    std::vector<std::string> files;
    if (const auto entries = host.list(folder))
        for (const DirectoryEntry& entry : *entries) {
            const std::string name = lower(entry.name);
            // Up to 11.1 the name has no number.
            const bool shared = name.find(".so") != std::string::npos || ends_with(name, ".dll");
            if (shared && (starts_with(name, "libnvrtc-builtins.") || starts_with(name, "nvrtc-builtins64")))
                files.push_back(join_path(folder, entry.name));
        }
    return files;
}

Command nvrtc_command(const std::string& library, const NvrtcSample& sample,
                      std::chrono::milliseconds limit) {
    std::vector<std::string> options;
    for (const std::string& option : sample.options) options.push_back("--option=" + option);
    return engine_command("nvrtc", library, options, sample.archs, sample.source, limit);
}

EngineResult nvrtc_result(const std::string& library, const NvrtcSample& sample, const Answer& run) {
    EngineResult result = engine_result(k_nvrtc, library, sample.archs, run);
    // Our kernel is correct: 10.x and 11.0 report missing builtins only as an undefined sinf.
    constexpr int k_compilation_error = 6;
    for (EngineAnswer& answer : result.answers)
        if (sample.source.empty() && answer.result == k_compilation_error) answer.outcome = Outcome::broken;
    return result;
}

}  // namespace ptxguard
