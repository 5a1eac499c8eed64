// SPDX-License-Identifier: Apache-2.0
#include "ask/version.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::chrono::milliseconds k_time_limit{5000};

bool is_binary(const Host& host, const std::string& path) {
    const auto head = host.read_range(path, 0, 4);
    return head && (*head == "\177ELF" || starts_with(*head, "MZ"));
}

std::string stem_of(const std::string& path) {
    const std::string name = lower(file_name(path));
    return ends_with(name, ".exe") ? name.substr(0, name.size() - 4) : name;
}

std::string first_line(const std::string& text) {
    const auto lines = split(text, "\r\n");
    return lines.empty() ? std::string() : trim(lines.front()).substr(0, 300);
}

std::string trouble_of(const std::string& question, const Answer& answer) {
    const std::string words = first_line(answer.err.empty() ? answer.out : answer.err);
    const std::string said = words.empty() ? "" : ": " + words;
    switch (answer.state) {
        case ProcessResult::State::timed_out: return "does not answer " + question + " within 5 s";
        case ProcessResult::State::crashed:
            return "crashes on " + question + " (" + std::to_string(answer.exit_code) + ")" + said;
        case ProcessResult::State::not_started: return "cannot be started: " + answer.trouble;
        case ProcessResult::State::exited: break;
    }
    if (answer.exit_code != 0)
        return "fails on " + question + " (exit code " + std::to_string(answer.exit_code) + ")" + said;
    return (words.empty() ? "prints nothing on " : "prints no version on ") + question + said;
}

PartFault fault_of(const Answer& answer) {
    if (answer.state == ProcessResult::State::not_started) return PartFault::not_started;
    return answer.state == ProcessResult::State::exited ? PartFault::no_answer : PartFault::other;
}

std::string arguments_of(const Command& command) {
    std::string text;
    for (std::size_t i = 1; i < command.argv.size(); ++i) text += (i == 1 ? "" : " ") + command.argv[i];
    return text;
}

}  // namespace

Question version_question(const Host& host, const std::string& program, std::vector<std::string> arguments) {
    Question question;
    Command& command = question.command;
    command.argv = {program};
    append(command.argv, arguments);
    command.environment = {
        {"LC_ALL", "C"}, {"NVCC_PREPEND_FLAGS", std::nullopt}, {"NVCC_APPEND_FLAGS", std::nullopt}};
    command.time_limit = k_time_limit;
    command.output_cap = 64u << 10;
    const auto real = host.real_path(program);
    if (real && stem_of(*real).find(stem_of(program)) != std::string::npos && is_binary(host, *real))
        question.decided_by = {program, *real};
    return question;
}

SaidVersion said_version(const Question& question, const Answer& answer, const std::string& marker) {
    // cudafe++ prints it on stderr.
    const auto version = !answer.ok()     ? std::nullopt
                         : marker.empty() ? parse_version(trim(answer.out))
                                          : find_version(answer.out + "\n" + answer.err, marker);
    const std::string program = question.command.argv.front(), arguments = arguments_of(question.command);
    if (version)
        return {{*version, Origin::from_command(program, program + " " + arguments)}, "", PartFault::none};
    return {{}, trouble_of(arguments, answer), fault_of(answer)};
}

void ask_version(const Host& host, const std::string& program, const std::string& marker,
                 Questions& questions, std::function<void(const SaidVersion&)> take) {
    const Question question = version_question(host, program);
    questions.add(question, [question, marker, take = std::move(take)](const Answer& answer) {
        const SaidVersion said = said_version(question, answer, marker);
        take(said);
        return said.trouble.empty();
    });
}

void ask_version(const Host& host, const std::string& program, const std::string& marker,
                 Questions& questions, Known<Version>& version) {
    ask_version(host, program, marker, questions, [&version](const SaidVersion& said) {
        if (said.version) version = said.version;
    });
}

}  // namespace ptxguard
