// Parent process of the JIT probe: starts the child and turns its lines into results.
// SPDX-License-Identifier: Apache-2.0
#include "probe/jit.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "probe/diagnose.hpp"
#include "probe/engine_lines.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

// "current version is '9.0'", in any of the results.
std::optional<PtxVersion> newest_read(const ChildLines& lines) {
    std::optional<PtxVersion> newest;
    std::vector<Json> all{lines.limit};
    append(all, lines.compiles);
    append(all, lines.versions);
    for (const Json& line : all)
        if (const auto version = current_version_in(line["log"].as_string())) newest = version;
    return newest;
}

ProbeResult blank_result(const Driver& driver, const JitLibrary& library, const PtxSample& sample) {
    ProbeResult result;
    result.kind = ProbeKind::driver_jit;
    result.driver = driver.id;
    result.toolkit = sample.toolkit;
    result.tool = library.path;
    result.tool_version = library.driver_version ? library.driver_version.value : driver.version.value;
    result.target = sample.target;
    result.ptx = sample.version;
    return result;
}

void fill(ProbeResult& result, const Json& line) {
    result.command = "nvPTXCompilerCompile --gpu-name=" + line["arch"].as_string();
    result.exit_code = static_cast<int>(line["result"].as_int());
    result.words = trim(line["log"].as_string());
    if (result.exit_code == 0 && line["made"].as_bool()) {
        result.outcome = Outcome::accepted;
        return;
    }
    Diagnosis diagnosis = diagnose_text(result.words, ProbeKind::driver_jit);
    result.outcome = diagnosis.outcome;
    result.first_error = diagnosis.first_error;
    result.failure = diagnosis.failure;
    if (result.first_error.empty())
        result.first_error =
            "nvPTXCompilerCompile returned " + std::to_string(result.exit_code) + " without output";
}

// A library that compiles an absurd version, or not the oldest one, has another interface than the measured
// drivers: its results are ignored.
std::string why_not_trusted(const ChildLines& lines) {
    if (!lines.limit.is_object()) return "";
    if (!current_version_in(lines.limit["log"].as_string()))
        return "it does not refuse PTX " + k_absurd_ptx_version.text();
    if (lines.oldest.is_object() && (lines.oldest["result"].as_int() != 0 || !lines.oldest["made"].as_bool()))
        return "it does not compile PTX " + k_oldest_ptx_version.text() + " for " + k_oldest_ptx_target.sm();
    return "";
}

void distrust(ProbeResult& result, const std::string& why) {
    if (why.empty() || result.outcome == Outcome::broken) return;
    result.outcome = Outcome::unknown;
    result.failure = Failure::other;
    result.accepts_up_to.reset();
    result.first_error = "the answers of " + result.tool + " do not count: " + why;
}

ProbeResult unanswered(ProbeResult result, const ProcessResult& run, const ChildLines& lines) {
    // If we could not start ourselves, the library is not to blame.
    bool ours = run.state == ProcessResult::State::not_started;
    result.outcome = ours ? Outcome::unknown : Outcome::broken;
    result.first_error = end_of_child("the library", run, lines);
    result.words = trim(run.err).substr(0, 16384);
    result.exit_code = run.exit_code;
    result.timed_out = run.state == ProcessResult::State::timed_out;
    result.crashed = run.state == ProcessResult::State::crashed;
    return result;
}

ProbeResult limit_result(const ProbeResult& blank, const ChildLines& lines, const ProcessResult& run) {
    if (!why_not_trusted(lines).empty()) return blank;
    if (!newest_read(lines)) return unanswered(blank, run, lines);
    ProbeResult result = blank;
    fill(result, lines.limit);
    result.outcome = Outcome::accepted;  // the refusal of an absurd version is the expected answer
    result.first_error.clear();
    return result;
}

}  // namespace

Question jit_question(const JitLibrary& library, const PtxSample& sample, std::chrono::milliseconds limit) {
    Question question;
    question.decided_by = {library.path};
    if (!library.real_path.empty()) question.decided_by.push_back(library.real_path);
    Command& command = question.command;
    command.argv = {own::executable_path(), "--child", "jit", library.path};
    for (Arch arch : sample.archs) command.argv.push_back(arch.sm());
    command.input = sample.text;
    command.time_limit = limit;
    return question;
}

std::vector<ProbeResult> jit_results(const Driver& driver, const JitLibrary& library, const PtxSample& sample,
                                     const Answer& run) {
    const ChildLines lines = read_child_lines(run.out);
    const auto reads_up_to = newest_read(lines);
    const ProbeResult blank = blank_result(driver, library, sample);
    std::vector<ProbeResult> results;
    for (std::size_t i = 0; i < sample.archs.size(); ++i) {
        results.push_back(blank);
        if (i >= lines.compiles.size())
            results.back() = unanswered(blank, run, lines);
        else
            fill(results.back(), lines.compiles[i]);
    }
    if (!lines.versions.empty()) {
        results.push_back(blank);
        results.back().target.reset();
        fill(results.back(), lines.versions.front());
    }
    if (sample.archs.empty()) results.push_back(limit_result(blank, lines, run));
    const std::string why = why_not_trusted(lines);
    for (ProbeResult& result : results) {
        result.accepts_up_to = reads_up_to;
        distrust(result, why);
        result.milliseconds = run.milliseconds;
        result.cached = run.cached;
    }
    return results;
}

std::vector<Arch> archs_to_compile_for(Arch target, const std::vector<Gpu>& gpus) {
    std::vector<Arch> archs;
    for (const Gpu& gpu : gpus) {
        if (!gpu.arch || !ptx_compiles_for(target, *gpu.arch)) continue;
        // An `a` or `f` target only matches a GPU name of the same form.
        Arch arch = target.suffix ? Arch{gpu.arch->number, target.suffix} : Arch{gpu.arch->number, 0};
        bool listed = false;
        for (Arch other : archs) listed = listed || other == arch;
        if (!listed) archs.push_back(arch);
    }
    if (archs.empty()) archs.push_back(target);
    return archs;
}

}  // namespace ptxguard
