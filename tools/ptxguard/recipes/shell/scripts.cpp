// Shell and Slurm scripts, batch files and PowerShell scripts.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/scripts.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/shell/shell.hpp"
#include "recipes/shell/shell_scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_case_values{32, "values of a case", "later ones"};

// However the user names it: its folders are below the workspace, of which the repository is a part then.
std::string path_in_workspace(const std::string& file) {
    std::string path = normal_path(file, System::linux_);
    while (starts_with_any(path, {"/", "../"})) path.erase(0, path.find('/') + 1);
    return path;
}

// The script once more for each value of its first argument that it distinguishes itself.
void add_cases(const PlacedText& text, const Shell& start, const OpenCase& open, Recipe& recipe) {
    std::size_t count = 0;
    std::set<std::tuple<int, int, std::string>> reported;  // what all runs meet
    const auto is_new = [&](const Problem& problem) {
        return reported.insert({problem.at.line, problem.at.column, problem.at.file + problem.why}).second;
    };
    for (const Problem& problem : recipe.problems) is_new(problem);
    for (const Written& value : open.values) {
        if (recipe.problems.exceeds(k_most_case_values, ++count, value) ||
            !start.files.budget().spend_at(value, 1, text.text.size()))
            return;
        Shell shell = start;
        shell.written = std::make_shared<WrittenFiles>();
        shell.checkouts = std::make_shared<Checkouts>();
        shell.settings = std::make_shared<Settings>();
        Variable variable{value};
        variable.value.fixed = false;
        variable.exported = variable.assigned_here = open.name.size() > 1 && open.name != k_branch;
        if (shell.kind == ShellKind::powershell)
            set_arguments({{"-" + open.name, value.file}, variable.value}, shell.variables);
        else
            shell.variables.set(open.name, std::move(variable));
        Stage stage;
        stage.name = open.name == k_branch ? value.text : "with $" + open.name + "=" + value.text;
        stage.steps = read_shell(text, shell);
        recipe.stages.push_back(std::move(stage));
        for (const Problem& problem : shell.problems)
            if (is_new(problem)) recipe.problems.push_back(problem);
    }
}

}  // namespace

Recipe read_script(RecipeKind kind, const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = kind;
    recipe.file = file;
    const bool marked = starts_with(text, "\xEF\xBB\xBF");
    const std::string program = program_of_script(without_mark(text));
    if (!program.empty() && !is_posix_shell(program)) return recipe;
    if (text.find("\n#SBATCH") != std::string_view::npos) recipe.kind = RecipeKind::slurm_script;
    Shell shell;
    const std::string name = lower(file);
    if (ends_with(name, ".bat") || ends_with(name, ".cmd")) shell.kind = ShellKind::cmd;
    if (ends_with(name, ".ps1")) shell.kind = ShellKind::powershell;
    shell.is_script = true;
    // It runs in its own folder or in the repository's.
    const std::string in_workspace = path_in_workspace(file);
    shell.files = below_workspace(
        files, static_cast<std::size_t>(std::count(in_workspace.begin(), in_workspace.end(), '/')));
    set_path_of_script(join_path(k_workspace, in_workspace), shell.variables);
    PlacedText placed(file);
    placed.append(without_mark(text), {1, marked ? 4 : 1});
    const Shell start = shell;
    shell.open_case = std::make_shared<OpenCase>();
    Stage stage;
    if (shell.kind != ShellKind::posix) stage.platform = {"windows", file};
    stage.steps = read_shell(placed, shell);
    recipe.problems = std::move(shell.problems);
    recipe.stages.push_back(std::move(stage));
    add_cases(placed, start, *shell.open_case, recipe);
    return recipe;
}

}  // namespace ptxguard::recipes
