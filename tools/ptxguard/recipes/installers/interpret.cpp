// Finds the program that a command really starts, and calls the reader for its arguments.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/interpret.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/arch_settings.hpp"
#include "recipes/builds/project_build.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/builds/python_projects.hpp"
#include "recipes/installers/conda_command.hpp"
#include "recipes/installers/lock_commands.hpp"
#include "recipes/installers/pip.hpp"
#include "recipes/installers/system_packages.hpp"
#include "recipes/shell/activation.hpp"

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

// `pip config set global.index-url X`: as the variable with the same meaning.
std::optional<SetVariable> pip_setting(const Command& command) {
    std::vector<Written> words;
    for (std::size_t i = 1; i < command.words.size(); ++i)
        if (!starts_with(command.words[i].text, "-")) words.push_back(command.words[i]);
    if (words.size() != 4 || words[0].text != "config" || words[1].text != "set") return std::nullopt;
    const std::string name = words[2].text.substr(words[2].text.find('.') + 1);
    for (const auto& [option, variable] : {std::pair{"index-url", "PIP_INDEX_URL"},
                                           {"extra-index-url", "PIP_EXTRA_INDEX_URL"},
                                           {"find-links", "PIP_FIND_LINKS"},
                                           {"no-index", "PIP_NO_INDEX"},
                                           {"constraint", "PIP_CONSTRAINT"}})
        if (name == option) return SetVariable{variable, words[3], true};
    return std::nullopt;
}

// Of `cmake -S FOLDER`, `cmake ..`, `make -C FOLDER` in a cloned repository.
std::string repository_of_build(const Command& command, const Inherited& inherited) {
    const std::string program = program_name(command.words.front().text);
    if (program != "cmake" && program != "make") return "";
    static const std::vector<OptionForm> options = {{"-S"}, {"-C --directory"}, {"-B"}, {"-D"},
                                                    {"-G"}, {"-j", false}};
    std::string folder;
    for (const Argument& argument : split_arguments(command.words, 1, options, false))
        if (argument.option == (program == "cmake" ? "-S" : "--directory")) folder = argument.value.text;
    return inherited.checkout_at(folder);
}

}  // namespace

namespace {

// From the program's folder, `conda run -n`, the shell.
std::string environment_of(const Command& command, const Prefixed& prefixed, const Inherited& inherited) {
    std::string environment = environment_of_program(command.words.front().text, inherited.folder);
    if (environment.empty() && !prefixed.environment.empty())
        environment = environment_name(prefixed.environment, inherited.folder);
    return environment.empty() ? active_environments(inherited) : environment;
}

// The lists of architectures that a command gets from its environment.
std::vector<SetVariable> arch_lists_for(const Inherited& inherited) {
    std::vector<SetVariable> lists;
    for (const std::string_view name : arch_variables())
        if (const Written* value = inherited.variable(name)) lists.push_back({std::string(name), *value});
    return lists;
}

// What the files of the project set is for that project.
void mark_read(std::vector<Step>& steps) {
    for (Step& step : steps)
        if (auto* variable = std::get_if<SetVariable>(&step)) variable->by_project = true;
}

// Extensions of torch with an nvcc call of their own: torch's builder adds no architectures to flags that
// name some.
bool has_own_flags(const std::vector<Step>& code) {
    std::string file;
    for (const Step& step : code) {
        const auto* extension = std::get_if<DeviceExtension>(&step);
        if (extension && !extension->by_cmake) file = extension->at.file;
        const auto* nvcc = std::get_if<Command>(&step);
        if (nvcc && !file.empty() && nvcc->words[0].text == "nvcc" && nvcc->words[0].file == file)
            return true;
    }
    return false;
}

// TORCH_CUDA_ARCH_LIST=9.0 pip install .
std::vector<Step> steps_of_pip(PipInstall install, const std::vector<SetVariable>& variables,
                               const ReadFile& files, const Inherited& inherited) {
    std::vector<Step> steps;
    for (const SetVariable& own : variables)
        if (!own.lasts) steps.push_back(own);
    std::vector<Step> code =
        install.only_required ? std::vector<Step>{} : device_code_of_projects(install, files, inherited);
    mark_read(code);
    install.arch_lists = arch_lists_for(inherited);
    install.build = has_own_flags(code) ? ProjectBuild::native : build_of_projects(install, files);
    if (install.only_required) install.build = ProjectBuild::plain;
    steps.push_back(std::move(install));
    std::move(code.begin(), code.end(), std::back_inserter(steps));
    return steps;
}

// The command of `uv run [--with PACKAGE] COMMAND`, in the environment of the project.
std::optional<Command> command_of_uv(const Command& command, const Inherited& inherited) {
    const std::size_t begin = begin_of_uv_run(command.words);
    if (begin == 0) return std::nullopt;
    Command inner = command;
    inner.words.erase(inner.words.begin(), inner.words.begin() + static_cast<std::ptrdiff_t>(begin));
    const Written* folder = inherited.variable("UV_PROJECT_ENVIRONMENT");
    inner.environment = environment_folder(folder ? folder->text : ".venv", inherited.folder);
    if (ends_with(inner.words[0].text, ".py")) {
        inner.words.insert(inner.words.begin(), inner.words[0]);
        inner.words[0].text = "python";
    }
    return inner;
}

}  // namespace

std::vector<Step> interpret(const Command& given, const ReadFile& files, const Inherited& inherited) {
    if (given.words.empty()) return {};
    Command command = given;
    const Prefixed prefixed = behind_prefixes(given.words, true);
    append(command.variables, prefixed.variables);
    if (prefixed.begin < given.words.size())
        command.words.erase(command.words.begin(),
                            command.words.begin() + static_cast<std::ptrdiff_t>(prefixed.begin));
    Inherited with_own = inherited;
    with_own.variables = [&](std::string_view name) -> const Written* {
        for (const SetVariable& own : command.variables)
            if (own.name == name) return &own.value;
        return inherited.variable(name);
    };
    const Command inner = without_python(command);
    std::string environment =
        given.environment.empty() ? environment_of(command, prefixed, with_own) : given.environment;
    if (const auto run = command_of_uv(command, with_own)) {
        std::vector<Step> steps = interpret(*run, files, with_own);
        if (auto with = read_pip_command(inner, files, with_own))
            steps.insert(steps.begin(), std::move(*with));
        return steps;
    }
    if (auto install = read_pip_command(inner, files, with_own)) {
        if (install->environment.empty()) install->environment = environment;
        install->config_settings = config_settings_in(inner.words);
        return steps_of_pip(std::move(*install), command.variables, files, with_own);
    }
    if (starts_with(lower(file_name(inner.words.front().text)), "pip"))
        if (auto setting = pip_setting(inner)) return {std::move(*setting)};
    if (auto steps = read_conda_command(command, files, with_own)) return std::move(*steps);
    if (auto steps = read_lock_command(command, files, with_own)) return std::move(*steps);
    if (auto install = read_system_install(command)) return {std::move(*install)};
    command.makes = made_environment(command.words, inherited.folder);
    command.repository = repository_of_build(command, inherited);
    command.environment = environment;
    std::vector<Step> steps = device_code_of_project(command, files, with_own);
    mark_read(steps);
    command.arch_lists = arch_lists_for(with_own);
    if (!command.arch_lists.empty())
        command.build = has_own_flags(steps) ? ProjectBuild::native : build_of_command(command, files);
    if (auto install = cloned_setup(command, with_own)) {
        install->environment = std::move(environment);
        install->arch_lists = command.arch_lists;
        steps.insert(steps.begin(), std::move(*install));
    }
    steps.insert(steps.begin(), std::move(command));
    return steps;
}

}  // namespace ptxguard::recipes
