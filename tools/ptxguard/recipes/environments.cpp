// SPDX-License-Identifier: Apache-2.0
#include "recipes/environments.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

// Folders contain "/", conda names do not.
bool is_folder(std::string_view environment) { return environment.find('/') != environment.npos; }

// The folder that contains bin or Scripts: X for "X/bin" and "X\Scripts".
std::string above_programs(const std::string& path) {
    const std::string last = file_name(path);
    return last == "bin" || last == "Scripts" ? parent_path(path) : "";
}

// Appends the environments of a list of program folders. False: PATH itself is not in the list.
bool add_path(std::string_view list, const std::string& folder, std::string& environments) {
    for (const std::string& entry : split(list, ":")) {
        if (starts_with(entry, "$PATH") || starts_with(entry, "${PATH")) return true;
        const std::string above = above_programs(entry);
        if (!above.empty() && above.find('$') == std::string::npos)
            environments += environment_folder(above, folder) + ":";
    }
    return false;
}

constexpr std::size_t k_longest_state = 4000;  // bytes of the state

std::string active_in(const Variables& variables) {
    const Variable* state = variables.find(k_active_environments);
    return state ? state->value.text : "";
}
void set_active(std::string active, Variables& variables) {
    Variable state = variables.take(k_active_environments);
    state.exported = true;
    state.value.text = std::move(active);
    variables.set(k_active_environments, std::move(state));
}
// Prepends environments to the active ones.
void prepend(const std::string& environments, std::string active, Variables& variables) {
    if (!starts_with(active, environments)) active.insert(0, environments);
    if (active.size() > k_longest_state) active.resize(active.rfind(':', k_longest_state) + 1);
    set_active(std::move(active), variables);
}

const std::vector<OptionForm>& venv_options() {
    static const std::vector<OptionForm> table = {
        {"-p --python"},  {"--prompt"},        {"--app-data"},  {"--seeder"},     {"--creator"},
        {"--activators"}, {"--cache-dir"},     {"--index-url"}, {"--index"},      {"--directory"},
        {"--project"},    {"--default-index"}, {"--link-mode"}, {"--find-links"}, {"--exclude-newer"}};
    return table;
}

// pip, uv and the like: an environment with only these contains nothing that could conflict.
bool installs_tools_only(const PipInstall& step) {
    return step.projects.empty() && all_of(step.requirements, [](const WrittenRequirement& one) {
               return is_one_of(one.name, {"pip", "setuptools", "wheel", "uv", "poetry", "pipx", "virtualenv",
                                           "pdm", "hatch", "pipenv", "build", "conda-lock"});
           });
}
bool installs_tools_only(const CondaInstall& step) {
    return all_of(step.specs, [](const CondaSpec& one) {
        return is_one_of(one.name,
                         {"conda", "mamba", "python", "pip", "conda-libmamba-solver", "setuptools"});
    });
}

// The Pythons for which `python3.8 -m pip`, `pip3.11` and the like install outside of environments that the
// recipe makes: each has its own packages.
std::set<std::string> named_pythons(const std::vector<const Step*>& steps) {
    std::set<std::string> named;
    for (const Step* step : steps) {
        const auto* pip = std::get_if<PipInstall>(step);
        if (pip && !pip->python.empty() && !installs_tools_only(*pip)) named.insert(pip->python);
    }
    return named;
}

// For all programs that are started later.
bool loads_module(const Command& command) {
    return !command.words.empty() && is_one_of(command.words[0].text, {"module", "ml"});
}

}  // namespace

std::string environment_folder(std::string path, const std::string& folder) {
    std::replace(path.begin(), path.end(), '\\', '/');
    if (path.size() > 1 && path[1] == ':') path.erase(0, 2);
    path = normal_path(join_path(folder, path), System::linux_);
    const std::size_t envs = path.rfind("/envs/");
    if (envs != std::string::npos && path.find('/', envs + 6) == std::string::npos)
        return path.substr(envs + 6);
    return path.empty() || path[0] != '/' ? "./" + path : path;
}

std::string environment_name(std::string_view word, const std::string& folder) {
    const bool path = word.find_first_of("/\\") != word.npos || starts_with(word, ".");
    return path ? environment_folder(std::string(word), folder) : std::string(word);
}

std::string environment_of_program(std::string_view program, const std::string& folder) {
    std::string path(program);
    std::replace(path.begin(), path.end(), '\\', '/');
    const std::string above = above_programs(parent_path(path));
    return above.empty() ? "" : environment_folder(above, folder);
}

std::string active_environments(const Inherited& inherited) {
    const Written* value = inherited.variable(k_active_environments);
    return value ? value->text : "";
}

std::string made_environment(const std::vector<Written>& words, const std::string& folder) {
    std::size_t from = 1;
    const std::string program = program_name(words.front().text);
    if (program == "uv") {
        if (words.size() < 2 || words[1].text != "venv") return "";
        from = 2;
    } else if (starts_with(program, "python")) {
        const bool venv =
            words.size() > 2 && words[1].text == "-m" && is_one_of(words[2].text, {"venv", "virtualenv"});
        if (!venv) return "";
        from = 3;
    } else if (program != "virtualenv" && program != "pyvenv") {
        return "";
    }
    std::string made = program == "uv" ? ".venv" : "";
    for (const Argument& argument : split_arguments(words, from, venv_options(), false)) {
        if (argument.option == "--system-site-packages") return "";
        if (argument.option.empty()) made = argument.value.text;
    }
    return made.empty() ? "" : environment_folder(made, folder);
}

std::string python_of_made(const std::vector<Written>& words) {
    const std::string program = program_name(words.front().text);
    if (starts_with(program, "python3.")) return program.substr(6);
    std::string python;
    for (const Argument& argument : split_arguments(words, 1, venv_options(), false))
        if (argument.option == "--python" && argument.value.known) python = argument.value.text;
    python = program_name(python);
    for (const char* start : {"cpython-", "cpython", "python"})
        if (starts_with(python, start)) python.erase(0, std::string_view(start).size());
    return python;
}

void activate(const std::string& environment, Variables& variables) {
    prepend(environment + ":", active_in(variables), variables);
}

void follow_activation(const std::vector<Written>& words, const std::string& folder, Variables& variables) {
    std::size_t at = 0;
    std::string program = program_name(words[at].text);
    const bool sourced = is_one_of(program, {".", "source", "call"});
    if (sourced && words.size() > 1) program = program_name(words[++at].text);
    const bool conda = is_one_of(program, {"conda", "mamba", "micromamba"}) && at + 1 < words.size();
    if (conda) program = words[++at].text;
    for (const char* ending : {".bat", ".ps1", ".fish"})
        if (ends_with(program, ending)) program.resize(program.size() - std::string_view(ending).size());
    if (program == "deactivate") {
        std::string active = active_in(variables);
        active.erase(0, std::min(active.find(':'), active.size() - 1) + 1);
        set_active(std::move(active), variables);
    } else if (program == "activate") {
        const std::string above = conda ? "" : environment_of_program(words[at].text, folder);
        const bool named = at + 1 < words.size() && !starts_with(words[at + 1].text, "-");
        if (named)
            activate(environment_name(words[at + 1].text, folder), variables);
        else if (!above.empty())
            activate(above, variables);
        else if (conda)
            activate(k_base_environment, variables);
    }
}

void follow_path(const std::string& name, const Written& value, const std::string& folder,
                 Variables& variables) {
    if (name == "PATH") {
        std::string environments;
        const bool adds = add_path(value.text, folder, environments);
        prepend(environments, adds ? active_in(variables) : "", variables);
    } else if ((name == "VIRTUAL_ENV" || name == "CONDA_DEFAULT_ENV") && value.known && !value.text.empty()) {
        activate(
            name[0] == 'V' ? environment_folder(value.text, folder) : environment_name(value.text, folder),
            variables);
    }
}

std::string activated_at_login(const Step& step) {
    const auto* command = std::get_if<Command>(&step);
    if (!command || command->words.empty() || program_name(command->words[0].text) != "echo") return "";
    for (std::size_t i = 1; i < command->words.size(); ++i) {
        const std::vector<std::string> words = split(command->words[i].text, " \t\n");
        for (std::size_t k = 1; k + 1 < words.size(); ++k)
            if (words[k] == "activate" && is_one_of(words[k - 1], {"conda", "source", "mamba", "micromamba"}))
                return environment_name(words[k + 1], "");
    }
    return "";
}

Environments::Environments(Steps steps) : m_steps(std::move(steps)) {
    std::set<std::string> made, used;
    const bool several_pythons = named_pythons(m_steps).size() > 1;
    bool any_command = false;
    std::string of_uv;
    // The first one that the recipe creates, or that has a conda name.
    const auto resolved = [&](const std::string& candidates, bool uv) -> std::string {
        for (const std::string& one : split(candidates, ":")) {
            if (one == k_base_environment) return "";
            if (!is_folder(one) || made.count(one)) return one;
        }
        return uv ? of_uv : "";
    };
    for (std::size_t at = 0; at < m_steps.size(); ++at) {
        const Step& step = *m_steps[at];
        Places* places = &m_common;
        const auto place = [&](const std::string& name, bool tools_only) {
            if (!tools_only) used.insert(name);
            places = &m_own[name];
        };
        if (const auto* command = std::get_if<Command>(&step)) {
            if (!command->makes.empty()) {
                made.insert(command->makes);
                if (program_name(command->words[0].text) == "uv") of_uv = command->makes;
            }
            const std::string name = resolved(command->environment, false);
            const bool of_all = loads_module(*command) || (name.empty() && several_pythons);
            if (!of_all) place(name, true);
            any_command = any_command || (name.empty() && !of_all);
        } else if (const auto* conda = std::get_if<CondaInstall>(&step)) {
            if (conda->creates && !conda->environment.empty())
                made.insert(split(conda->environment, ":").front());
            place(resolved(conda->environment, false), installs_tools_only(*conda));
        } else if (const auto* pip = std::get_if<PipInstall>(&step)) {
            const bool isolated = is_one_of(pip->environment, {"pipx", "uvx", k_collected});
            if (!isolated && !pip->makes.empty()) made.insert(of_uv = pip->makes);
            std::string name = isolated ? "" : resolved(pip->environment, pip->tool == "uv");
            if (name.empty() && !isolated && several_pythons && !pip->python.empty())
                name = "python" + pip->python;
            place(name, isolated || installs_tools_only(*pip));
        }
        places->push_back(at);
    }
    if (used.size() < 2) {
        m_made_one = !used.empty() && made.count(*used.begin()) != 0;
        m_names = {""};
        return;
    }
    if (any_command) used.insert("");
    m_names.assign(used.begin(), used.end());
}

Environments::Steps Environments::steps(const std::string& name) const {
    if (m_names.size() < 2) return m_steps;
    const auto own = m_own.find(name);
    Places places;
    const Places none;
    const Places& of_one = own == m_own.end() ? none : own->second;
    std::merge(m_common.begin(), m_common.end(), of_one.begin(), of_one.end(), std::back_inserter(places));
    Steps steps;
    for (const std::size_t at : places) steps.push_back(m_steps[at]);
    return steps;
}

}  // namespace ptxguard::recipes
