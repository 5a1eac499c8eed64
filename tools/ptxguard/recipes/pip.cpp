// Options and variables of pip, uv, poetry and pdm that change which packages are installed from where.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/pip.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/environments.hpp"
#include "recipes/lock_commands.hpp"
#include "recipes/pip_options.hpp"
#include "recipes/poetry.hpp"
#include "recipes/projects.hpp"
#include "recipes/pyproject.hpp"
#include "recipes/requirements.hpp"

namespace ptxguard::recipes {
namespace {

void add_names(std::vector<std::string>& names, const std::string& list) {
    for (const std::string& name : split(list, ", ")) {
        if (name == ":none:")
            names.clear();
        else
            names.push_back(name);
    }
}

constexpr Limit k_most_pip_files{50, "files of one pip command", "later files"};

struct PipReading {
    PipInstall install;
    const ReadFile& files;
    const Inherited& inherited;
    std::vector<std::string> extras;  // and groups, of the project in the working folder

    std::size_t count = 0;  // of files in the command

    void file(const Written& name, bool constraints) {
        if (inherited.problems.exceeds(k_most_pip_files, ++count, name)) return;
        const auto text = files && name.known ? files(name.text, name) : std::nullopt;
        install.unread = install.unread || !text || !text->known;
        if (text && text->known)
            read_requirements(name.text, *text, constraints, files, inherited, install);
        else if (!text && inherited.checkout_at(name.text).empty())
            inherited.problems.push_back(not_in_repository(name));
    }

    void operand(const Written& word) {
        if (is_project(word.text))
            project(word);
        else
            install.requirements.push_back(read_requirement(word));
    }

    void project(const Written& word) {
        install.projects.push_back(word);
        if (auto cloned = cloned_project(word, inherited)) install.checkouts.push_back(std::move(*cloned));
    }

    // A folder, possibly without "/" in its name, or a repository.
    void editable(const Written& value) {
        if (value.text.find(':') == std::string::npos && value.text.find('@') == std::string::npos)
            project(value);
        else
            operand(value);
    }

    // The options that pip, uv and their variables share.
    bool option(const std::string& name, const Written& value) {
        if (name == "--requirement" || name == "--requirements" || name == "--with-requirements")
            file(value, false);
        else if (name == "--constraint" || name == "--constraints" || name == "--overrides")
            file(value, true);
        else if (name == "--editable" || name == "--with-editable")
            editable(value);
        else if (name == "--index-url" || name == "--default-index")
            install.index = value;
        else if (name == "--extra-index-url")
            install.extra_indexes.push_back(value);
        else if (name == "--index")
            add_named_index(value);
        else if (name == "--find-links")
            install.find_links.push_back(value);
        else if (name == "--torch-backend")
            install.torch_backend = value;
        else if (name == "--index-strategy")
            install.index_strategy = value.text;
        else if (name == "--no-index")
            install.no_index = true;
        else if (name == "--pre" || name == "--prerelease")
            install.pre = name == "--pre" || value.text == "allow";
        else if (name == "--inexact")
            install.exact = false;
        else if (name == "--no-deps")
            install.no_deps = true;
        else if (name == "--upgrade" || name == "--force-reinstall" || name == "--ignore-installed" ||
                 name == "--reinstall")
            install.upgrade = true;
        else if (name == "--no-build-isolation")
            install.no_build_isolation = true;
        else if (name == "--no-build-isolation-package")
            install.not_isolated.push_back(canonical_package(value.text));
        else if (name == "--no-binary" || name == "--no-binary-package")
            add_names(install.no_binary, value.text);
        else if (name == "--python" || name == "--python-version")
            python(value.text);
        else if (name == "--extra" || name == "--extras" || name == "--group" || name == "--only-group")
            add_names(extras, value.text);
        else
            return false;
        return true;
    }

    // uv: "URL" or "NAME=URL".
    void add_named_index(const Written& value) {
        const std::size_t equals = value.text.find('=');
        const std::size_t scheme = value.text.find("://");
        const bool named = equals != std::string::npos && equals < scheme;
        install.extra_indexes.push_back(named ? part_of(value, equals + 1) : value);
    }

    // "3.11", "cpython-3.11", "/usr/bin/python3.11"; an environment's folder does not show the version.
    void python(const std::string& text) {
        const std::size_t at = text.find("3.");
        if (at != std::string::npos &&
            (at == 0 || text.find_last_of("/\\") == std::string::npos || text.find_last_of("/\\") < at))
            install.python = text.substr(at);
    }

    void variable(const char* name, const char* option_name) {
        const Written* value = inherited.variable(name);
        if (!value || !*value) return;
        const std::string_view option_text = option_name;
        const bool several = option_text != "--index-url" && option_text != "--torch-backend";
        std::size_t at = 0;
        while (several && at < value->text.size()) {
            const std::size_t start = value->text.find_first_not_of(" \t\n", at);
            if (start == std::string::npos) return;
            const std::size_t end = std::min(value->text.find_first_of(" \t\n", start), value->text.size());
            option(option_name, part_of(*value, start, end - start));
            at = end;
        }
        if (!several) option(option_name, *value);
    }

    // `uv pip` installs into VIRTUAL_ENV or --python, with --system into the first Python on PATH.
    void environment_of_uv(const std::vector<Argument>& arguments) {
        const auto named = [&](const char* name) {
            const Written* value = inherited.variable(name);
            return value && value->known ? value->text : std::string();
        };
        if (const std::string folder = named("VIRTUAL_ENV"); !folder.empty())
            install.environment = environment_folder(folder, inherited.folder);
        bool system = truth("UV_SYSTEM_PYTHON");
        for (const Argument& argument : arguments) {
            system = system || argument.option == "--system";
            if (argument.option != "--python" || argument.value.text.find('/') == std::string::npos) continue;
            install.environment = environment_of_program(argument.value.text, inherited.folder);
            if (install.environment.empty())
                install.environment = environment_name(argument.value.text, inherited.folder);
            return;
        }
        if (system) install.environment = active_environments(inherited) + k_base_environment;
    }

    // `uv sync` creates its own if there is none.
    void environment_of_project() {
        const Written* folder = inherited.variable("UV_PROJECT_ENVIRONMENT");
        install.makes = environment_folder(folder ? folder->text : ".venv", inherited.folder);
        install.environment = install.makes;
    }

    // A pip variable that enables something.
    bool truth(const char* name) const {
        const Written* value = inherited.variable(name);
        if (!value || !*value) return false;
        const std::string text = lower(value->text);
        return text == "1" || text == "true" || text == "yes" || text == "on" || text == "y" || text == "t";
    }
};

void read_pip_variables(PipReading& reading) {
    reading.variable("PIP_INDEX_URL", "--index-url");
    reading.variable("PIP_EXTRA_INDEX_URL", "--extra-index-url");
    reading.variable("PIP_FIND_LINKS", "--find-links");
    reading.variable("PIP_NO_BINARY", "--no-binary");
    reading.variable("PIP_CONSTRAINT", "--constraint");
    reading.variable("PIP_REQUIREMENT", "--requirement");
    reading.variable("PIP_NO_BUILD_ISOLATION", "--no-build-isolation");  // set to 0, it turns it on
    if (const Written* value = reading.inherited.variable("CMAKE_ARGS")) reading.install.cmake_args = *value;
    for (const char* name : {"DS_BUILD_OPS", "DS_BUILD_FUSED_ADAM", "DS_BUILD_CPU_ADAM", "HOROVOD_GPU",
                             "HOROVOD_GPU_OPERATIONS", "HOROVOD_GPU_ALLREDUCE", "VLLM_USE_PRECOMPILED",
                             "VLLM_TARGET_DEVICE", "FLASH_ATTENTION_SKIP_CUDA_BUILD"})
        if (const Written* value = reading.inherited.variable(name))
            reading.install.variables.push_back({name, *value});
    if (reading.truth("PIP_NO_INDEX")) reading.install.no_index = true;
    if (reading.truth("PIP_PRE")) reading.install.pre = true;
    if (reading.truth("PIP_NO_DEPS")) reading.install.no_deps = true;
}

void read_uv_variables(PipReading& reading) {
    reading.variable("UV_INDEX_URL", "--index-url");
    reading.variable("UV_DEFAULT_INDEX", "--index-url");
    reading.variable("UV_INDEX", "--index");
    reading.variable("UV_EXTRA_INDEX_URL", "--extra-index-url");
    reading.variable("UV_FIND_LINKS", "--find-links");
    reading.variable("UV_CONSTRAINT", "--constraint");
    reading.variable("UV_INDEX_STRATEGY", "--index-strategy");
    reading.variable("UV_PRERELEASE", "--prerelease");
    reading.variable("UV_TORCH_BACKEND", "--torch-backend");
    if (reading.truth("UV_NO_INDEX")) reading.install.no_index = true;
    if (reading.truth("UV_NO_BUILD_ISOLATION")) reading.install.no_build_isolation = true;
}

// From "pip3.11", "python3.11".
std::string version_in(const std::string& program) {
    const std::size_t at = program.find("3.");
    return at == std::string::npos ? "" : program.substr(at);
}

// `pip uninstall`, `uv pip uninstall`: the operands behind the verb.
std::optional<PipInstall> read_uninstall(const std::vector<Argument>& arguments, std::size_t verb,
                                         PipReading& reading) {
    for (const Argument& argument : arguments)
        if (argument.option.empty() && argument.index > verb && argument.value.known)
            reading.install.removed.push_back(canonical_package(argument.value.text));
    if (reading.install.removed.empty()) return std::nullopt;
    return std::move(reading.install);
}

std::optional<PipInstall> read_pip(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, pip_options(), true);
    const auto verb =
        std::find_if(arguments.begin(), arguments.end(), [](const Argument& a) { return a.option.empty(); });
    if (verb == arguments.end()) return std::nullopt;
    reading.install.tool = "pip";
    if (verb->value.text == "uninstall") return read_uninstall(arguments, verb->index, reading);
    if (verb->value.text != "install") return std::nullopt;
    reading.install.python = version_in(file_name(command.words.front().text));
    read_pip_variables(reading);
    for (const Argument& argument : arguments) {
        if (argument.index == verb->index) continue;
        if (argument.option.empty())
            reading.operand(argument.value);
        else
            reading.option(argument.option, argument.value);
    }
    return std::move(reading.install);
}

std::string text_at(const std::vector<const Argument*>& operands, std::size_t at) {
    return at < operands.size() ? operands[at]->value.text : std::string();
}

// The project in the working folder: requirements of its pyproject.toml and lock file.
void add_here(const Command& command, PipInstall& install) {
    Written here = command.words.front();
    here.text = ".";
    install.projects.push_back(here);
}

// `uvx [--from PACKAGE] [--with PACKAGE] TOOL ...` and `uv tool install PACKAGE`, each with an isolated
// environment; `uv run --with PACKAGE COMMAND`.
std::optional<PipInstall> read_uv_tool(const std::vector<Argument>& arguments, std::size_t skip, bool run,
                                       PipReading& reading) {
    reading.install.environment = "uvx";
    bool from = false, any = run;
    std::size_t operands = 0;
    for (const Argument& argument : arguments) {
        if (argument.option.empty()) {
            if (operands++ < skip) continue;
            // "ruff@0.6": the tool's version.
            Written word = argument.value;
            const std::size_t at = word.text.find('@');
            if (at != std::string::npos && word.text.find("://") == std::string::npos)
                word.text.replace(at, 1, "==");
            if (!run && !from) reading.operand(word), any = true;
            break;  // the rest belongs to the tool
        }
        if (argument.option == "--from") from = any = true;
        if (argument.option == "--from" || argument.option == "--with")
            reading.operand(argument.value);
        else
            reading.option(argument.option, argument.value);
    }
    if (!any || (run && reading.install.requirements.empty())) return std::nullopt;
    return std::move(reading.install);
}

std::optional<PipInstall> read_uv(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, uv_options(), false);
    const auto operands = operands_of(arguments);
    reading.install.tool = "uv";
    read_uv_variables(reading);
    const std::string verb = text_at(operands, 0), second = text_at(operands, 1);
    if (verb == "tool" && (second == "run" || second == "install"))
        return read_uv_tool(arguments, 2, false, reading);
    if (verb == "run") return read_uv_tool(arguments, 1, true, reading);
    if (verb == "pip" && second == "uninstall") {
        reading.environment_of_uv(arguments);
        return read_uninstall(arguments, operands[1]->index, reading);
    }
    const bool pip = verb == "pip" && (second == "install" || second == "sync");
    if (!pip && verb != "add" && verb != "sync") return std::nullopt;
    reading.install.exact = verb == "sync" || second == "sync";
    for (const Argument& argument : arguments)
        if (!argument.option.empty()) reading.option(argument.option, argument.value);
    for (std::size_t at = pip ? 2 : 1; at < operands.size(); ++at) {
        if (second == "sync")
            reading.file(operands[at]->value, false);
        else
            reading.operand(operands[at]->value);
    }
    if (pip) reading.environment_of_uv(arguments);
    if (!pip) reading.environment_of_project();
    if (verb == "sync") add_here(command, reading.install);
    return std::move(reading.install);
}

std::optional<PipInstall> read_poetry(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, poetry_options(), true);
    const auto operands = operands_of(arguments);
    const std::string verb = text_at(operands, 0);
    reading.install.tool = "poetry";
    for (const Argument& argument : arguments)
        if (argument.option == "--extras" || argument.option == "--with" || argument.option == "--only")
            add_names(reading.extras, argument.value.text);
    if (verb == "install" || verb == "sync") {
        add_here(command, reading.install);
        reading.install.exact = verb == "sync";
        return std::move(reading.install);
    }
    if (verb != "add") return std::nullopt;
    read_pip_variables(reading);
    for (std::size_t at = 1; at < operands.size(); ++at) {
        // "torch@^2.1": poetry's own notation.
        Written word = operands[at]->value;
        const std::size_t sign = word.text.find('@');
        if (sign == std::string::npos || word.text.find("://") != std::string::npos ||
            is_project(word.text)) {
            reading.operand(word);
            continue;
        }
        WrittenRequirement requirement = read_requirement(part_of(word, 0, sign));
        requirement.whole = word;
        requirement.specifier = poetry_specifier(std::string_view(word.text).substr(sign + 1));
        reading.install.requirements.push_back(std::move(requirement));
    }
    return std::move(reading.install);
}

// pdm, pipenv and pipx.
std::optional<PipInstall> read_other(const Command& command, const std::string& program,
                                     PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, other_options(), true);
    const auto operands = operands_of(arguments);
    const std::string verb = text_at(operands, 0);
    const bool pipx = program == "pipx";
    if (verb != "install" && verb != "sync" && !(program == "pdm" && verb == "add")) return std::nullopt;
    reading.install.tool = pipx ? "pip" : program;
    if (pipx) reading.install.environment = "pipx";
    read_pip_variables(reading);
    for (const Argument& argument : arguments)
        if (!argument.option.empty()) reading.option(argument.option, argument.value);
    for (std::size_t at = 1; at < operands.size(); ++at) reading.operand(operands[at]->value);
    if (operands.size() == 1 && !pipx) add_here(command, reading.install);
    return std::move(reading.install);
}

std::optional<PipInstall> read_any(const Command& command, PipReading& reading) {
    const std::string program = lower(file_name(command.words.front().text));
    reading.install.whole = whole_of(command);
    if (program == "uv") return read_uv(command, reading);
    if (program == "uvx") {
        reading.install.tool = "uv";
        read_uv_variables(reading);
        return read_uv_tool(split_arguments(command.words, 1, uv_options(), false), 0, false, reading);
    }
    if (program == "poetry") return read_poetry(command, reading);
    if (program == "pdm" || program == "pipenv" || program == "pipx")
        return read_other(command, program, reading);
    if (starts_with(program, "pip") && program.find_first_not_of("0123456789.", 3) == std::string::npos)
        return read_pip(command, reading);
    return std::nullopt;
}

}  // namespace

std::optional<PipInstall> read_pip_command(const Command& command, const ReadFile& files,
                                           const Inherited& inherited) {
    PipReading reading{{}, files, inherited, {}, 0};
    auto install = read_any(command, reading);
    if (install) add_projects(*install, reading.extras, files, inherited);
    if (install && install->tool == "pipenv" && !install->projects.empty())
        add_pipfile(*install, files, inherited);
    return install;
}

}  // namespace ptxguard::recipes
