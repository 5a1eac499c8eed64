// Parses the children's answers about libraries that compile.
// SPDX-License-Identifier: Apache-2.0
#include "probe/engine.hpp"

#include <algorithm>

#include "formats/fatbin.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "probe/child.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"

namespace ptxguard {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

// The line with "error" or "fatal", else the first.
std::string error_line(const std::string& log) {
    std::string first;
    for (const std::string& line : split(log, "\r\n")) {
        const std::string text = trim(line), small = lower(text);
        if (text.empty()) continue;
        if (small.find("error") != std::string::npos || small.find("fatal") != std::string::npos) return text;
        if (first.empty()) first = text;
    }
    return first;
}

void read_loaded(EngineResult& result, const Json& loaded) {
    result.outcome = Outcome::accepted;
    result.version = parse_version(loaded["version"].as_string());
    result.ir = parse_version(loaded["ir"].as_string());
    if (loaded["llvm"].is_integer()) result.llvm = parse_version(std::to_string(loaded["llvm"].as_int()));
    result.lists_archs = loaded["archs"].is_array();
    for (const Json& number : loaded["archs"].items()) {
        const std::int64_t value = number.as_int();
        if (value > 0 && value < 10000) result.archs.push_back({static_cast<int>(value), 0});
    }
    std::sort(result.archs.begin(), result.archs.end());
}

Outcome outcome_of(const EngineKind& kind, const EngineAnswer& answer, bool made) {
    if (answer.result == 0) return made ? Outcome::accepted : Outcome::broken;
    const auto& codes = kind.refusals;
    const bool refused = contains(codes, answer.result);
    const Outcome by_code = refused ? Outcome::refused : Outcome::broken;
    return kind.by_words ? kind.by_words(answer.log, by_code) : by_code;
}

std::string without_trailing_zeros(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

EngineAnswer read_answer(const EngineKind& kind, const Json& line) {
    EngineAnswer answer;
    answer.arch = parse_arch(line["arch"].as_string());
    answer.result = static_cast<int>(line["result"].as_int(-1));
    answer.call = line["call"].as_string();
    answer.log = trim(line["log"].as_string()).substr(0, k_words_cap);
    answer.milliseconds = line["ms"].as_real();
    answer.ptx = without_trailing_zeros(line["ptx"].as_string());
    answer.ptx_version = read_ptx_head(answer.ptx).version;
    if (const std::string& lto = line["ltoir"].as_string(); !lto.empty()) {
        answer.ptx = from_hex(lto);
        if (const auto head = read_raw_ir(answer.ptx)) answer.ir = head->version;
    }
    answer.accepts_up_to = current_version_in(answer.log);
    answer.outcome =
        outcome_of(kind, answer, kind.makes_ptx ? answer.ptx_version || answer.ir : line["made"].as_bool());
    if (answer.outcome == Outcome::accepted) return answer;
    answer.first_error = error_line(answer.log);
    if (answer.first_error.empty()) {
        const std::string& name = line["name"].as_string();
        answer.first_error = answer.call + " answered " + std::to_string(answer.result) +
                             (name.empty() ? "" : " (" + name + ")") +
                             (answer.result == 0 ? " and wrote nothing" : " without output");
    }
    return answer;
}

EngineAnswer unanswered(Arch arch, const EngineResult& result, const std::string& why) {
    EngineAnswer answer;
    answer.arch = arch;
    answer.outcome = result.outcome == Outcome::unknown ? Outcome::unknown : Outcome::broken;
    answer.result = -1;
    answer.first_error = why;
    answer.log = result.words;
    return answer;
}

}  // namespace

ChildLines read_child_lines(const std::string& out) {
    ChildLines lines;
    for (const std::string& text : split(out, "\r\n")) {
        if (!starts_with(text, "{")) continue;  // a library may print something itself
        auto json = parse_json(text, "child");
        if (!json) continue;
        const std::string& event = (*json)["event"].as_string();
        if (event == "trouble") lines.trouble = (*json)["text"].as_string();
        if (event == "loaded") lines.loaded = *json;
        if (event == "limit") lines.limit = *json;
        if (event == "oldest") lines.oldest = *json;
        if (event == "compile") lines.compiles.push_back(*json);
        if (event == "version") lines.versions.push_back(*json);
    }
    return lines;
}

std::string end_of_child(const std::string& name, const ProcessResult& run, const ChildLines& lines) {
    if (!lines.trouble.empty()) return first_line(lines.trouble);
    switch (run.state) {
        case ProcessResult::State::not_started: return "ptxguard could not start itself: " + run.trouble;
        case ProcessResult::State::timed_out: return name + " did not answer in time";
        case ProcessResult::State::crashed:
            return name + " crashed (signal or exception " + std::to_string(run.exit_code) + ")";
        case ProcessResult::State::exited: break;
    }
    if (run.truncated) return name + " printed more than is read";
    const std::string said = trim(run.err);
    return name + " ended the process with exit code " + std::to_string(run.exit_code) +
           (said.empty() ? "" : ", said: " + first_line(said));
}

Command engine_command(const char* mode, const std::string& library, std::vector<std::string> options,
                       const std::vector<Arch>& archs, const std::string& input,
                       std::chrono::milliseconds limit) {
    Command command;
    command.argv = {own::executable_path(), "--child", mode, library};
    append(command.argv, options);
    for (Arch arch : archs) command.argv.push_back(arch.sm());
    command.input = input;
    command.time_limit = limit;
    command.output_cap = k_engine_output_cap;
    return command;
}

EngineResult engine_result(const EngineKind& kind, const std::string& library, const std::vector<Arch>& archs,
                           const Answer& run) {
    const ChildLines lines = read_child_lines(run.out);
    EngineResult result;
    result.path = library;
    result.milliseconds = run.milliseconds;
    result.cached = run.cached;
    result.timed_out = run.state == ProcessResult::State::timed_out;
    result.crashed = run.state == ProcessResult::State::crashed;
    const std::string why = end_of_child(kind.name, run, lines);
    if (lines.loaded.is_object())
        read_loaded(result, lines.loaded);
    else
        result.outcome = run.state == ProcessResult::State::not_started ? Outcome::unknown : Outcome::broken;
    if (!lines.loaded.is_object() || !run.ok()) {
        result.trouble = why;
        result.words = (lines.trouble.empty() ? trim(run.err) : lines.trouble).substr(0, k_words_cap);
    }
    for (std::size_t i = 0; i < archs.size(); ++i) {
        const bool answered = i < lines.compiles.size();
        result.answers.push_back(answered ? read_answer(kind, lines.compiles[i])
                                          : unanswered(archs[i], result, why));
    }
    result.accepts_up_to = current_version_in(lines.limit["log"].as_string());
    for (const EngineAnswer& answer : result.answers)
        if (!result.accepts_up_to) result.accepts_up_to = answer.accepts_up_to;
    return result;
}

ProbeResult probe_result(const EngineResult& engine, const EngineAnswer& answer, ProbeKind kind) {
    ProbeResult result;
    result.kind = kind;
    result.outcome = answer.outcome;
    result.tool = engine.path;
    result.tool_version = engine.version;
    result.target = answer.arch;
    result.ptx = answer.ptx_version;
    result.accepts_up_to = answer.accepts_up_to ? answer.accepts_up_to : engine.accepts_up_to;
    result.archs = engine.archs;
    result.command = answer.call;
    result.exit_code = answer.result;
    result.timed_out = engine.timed_out;
    result.cached = engine.cached;
    result.crashed = engine.crashed;
    result.words = answer.log;
    result.first_error = answer.first_error;
    result.failure = answer.failure;
    result.milliseconds = answer.milliseconds;
    return result;
}

}  // namespace ptxguard
