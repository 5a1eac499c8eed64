// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell_wrappers.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

// A program that runs the command behind its options.
struct Wrapper {
    const char* name;
    const char* with_value;  // its short options that take the next word
    int arguments = 0;       // words between the options and the command
};
constexpr Wrapper k_wrappers[] = {
    {"sudo", "ughpCTrD"}, {"doas", "uC"},     {"env", "uCS"},        {"exec", "a"},    {"command", ""},
    {"nohup", ""},        {"time", "fo"},     {"nice", "n"},         {"ionice", "cn"}, {"stdbuf", "ioe"},
    {"timeout", "ks", 1}, {"setarch", "", 1}, {"xvfb-run", "ensfp"}, {"chrt", "", 1},  {"eatmydata", ""},
};

std::string program(std::string_view word) {
    std::string name = lower(file_name(word));
    if (ends_with(name, ".exe")) name.resize(name.size() - 4);
    return name;
}

const Wrapper* wrapper(const std::string& word) {
    const std::string name = program(word);
    const auto found = std::find_if(std::begin(k_wrappers), std::end(k_wrappers),
                                    [&](const Wrapper& w) { return name == w.name; });
    return found == std::end(k_wrappers) ? nullptr : found;
}

bool assign(const Written& word, std::vector<SetVariable>& variables) {
    const std::size_t length = length_of_name(word.text);
    if (length == 0 || length >= word.text.size() || word.text[length] != '=') return false;
    SetVariable one;
    one.name = word.text.substr(0, length);
    one.value = word;
    one.value.text = word.text.substr(length + 1);
    one.lasts = false;
    variables.push_back(std::move(one));
    return true;
}

std::size_t behind_options(const std::vector<Written>& words, std::size_t i, const Wrapper& of) {
    for (; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--") return i + 1;
        if (word.size() < 2 || word[0] != '-') return i;
        if (word.size() == 2 && std::string_view(of.with_value).find(word[1]) != std::string_view::npos) ++i;
    }
    return i;
}

// `bash -euxo pipefail -c TEXT`: the index of TEXT; none for `bash FILE`.
std::size_t text_of_shell(const std::vector<Written>& words, std::size_t i) {
    bool text = false;
    for (++i; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        const bool option = word.size() > 1 && (word[0] == '-' || word[0] == '+');
        if (!option) return text ? i : words.size();
        if (starts_with(word, "--")) continue;
        text = text || (word[0] == '-' && word.find('c') != std::string::npos);
        if (word.back() == 'o' || word.back() == 'O') ++i;
    }
    return words.size();
}

// `cmd /S /C TEXT`, `powershell -NoProfile -Command TEXT`.
std::size_t text_of_windows_shell(const std::vector<Written>& words, std::size_t i, ShellKind kind) {
    for (++i; i < words.size(); ++i) {
        const std::string option = lower(words[i].text);
        const bool takes = kind == ShellKind::cmd ? option == "/c" || option == "/k"
                                                  : option == "-command" || option == "-c";
        if (takes) return i + 1;
    }
    return words.size();
}

}  // namespace

bool is_posix_shell(std::string_view word) {
    const std::string name = program(word);
    for (const char* one : {"sh", "bash", "dash", "ash", "zsh", "ksh"})
        if (name == one) return true;
    return false;
}

ShellKind shell_kind(std::string_view word) {
    const std::string name = program(word);
    if (name == "cmd") return ShellKind::cmd;
    return name == "powershell" || name == "pwsh" ? ShellKind::powershell : ShellKind::posix;
}

Wrapped without_wrappers(const Command& command) {
    Wrapped inner;
    const std::vector<Written>& words = command.words;
    std::size_t& i = inner.begin;
    while (i < words.size()) {
        const Wrapper* one = wrapper(words[i].text);
        if (!one) break;
        i = behind_options(words, i + 1, *one) + static_cast<std::size_t>(one->arguments);
        while (i < words.size() && assign(words[i], inner.variables)) ++i;
    }
    i = std::min(i, words.size());
    if (i == words.size()) return inner;
    inner.shell = shell_kind(words[i].text);
    if (is_posix_shell(words[i].text))
        inner.shell_text = text_of_shell(words, i);
    else if (inner.shell != ShellKind::posix)
        inner.shell_text = text_of_windows_shell(words, i, inner.shell);
    return inner;
}

void unwrap(Command& command, const Wrapped& inner) {
    command.words.erase(command.words.begin(),
                        command.words.begin() + static_cast<std::ptrdiff_t>(inner.begin));
    command.variables.insert(command.variables.end(), inner.variables.begin(), inner.variables.end());
}

std::vector<Step> read_command(std::vector<Written> words, Shell& shell) {
    Command command;
    command.words = std::move(words);
    const Wrapped inner = without_wrappers(command);
    if (inner.shell_text < command.words.size()) {
        const Written& said = command.words[inner.shell_text];
        PlacedText text(said.file);
        text.append(said.text, {said.line, said.column});
        const ShellKind before = shell.kind;
        shell.kind = inner.shell;
        std::vector<Step> steps = read_shell(text, shell);
        shell.kind = before;
        return steps;
    }
    unwrap(command, inner);
    std::vector<Step> steps;
    emit(std::move(command), shell, steps);
    return steps;
}

}  // namespace ptxguard::recipes
