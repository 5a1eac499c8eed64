// Options and variables of pip, uv, poetry and pdm that change which packages are installed from where.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pip.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/installers/lock_commands.hpp"
#include "recipes/installers/pip_options.hpp"
#include "recipes/installers/pip_reading.hpp"
#include "recipes/installers/poetry.hpp"
#include "recipes/installers/pyproject.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

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
                             "VLLM_TARGET_DEVICE", "FLASH_ATTENTION_SKIP_CUDA_BUILD",
                             "SAGEATTN_SKIP_CUDA_BUILD", "FAST_HADAMARD_TRANSFORM_SKIP_CUDA_BUILD"})
        if (const Written* value = reading.inherited.variable(name))
            reading.install.variables.push_back({name, *value});
    if (reading.truth("PIP_NO_INDEX")) reading.install.no_index = true;
    if (reading.truth("PIP_PRE")) reading.install.pre = true;
    if (reading.truth("PIP_NO_DEPS")) reading.install.no_deps = true;
}

// From "pip3.11", "python3.11".
std::string version_in(const std::string& program) {
    const std::size_t at = program.find("3.");
    return at == std::string::npos ? "" : program.substr(at);
}

// Of pip3.11, python3.11, and of the Pythons of manylinux: /opt/python/cp311-cp311/bin/pip.
std::string python_of_program(const std::string& program) {
    const std::string own = version_in(file_name(program));
    const std::size_t folder = program.find("/cp3");
    if (!own.empty() || folder == npos) return own;
    const std::size_t end = program.find_first_not_of("0123456789", folder + 4);
    const bool named = end != npos && end > folder + 4 && program[end] == '-';
    return named ? "3." + program.substr(folder + 4, end - folder - 4) : "";
}

// Platforms of the files that `pip download` asks for: whether one is Linux on x86-64, or none is named.
bool is_for_usual_platform(const std::vector<Argument>& arguments) {
    bool named = false, usual = false;
    for (const Argument& argument : arguments) {
        if (argument.option != "--platform") continue;
        named = true;
        usual =
            usual || (argument.value.text.find("linux") != npos && ends_with(argument.value.text, "x86_64"));
    }
    return usual || !named;
}

std::optional<PipInstall> read_pip(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, pip_options(), true);
    const auto* verb = first_where(arguments, [](const Argument& a) { return a.option.empty(); });
    if (!verb) return std::nullopt;
    reading.install.tool = "pip";
    if (verb->value.text == "uninstall") return read_uninstall(arguments, verb->index, reading);
    // Files that are only collected replace nothing that is there.
    const bool collects = verb->value.text == "download" || verb->value.text == "wheel";
    if (!collects && verb->value.text != "install") return std::nullopt;
    if (collects && !is_for_usual_platform(arguments)) return std::nullopt;
    if (collects) reading.install.environment = k_collected;
    reading.install.python = python_of_program(command.words.front().text);
    read_pip_variables(reading);
    for (const Argument& argument : arguments) {
        if (argument.index == verb->index) continue;
        if (argument.option.empty())
            reading.operand(argument.value);
        else if (!reading.option(argument.option, argument.value) && argument.index < command.words.size())
            reading.unknown_option(command.words[argument.index]);
    }
    return std::move(reading.install);
}

std::optional<PipInstall> read_poetry(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, poetry_options(), true);
    const auto operands = operands_of(arguments);
    const std::string verb = text_at(operands, 0);
    reading.install.tool = "poetry";
    for (const Argument& argument : arguments) {
        if (argument.option == "--extras" || argument.option == "--with" || argument.option == "--only")
            add_names(reading.extras, argument.value.text);
        if (argument.option == "--only") reading.install.parts.only_groups = true;
        if (is_one_of(argument.option, {"--only", "--no-root"})) reading.install.only_required = true;
    }
    if (contains(reading.extras, "main"))
        reading.install.parts.only_groups = false;  // the name of what is always installed
    if (verb == "install" || verb == "sync") {
        reading.add_here(command);
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
    for (const Argument& argument : arguments) {
        if (!argument.option.empty()) reading.option(argument.option, argument.value);
        if (argument.option == "--no-default") reading.install.parts.only_groups = true;
        if (is_one_of(argument.option, {"--no-self", "--no-default"})) reading.install.only_required = true;
    }
    for (std::size_t at = 1; at < operands.size(); ++at) reading.operand(operands[at]->value);
    if (operands.size() == 1 && !pipx) reading.add_here(command);
    return std::move(reading.install);
}

std::optional<PipInstall> read_any(const Command& command, PipReading& reading) {
    const std::string program = program_name(command.words.front().text);
    reading.install.whole = whole_of(command);
    if (program == "uv") return read_uv(command, reading);
    if (program == "uvx") return read_uvx(command, reading);
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
    PipReading reading{{}, files, inherited, {}, {}, 0};
    auto install = read_any(command, reading);
    if (install) add_projects(*install, reading.extras, files, inherited);
    if (install && !reading.left_out.empty())
        erase_if(install->requirements,
                 [&](const WrittenRequirement& one) { return contains(reading.left_out, one.name); });
    if (install && !reading.sources.empty()) {
        PipInstall others;
        others.projects = reading.sources;
        others.no_deps = install->no_deps;
        add_projects(others, reading.extras, files, inherited);
        append(install->requirements, others.requirements);
    }
    if (install && install->tool == "pipenv" && !install->projects.empty())
        add_pipfile(*install, files, inherited);
    return install;
}

}  // namespace ptxguard::recipes
