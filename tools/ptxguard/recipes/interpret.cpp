// Finds the program that a command really starts, and asks the reader of that program's arguments.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/interpret.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/pip.hpp"

namespace ptxguard::recipes {
namespace {

// `python3 -m pip install`: the words from "pip".
Command without_python(const Command& command) {
    const auto& words = command.words;
    std::size_t at = 1;
    while (at < words.size() && starts_with(words[at].text, "-") && words[at].text != "-m") ++at;
    if (at + 1 >= words.size() || words[at].text != "-m") return command;
    const std::string module = words[at + 1].text;
    if (module != "pip" && module != "uv") return command;
    Command inner = command;
    inner.words.erase(inner.words.begin(), inner.words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    const std::string program = file_name(words.front().text);
    const std::size_t version = program.find("3.");
    if (module == "pip" && version != std::string::npos) inner.words.front().text += program.substr(version);
    return inner;
}

}  // namespace

std::vector<Step> interpret(const Command& command, const ReadFile& files, const Inherited& inherited) {
    if (command.words.empty()) return {};
    Inherited with_own = inherited;
    with_own.variable = [&](std::string_view name) -> const Written* {
        for (const SetVariable& own : command.variables)
            if (own.name == name) return &own.value;
        return inherited.variable ? inherited.variable(name) : nullptr;
    };
    const Command inner = without_python(command);
    if (auto install = read_pip_command(inner, files, with_own)) return {std::move(*install)};
    return {command};
}

}  // namespace ptxguard::recipes
