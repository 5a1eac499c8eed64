// NVRTC's command and what its result codes mean.
// SPDX-License-Identifier: Apache-2.0
#include "probe/compiler_libraries.hpp"

#include "formats/fatbin.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/engine.hpp"

namespace ptxguard {

namespace {

// For any result code: without its builtins NVRTC cannot compile. 10.x accepts architecture names that its
// builtins do not have; those count as unsupported.
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
    const std::string folder = parent_path(real_or_same(host, library));
    std::vector<std::string> files;
    for (const DirectoryEntry& entry : entries_in(host, folder)) {
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

// libNVVM's command and what its result codes mean.

namespace {

// IR version mismatch, invalid IR, invalid option, compilation failure.
const EngineKind k_nvvm{"libNVVM", true, {3, 6, 7, 9}, nullptr};

}  // namespace

Command nvvm_command(const std::string& library, const NvvmSample& sample, std::chrono::milliseconds limit) {
    return engine_command("nvvm", library, {}, sample.archs, sample.ir, limit);
}

EngineResult nvvm_result(const std::string& library, const NvvmSample& sample, const Answer& run) {
    EngineResult result = engine_result(k_nvvm, library, sample.archs, run);
    for (const EngineAnswer& answer : result.answers)
        if (!result.version) result.version = read_ptx_head(answer.ptx).compiler;
    return result;
}

LinkInput link_input(std::string_view code) {
    if (const auto ir = read_raw_ir(code); ir && ir->kind == EntryKind::ltoir) return LinkInput::ltoir;
    const bool fatbin = code.size() >= 4 && load_u32(code.data()) == k_fatbin_magic;
    return fatbin ? LinkInput::fatbin : LinkInput::ptx;
}

// nvJitLink's command and what its result codes mean.

namespace {

// For any result code: a message of ptxas is a refusal.
Outcome by_ptxas_words(const std::string& log, Outcome by_code) {
    return log.find("ptxas") != std::string::npos ? Outcome::refused : by_code;
}

// Adding LTO-IR only reads it: a failure is a refusal, which 12.x reports as an internal error. It is often a
// part of a program, without the other parts.
void read_failed_link(EngineAnswer& answer) {
    if (answer.result > 0 && starts_with(answer.call, "nvJitLinkAddData")) answer.outcome = Outcome::refused;
    const Diagnosis said = diagnose_text(answer.log, ProbeKind::assemble);
    if (said.failure != Failure::unlinked) return;
    answer.outcome = said.outcome;
    answer.failure = said.failure;
}

// Unrecognized option, PTX compile, NVVM compile, architecture mismatch, outdated library, unrecognized
// architecture, unsupported architecture.
const EngineKind k_nvjitlink{"nvJitLink", false, {1, 4, 5, 13, 14, 16, 17}, by_ptxas_words};

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
    const bool lto = !sample.ptx.empty() && link_input(sample.ptx) != LinkInput::ptx;
    for (EngineAnswer& answer : result.answers) {
        read_failed_create(answer, run);
        if (lto) read_failed_link(answer);
    }
    return result;
}

namespace {

// CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION. Others (no memory, no
// JIT compiler, a lost GPU) are not about the PTX.
const EngineKind k_cuda{"the driver", false, {200, 209, 218, 222}};

}  // namespace

Command cuda_command(const std::string& libcuda, Arch gpu, const std::string& ptx,
                     std::chrono::milliseconds limit) {
    Command command = engine_command("cuda", libcuda, {}, {gpu}, ptx, limit);
    // Otherwise the driver would use its cache instead of compiling again.
    command.environment["CUDA_CACHE_DISABLE"] = "1";
    return command;
}

EngineResult cuda_result(const std::string& libcuda, Arch gpu, const Answer& run) {
    return engine_result(k_cuda, libcuda, {gpu}, run);
}

}  // namespace ptxguard
