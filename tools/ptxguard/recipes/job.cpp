// SPDX-License-Identifier: Apache-2.0
#include "recipes/job.hpp"

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "recipes/environments.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_recipe_steps{50000, "steps of all jobs", "later steps"};
constexpr Limit k_most_jobs{1000, "jobs", "later jobs"};

void open_all(std::vector<WrittenRequirement>& list) {
    for (WrittenRequirement& one : list) one.whole.fixed = one.index.fixed = false;
}

}  // namespace

void make_open(Step& step) {
    if (auto* set = std::get_if<SetVariable>(&step)) {
        set->value.fixed = false;
    } else if (auto* pip = std::get_if<PipInstall>(&step)) {
        open_all(pip->requirements);
        open_all(pip->constraints);
        pip->index.fixed = pip->torch_backend.fixed = pip->whole.fixed = false;
        for (Written& index : pip->extra_indexes) index.fixed = false;
    } else if (auto* conda = std::get_if<CondaInstall>(&step)) {
        for (CondaSpec& spec : conda->specs) spec.whole.fixed = false;
        conda->whole.fixed = false;
    } else if (auto* apt = std::get_if<AptInstall>(&step)) {
        for (AptPackage& package : apt->packages) package.whole.fixed = false;
        apt->whole.fixed = false;
    } else if (auto* command = std::get_if<Command>(&step)) {
        for (Written& word : command->words) word.fixed = false;
    }
}

void Job::set(const std::string& name, const Written& value, bool step_too) {
    if (!m_shell.files.budget().spend_at(value, 1, value.text.size())) return;
    if (value.known)
        m_shell.variables.set(name, {value, {}, false, true, false});
    else
        m_shell.variables.erase(name);
    if (step_too) stage.steps.push_back(SetVariable{name, value, true});
}

void Job::unset(const std::string& name) { m_shell.variables.erase(name); }

void Job::environment_file(const std::string& name) {
    m_environment_file = name;
    m_shell.variables.set(name, {{name, m_recipe.file}, {}, false, true, false});
}

void Job::take_environment_file(bool open) {
    const FileText* file = m_environment_file.empty() ? nullptr : m_shell.written->find(m_environment_file);
    if (!file) return;
    const FileText lines = *file;
    m_shell.written->write(m_environment_file, FileText{});
    int line = lines.lines_before;
    for (const std::string_view one : lines_of(lines.text)) {
        ++line;
        const std::size_t equals = lines.known ? one.find('=') : npos;
        if (equals == npos) continue;
        Written value{std::string(one.substr(equals + 1)), lines.file, line};
        value.column = 1;
        value.fixed = !open;
        set(std::string(one.substr(0, equals)), value);
    }
}

void Job::activate(const std::string& environment) { recipes::activate(environment, m_shell.variables); }

void Job::run(const PlacedText& text, const std::string& folder, ShellKind shell, bool open) {
    const Variables before = m_shell.variables;
    const std::size_t first = stage.steps.size();
    m_shell.folder = folder;
    m_shell.kind = shell;
    go_on(text);
    for (std::size_t i = first; open && i < stage.steps.size(); ++i) make_open(stage.steps[i]);
    m_shell.variables = before;
    take_environment_file(open);
}

void Job::go_on(const PlacedText& text) {
    m_at = text.written(0, "");
    if (m_recipe.problems.exceeds(k_most_recipe_steps, stage.steps.size(), m_at) ||
        !m_shell.files.budget().spend_at(m_at, 1, text.text.size()))
        return;
    for (Step& step : read_shell(text, m_shell)) stage.steps.push_back(std::move(step));
    m_recipe.problems.take(m_shell.problems);
}

bool Job::finish() {
    m_recipe.stages.push_back(std::move(stage));
    std::size_t steps = 0;
    for (const Stage& one : m_recipe.stages) steps += one.steps.size();
    return !m_recipe.problems.exceeds(k_most_recipe_steps, steps, m_at) &&
           !m_recipe.problems.exceeds(k_most_jobs, m_recipe.stages.size(), m_at);
}

}  // namespace ptxguard::recipes
