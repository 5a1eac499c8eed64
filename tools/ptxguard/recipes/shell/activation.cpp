// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/activation.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

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

}  // namespace

bool is_isolated(const PipInstall& install) { return is_one_of(install.environment, {"pipx", "uvx"}); }
bool is_apart(const PipInstall& install) {
    return is_isolated(install) || install.environment == k_collected;
}

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

}  // namespace ptxguard::recipes
