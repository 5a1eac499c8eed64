// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/job.hpp"

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/shell/activation.hpp"
#include "recipes/shell/python_runs.hpp"
#include "recipes/shell/shell_pipeline.hpp"
#include "recipes/shell/shell_scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_recipe_steps{50000, "steps of all jobs", "later steps"};
constexpr Limit k_most_jobs{1000, "jobs", "later jobs"};

}  // namespace

Job::Job(Recipe& recipe, const ReadFile& files) : m_recipe(recipe), m_at{"", recipe.file} {
    m_shell.files = below_workspace(files);
}

void Job::set(const std::string& name, const Written& value, bool step_too) {
    if (!m_shell.files.budget().spend_at(value, 1, value.text.size())) return;
    if (value.known)
        m_shell.variables.set(name, {value, {}, false, true, !step_too});
    else
        m_shell.variables.erase(name);
    if (step_too) stage.steps.push_back(SetVariable{name, value, true});
}

void Job::unset(const std::string& name, const Variables& before) {
    m_shell.variables.erase(name);
    if (const Variable* old = before.find(name)) m_shell.variables.set(name, *old);
}

void Job::environment_file(const std::string& name) {
    m_environment_file = name;
    m_shell.variables.set(name, {{name, m_recipe.file}, {}, false, true, false});
}

void Job::output_file(const std::string& name) {
    m_output_file = name;
    m_shell.variables.set(name, {{name, m_recipe.file}, {}, false, true, false});
}

std::vector<SetVariable> Job::pairs_in(const std::string& name, bool open) {
    std::vector<SetVariable> pairs;
    if (name.empty() || !m_shell.written->find(name)) return pairs;
    for (const FileText& part : m_shell.written->parts(name)) {
        int line = part.lines_before;
        for (const std::string_view one : lines_of(part.text)) {
            ++line;
            const std::size_t equals = one.find('=');
            if (equals == npos) continue;
            Written value{std::string(one.substr(equals + 1)), part.file, line};
            value.column = 1;
            value.fixed = part.fixed && !open;
            value.known = part.known;
            pairs.push_back({std::string(one.substr(0, equals)), std::move(value)});
        }
    }
    m_shell.written->write(name, FileText{});
    return pairs;
}

std::vector<SetVariable> Job::outputs(bool open) {
    std::vector<SetVariable> all = pairs_in(m_output_file, open);
    for (SetVariable& one : m_outputs) all.push_back(std::move(one));
    m_outputs.clear();
    return all;
}

// echo "::set-output name=NAME::VALUE", "::set-env name=NAME::VALUE"; of Azure
// "##vso[task.setvariable variable=NAME;isOutput=true]VALUE".
void Job::take_commands(std::size_t first, bool open) {
    for (std::size_t i = first; i < stage.steps.size(); ++i) {
        const auto* command = std::get_if<Command>(&stage.steps[i]);
        if (!command || command->words.size() != 2) continue;
        if (!is_one_of(lower(command->words[0].text), {"echo", "write-host", "write-output"})) continue;
        const Written& word = command->words[1];
        const bool azure = starts_with(word.text, "##vso[task.setvariable variable=");
        const bool variable = starts_with(word.text, "::set-env name=");
        const std::size_t begin = word.text.find('=') + 1;
        const std::size_t name_end = word.text.find_first_of(azure ? ";]" : ":", begin);
        const std::size_t end = azure ? word.text.find(']', begin) : name_end;
        if ((!azure && !variable && !starts_with(word.text, "::set-output name=")) || end == npos) continue;
        SetVariable one{word.text.substr(begin, name_end - begin), word};
        one.value.text.erase(0, end + (azure ? 1 : 2));
        one.value.fixed = one.value.fixed && !open;
        if (variable)
            set_lasting(one);
        else
            m_outputs.push_back(std::move(one));
    }
}

void Job::set_lasting(const SetVariable& one) {
    set(one.name, one.value);
    m_lasting.push_back(one);
}

void Job::activate(const std::string& environment) { recipes::activate(environment, m_shell.variables); }

namespace {

std::vector<Step> read_python(const PlacedText& text, Shell& shell) {
    return steps_of_python({{text.file, text.text, text.place(0).line - 1}, {}}, shell);
}

}  // namespace

void Job::run(const PlacedText& text, const std::string& folder, ShellKind shell, bool open) {
    m_shell.kind = shell;
    run(text, folder, read_shell, open);
}

void Job::run(const PlacedText& text, const std::string& folder, const std::string& setting, ShellKind usual,
              bool open) {
    const std::string program = program_name(setting.substr(0, setting.find(' ')));
    if (const auto shell = shell_of_setting(setting, usual))
        run(text, folder, *shell, open);
    else if (starts_with(program, "python"))
        run(text, folder, read_python, open);
}

void Job::run(const PlacedText& text, const std::string& folder, Reader read, bool open) {
    const Variables before = m_shell.variables;
    const std::size_t first = stage.steps.size();
    m_shell.folder = folder;
    m_shell.folders.clear();
    m_shell.functions.clear();
    set_release_of_system(stage.image ? stage.image : stage.platform, m_shell.variables);
    const auto release = cuda_version_variable(stage.image);
    if (release && !m_shell.variables.find("CUDA_VERSION")) set("CUDA_VERSION", *release, false);
    go_on(text, read);
    for (std::size_t i = first; open && i < stage.steps.size(); ++i) make_open(stage.steps[i]);
    m_shell.variables = before;
    for (const SetVariable& one : pairs_in(m_environment_file, open)) set_lasting(one);
    take_commands(first, open);
}

void Job::run_in_image(const std::vector<PlacedText>& texts, const Written& image, bool open) {
    std::vector<Step> steps;
    for (const PlacedText& text : texts) {
        m_at = text.written(0, "");
        if (!m_shell.files.budget().spend_at(m_at, 1, text.text.size())) return;
        Shell shell;
        shell.files = m_shell.files;
        for (Step& step : read_shell(text, shell)) steps.push_back(std::move(step));
        m_recipe.problems.take(shell.problems);
    }
    Step step = in_container(image, std::move(steps));
    if (open) make_open(step);
    add(std::move(step));
}

void Job::go_on(const PlacedText& text) { go_on(text, read_shell); }

void Job::go_on(const PlacedText& text, Reader read) {
    m_at = text.written(0, "");
    if (m_recipe.problems.exceeds(k_most_recipe_steps, stage.steps.size(), m_at) ||
        !m_shell.files.budget().spend_at(m_at, 1, text.text.size()))
        return;
    for (Step& step : read(text, m_shell)) stage.steps.push_back(std::move(step));
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
