// Commands of uv.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/installers/pip.hpp"
#include "recipes/installers/pip_options.hpp"
#include "recipes/installers/pip_reading.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

// `uv pip` installs into VIRTUAL_ENV or --python, with --system into the first Python on PATH.
void environment_of_uv(const std::vector<Argument>& arguments, PipReading& reading) {
    const auto named = [&](const char* name) {
        const Written* value = reading.inherited.variable(name);
        return value && value->known ? value->text : std::string();
    };
    if (const std::string folder = named("VIRTUAL_ENV"); !folder.empty())
        reading.install.environment = environment_folder(folder, reading.inherited.folder);
    bool system = reading.truth("UV_SYSTEM_PYTHON");
    for (const Argument& argument : arguments) {
        system = system || argument.option == "--system";
        if (argument.option != "--python" || argument.value.text.find('/') == std::string::npos) continue;
        reading.install.environment = environment_of_program(argument.value.text, reading.inherited.folder);
        if (reading.install.environment.empty())
            reading.install.environment = environment_name(argument.value.text, reading.inherited.folder);
        return;
    }
    if (system) reading.install.environment = active_environments(reading.inherited) + k_base_environment;
}

// `uv sync` creates its own if there is none.
void environment_of_project(PipReading& reading) {
    const Written* folder = reading.inherited.variable("UV_PROJECT_ENVIRONMENT");
    reading.install.makes = environment_folder(folder ? folder->text : ".venv", reading.inherited.folder);
    reading.install.environment = reading.install.makes;
}

// The parts of the project that `uv sync` installs.
void choose_parts(const std::vector<Argument>& arguments, ChosenParts& parts) {
    for (const Argument& argument : arguments) {
        const std::string& name = argument.option;
        const std::string part = canonical_package(argument.value.text);
        if (is_one_of(name, {"--extra", "--no-extra", "--group", "--only-group", "--no-group"}))
            parts.known = parts.known && argument.value.known;
        if (name == "--extra") parts.extras.push_back(part);
        if (name == "--group" || name == "--only-group") parts.groups.push_back(part);
        if (name == "--no-extra") parts.without_extras.push_back(part);
        if (name == "--no-group") parts.without_groups.push_back(part);
        if (name == "--no-dev") parts.without_groups.push_back("dev");
        if (name == "--only-dev") parts.groups.push_back("dev");
        if (is_one_of(name, {"--only-group", "--only-dev"})) parts.only_groups = true;
        if (name == "--no-default-groups") parts.no_default_groups = true;
        if (name == "--all-extras") parts.all_extras = true;
        if (name == "--all-groups") parts.all_groups = true;
        // Of a workspace's member, or less than everything that it names.
        if (is_one_of(name, {"--package", "--all-packages"})) parts.known = false;
    }
}

// uv sync --no-install-package torch: it stays that of the image, or none is there.
void leave_out(const std::vector<Argument>& arguments, PipReading& reading) {
    for (const Argument& argument : arguments) {
        if (argument.option != "--no-install-package") continue;
        reading.left_out.push_back(canonical_package(argument.value.text));
        reading.install.unread = reading.install.unread || !argument.value.known;
    }
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

// `uvx [--from PACKAGE] [--with PACKAGE] TOOL ...` and `uv tool install PACKAGE`, each with an isolated
// environment; `uv run --with PACKAGE COMMAND`.
std::optional<PipInstall> read_uv_tool(const std::vector<Argument>& arguments, std::size_t skip, bool run,
                                       PipReading& reading) {
    reading.install.environment = "uvx";
    const bool installs =
        arguments.size() > 1 && arguments[0].value.text == "tool" && arguments[1].value.text == "install";
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
            if (installs) continue;
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

// Of `uv sync`: the project itself is neither built nor installed.
bool installs_no_project(const std::vector<Argument>& arguments, const PipReading& reading) {
    return reading.truth("UV_NO_INSTALL_PROJECT") || any_of(arguments, [](const Argument& one) {
               return is_one_of(one.option, {"--no-install-project", "--no-install-workspace",
                                             "--no-install-local", "--only-group", "--only-dev"});
           });
}

bool is_frozen(const std::vector<Argument>& arguments, const PipReading& reading) {
    return reading.truth("UV_FROZEN") ||
           any_of(arguments, [](const Argument& argument) { return argument.option == "--frozen"; });
}

// Of `uv pip sync` they are files.
void read_uv_operands(const std::vector<const Argument*>& operands, std::size_t from, bool files,
                      PipReading& reading) {
    for (std::size_t at = from; at < operands.size(); ++at) {
        if (files)
            reading.file(operands[at]->value, false);
        else
            reading.operand(operands[at]->value);
    }
}

}  // namespace

std::optional<PipInstall> read_uv(const Command& command, PipReading& reading) {
    const std::vector<Argument> arguments = split_arguments(command.words, 1, uv_options(), false);
    const auto operands = operands_of(arguments);
    reading.install.tool = "uv";
    read_uv_variables(reading);
    const std::string verb = text_at(operands, 0), second = text_at(operands, 1);
    if (verb == "tool" && is_one_of(second, {"run", "install"}))
        return read_uv_tool(arguments, 2, false, reading);
    if (verb == "run") return read_uv_tool(arguments, 1, true, reading);
    if (verb == "pip" && second == "uninstall") {
        environment_of_uv(arguments, reading);
        return read_uninstall(arguments, operands[1]->index, reading);
    }
    const bool pip = verb == "pip" && is_one_of(second, {"install", "sync"});
    if (!pip && !is_one_of(verb, {"add", "sync"})) return std::nullopt;
    reading.install.exact = verb == "sync" || second == "sync";
    reading.install.frozen = is_frozen(arguments, reading);
    for (const Argument& argument : arguments)
        if (!argument.option.empty()) reading.option(argument.option, argument.value);
    read_uv_operands(operands, pip ? 2 : 1, second == "sync", reading);
    if (pip)
        environment_of_uv(arguments, reading);
    else
        environment_of_project(reading);
    if (verb == "sync") {
        choose_parts(arguments, reading.install.parts);
        reading.install.only_required = installs_no_project(arguments, reading);
        leave_out(arguments, reading);
        reading.add_here(command);
    }
    return std::move(reading.install);
}

std::size_t begin_of_uv_run(const std::vector<Written>& words) {
    if (program_name(words[0].text) != "uv") return 0;
    const std::vector<Argument> arguments = split_arguments(words, 1, uv_options(), false);
    const auto operands = operands_of(arguments);
    const bool is_module = any_of(
        arguments, [](const Argument& one) { return one.option == "--marker" || one.option == "--module"; });
    return text_at(operands, 0) == "run" && operands.size() > 1 && !is_module ? operands[1]->index : 0;
}

std::optional<PipInstall> read_uvx(const Command& command, PipReading& reading) {
    reading.install.tool = "uv";
    read_uv_variables(reading);
    return read_uv_tool(split_arguments(command.words, 1, uv_options(), false), 0, false, reading);
}

}  // namespace ptxguard::recipes
