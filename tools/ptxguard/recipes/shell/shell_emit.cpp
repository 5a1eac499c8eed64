// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "host/paths.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/context_files.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/activation.hpp"
#include "recipes/shell/interpret.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_most_folders = 100;  // of pushd, in each other

}  // namespace

void emit(Command command, Shell& shell, std::vector<Step>& steps) {
    if (command.words.empty()) return;
    if (shell.problems.exceeds(k_most_steps, steps.size(), command.words[0])) return;
    command.exports = shell.variables.own_exports();
    const std::string folder = shell.folder;
    const ReadFile files =
        shell.files.instead([&](const std::string& path, const Written& by) -> std::optional<FileText> {
            if (const FileText* written = shell.written->find(path)) return *written;
            return file_now(shell, join_path(folder, path), by);
        });
    Problems problems;
    Inherited inherited(problems);
    inherited.variables = [&](std::string_view name) -> const Written* {
        const Written* exported = shell.variables.exported_value(name);
        const auto kept = exported ? shell.settings->end() : shell.settings->find(name);
        return kept == shell.settings->end() ? exported : &kept->second;
    };
    inherited.folder = join_path(shell.starts_in, folder);
    inherited.checkout = [&](const std::string& path) {
        return shell.checkouts->reference(join_path(inherited.folder, path));
    };
    note_written_files(command, shell);
    shell.checkouts->note(command.words, inherited.folder);
    follow_activation(command.words, inherited.folder, shell.variables);
    std::vector<Step> meant = interpret(command, files, inherited);
    for (Problem& problem : problems)
        if (!problem.missing || shell.tested.count(problem.at.text) == 0)
            shell.problems.push_back(std::move(problem));
    const auto* setting = meant.size() == 1 ? std::get_if<SetVariable>(&meant.front()) : nullptr;
    if (setting) (*shell.settings)[setting->name] = setting->value;
    std::move(meant.begin(), meant.end(), std::back_inserter(steps));
}

void change_folder(const Command& command, Shell& shell) {
    const std::string& program = command.words[0].text;
    if (program == "popd" && !shell.folders.empty()) {
        shell.folder = std::move(shell.folders.back());
        shell.folders.pop_back();
    }
    if (command.words.size() < 2 || program == "popd") return;
    if (program == "pushd" && shell.folders.size() < k_most_folders) shell.folders.push_back(shell.folder);
    const Written& to = command.words.back();
    // An unknown folder: no file is found in it.
    shell.folder = folder_below(shell.folder, to.known && to.text != "-" ? to.text : "?");
}

std::string folder_below(const std::string& folder, const std::string& path) {
    std::string below = join_path(folder, path);
    return below.size() > k_longest_path ? "?" : below;
}

}  // namespace ptxguard::recipes
