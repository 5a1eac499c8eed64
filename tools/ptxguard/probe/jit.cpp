// Parent process of the JIT probe: starts the child and turns its lines into results.
// SPDX-License-Identifier: Apache-2.0
#include "probe/jit.hpp"

#include "host/paths.hpp"
#include "model/json.hpp"
#include "probe/diagnose.hpp"

namespace ptxguard {

namespace {

struct Lines {
    std::vector<Json> compiles, versions;
    std::optional<PtxVersion> reads_up_to;
    Json limit;
    std::string trouble;
};

Lines read_lines(const std::string& out) {
    Lines lines;
    for (const std::string& text : split(out, "\r\n")) {
        auto json = parse_json(text, "child");
        if (!json) continue;  // a library may print something itself
        const std::string& event = (*json)["event"].as_string();
        if (event == "trouble") lines.trouble = (*json)["text"].as_string();
        if (event == "compile") lines.compiles.push_back(*json);
        if (event == "version") lines.versions.push_back(*json);
        if (event == "limit") lines.limit = *json;
        if (event == "limit" || event == "version" || event == "compile") {
            if (auto version = current_version_in((*json)["log"].as_string())) lines.reads_up_to = version;
        }
    }
    return lines;
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
            "nvPTXCompilerCompile returned " + std::to_string(result.exit_code) + " and said nothing";
}

// The child ended before it answered.
std::string end_of_child(const ProcessResult& run, const Lines& lines) {
    if (!lines.trouble.empty()) return lines.trouble;
    switch (run.state) {
        case ProcessResult::State::not_started:
            return "ptxguard could not start itself: " + run.trouble;
        case ProcessResult::State::timed_out:
            return "the library did not answer in time";
        case ProcessResult::State::crashed:
            return "the library crashed (signal or exception " + std::to_string(run.exit_code) + ")";
        case ProcessResult::State::exited:
            break;
    }
    std::string said = trim(run.err);
    return "the library ended the process with exit code " + std::to_string(run.exit_code) +
           (said.empty() ? "" : ", said: " + said.substr(0, said.find('\n')));
}

ProbeResult unanswered(ProbeResult result, const ProcessResult& run, const Lines& lines) {
    // If we could not start ourselves, that says nothing about the library.
    bool ours = run.state == ProcessResult::State::not_started;
    result.outcome = ours ? Outcome::unknown : Outcome::broken;
    result.first_error = end_of_child(run, lines);
    result.words = trim(run.err).substr(0, 16384);
    result.exit_code = run.exit_code;
    result.timed_out = run.state == ProcessResult::State::timed_out;
    result.crashed = run.state == ProcessResult::State::crashed;
    return result;
}

ProbeResult limit_result(const ProbeResult& blank, const Lines& lines, const ProcessResult& run) {
    if (!lines.reads_up_to) return unanswered(blank, run, lines);
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
    const Lines lines = read_lines(run.out);
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
    for (ProbeResult& result : results) {
        result.accepts_up_to = lines.reads_up_to;
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
