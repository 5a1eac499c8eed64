// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_script.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "recipes/python/python_follower.hpp"
#include "recipes/shell/python_runs.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_choices{32, "values that Python code distinguishes", "later ones"};
constexpr Limit k_most_functions{200, "functions of Python code that nothing calls", "later ones"};

void add_stage(const std::string& name, std::vector<Step> steps, Recipe& recipe) {
    if (steps.empty()) return;
    Stage stage;
    stage.name = name;
    stage.steps = std::move(steps);
    recipe.stages.push_back(std::move(stage));
}

// The module, then each function that it does not call, with what the module has set.
void add_run(const PythonFollower& fresh, const std::string& prefix, const ReadFile& files, Recipe& recipe,
             PythonChoice& choice) {
    Shell shell;
    shell.files = files;
    PythonFollower module = fresh;
    std::vector<Step> steps = module.follow(shell);
    add_stage(prefix, std::move(steps), recipe);
    std::size_t count = 0;
    for (const std::string& name : module.uncalled()) {
        if (recipe.problems.exceeds(k_most_functions, ++count, module.at())) break;
        for (const PythonFollower::Arguments& given : module.parametrized(name)) {
            Shell own;
            own.files = files;
            PythonFollower function = module;
            add_stage((prefix.empty() ? "" : prefix + " ") + "function " + name,
                      function.follow_function(name, given, own), recipe);
            recipe.problems.take(own.problems);
            if (choice.values.empty()) choice = function.choice();
        }
    }
    recipe.problems.take(shell.problems);
    if (!module.choice().values.empty()) choice = module.choice();
}

}  // namespace

void add_commands_of_python(const std::string& file, std::string_view text, const ReadFile& files,
                            Recipe& recipe) {
    if (text.find("subprocess") == npos && text.find("system(") == npos && text.find("run") == npos &&
        text.find("install(") == npos && text.find("pip") == npos)
        return;
    PythonFollower fresh(file, without_mark(text));
    fresh.set_path(file_name(file));
    PythonChoice choice;
    add_run(fresh, "", files, recipe, choice);
    std::size_t count = 0;
    for (const PythonValue& value : choice.values) {
        if (recipe.problems.exceeds(k_most_choices, ++count, value.text) ||
            !files.budget().spend_at(value.text, 1, text.size()))
            return;
        PythonFollower chosen = fresh;
        chosen.choose(choice.path, value);
        PythonChoice other;
        add_run(chosen, "with " + choice.path + "=" + value.text.text, files, recipe, other);
    }
}

Recipe read_python_script(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::python_script;
    recipe.file = file;
    add_commands_of_python(file, text, files, recipe);
    return recipe;
}

std::vector<Step> steps_of_python(const CalledPython& called, Shell& shell) {
    const FileText& script = called.script;
    PythonFollower module(script.file, without_mark(script.text), script.lines_before);
    module.give(called.arguments);
    if (!called.path.empty()) module.set_path(called.path);
    return module.follow(shell);
}

std::optional<std::string> printed_by_python(const std::vector<Written>& words, const Variables& variables,
                                             const OutputSource* source, bool& fixed) {
    constexpr std::size_t k_steps = 300;  // of an expression or two
    const bool named = words.size() == 2 && ends_with(words[1].text, ".py") && source && source->file;
    const auto script = named ? source->file(words[1]) : std::nullopt;
    if (script ? !script->known : words.size() != 3 || words[1].text != "-c") return std::nullopt;
    Shell shell;
    shell.variables = variables;
    ReadFile::Read read;
    if (source && source->file)
        read = [&](const std::string& path, const Written& by) -> std::optional<FileText> {
            Written named = by;
            named.text = path;
            return source->file(named);
        };
    shell.files = ReadFile(std::move(read), std::make_shared<Budget>(k_steps));
    PythonFollower code("", script ? std::string(without_mark(script->text)) : words[2].text);
    if (named) code.set_path(words[1].text);
    code.follow(shell);
    const std::optional<Written>& text = code.printed();
    const bool one_line = text && !text->text.empty() && text->text.find('\n') + 1 == text->text.size();
    if (!one_line || shell.files.budget().is_over() || !shell.problems.empty()) return std::nullopt;
    fixed = fixed && text->fixed;
    return text->text.substr(0, text->text.size() - 1);
}

}  // namespace ptxguard::recipes
