// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "recipes/environments.hpp"
#include "recipes/interpret.hpp"
#include "recipes/shell_run.hpp"

namespace ptxguard::recipes {
void emit(Command command, Shell& shell, std::vector<Step>& steps) {
    if (command.words.empty()) return;
    if (shell.problems.exceeds(k_most_steps, steps.size(), command.words[0])) return;
    const auto own = [&](const std::string& name) {
        return std::any_of(command.variables.begin(), command.variables.end(),
                           [&](const SetVariable& one) { return one.name == name; });
    };
    for (const auto& [name, variable] : shell.variables)
        if (variable.exported && variable.assigned_here && !own(name))
            command.variables.push_back({name, variable.value, true});
    const std::string folder = shell.folder;
    const ReadFile files = [&](const std::string& path, const Written& by) -> std::optional<FileText> {
        if (!shell.files) return std::nullopt;
        return shell.files(folder.empty() ? path : join_path(folder, path), by);
    };
    Inherited inherited(shell.problems);
    inherited.variable = [&](std::string_view name) -> const Written* {
        const auto found = shell.variables.find(std::string(name));
        return found == shell.variables.end() || !found->second.exported ? nullptr : &found->second.value;
    };
    inherited.folder = join_path(shell.starts_in, folder);
    follow_activation(command.words, inherited.folder, shell.variables);
    for (Step& step : interpret(command, files, inherited)) steps.push_back(std::move(step));
}

void change_folder(const Command& command, Shell& shell) {
    if (command.words.size() < 2) return;
    const Written& to = command.words.back();
    // An unknown folder: no file is found in it.
    shell.folder = join_path(shell.folder, to.known && to.text != "-" ? to.text : "?");
}

}  // namespace ptxguard::recipes
