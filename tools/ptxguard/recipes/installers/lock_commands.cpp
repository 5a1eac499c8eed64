// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/lock_commands.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/pipfile.hpp"
#include "recipes/installers/pixi.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

// The operands after the verb, and the options that select an environment or a file.
struct LockArguments {
    std::string verb, environment, file;
};
LockArguments arguments_of(const Command& command) {
    static const std::vector<OptionForm> table = {{"-e --environment"}, {"-n --name"}, {"-p --prefix"},
                                                  {"--manifest-path"},  {"--conda"},   {"--mamba"}};
    LockArguments all;
    for (const Argument& argument : split_arguments(command.words, 1, table, false)) {
        const std::string& text = argument.value.text;
        if (argument.option == "--environment" || argument.option == "--name" ||
            argument.option == "--prefix")
            all.environment = text;
        if (!argument.option.empty()) continue;
        (all.verb.empty() ? all.verb : all.file) = text;
    }
    return all;
}

void put_into(const std::string& environment, std::vector<Step>& steps) {
    for (Step& step : steps) {
        if (auto* pip = std::get_if<PipInstall>(&step)) pip->environment = environment;
        if (auto* conda = std::get_if<CondaInstall>(&step)) conda->environment = environment;
    }
}

std::optional<FileText> lock_text(const std::string& name, const Command& command, const ReadFile& files) {
    return files ? files(name, command.words.front()) : std::nullopt;
}

// Linux on x86-64, or the only one.
const Stage* stage_for(const Recipe& recipe, const std::string& environment) {
    const std::string start = "environment " + environment + " (";
    const Stage* found = nullptr;
    for (const Stage& stage : recipe.stages)
        if (starts_with(stage.name, start) && (!found || stage.name == start + "linux-64)")) found = &stage;
    return found;
}

}  // namespace

std::optional<std::vector<Step>> read_lock_command(const Command& command, const ReadFile& files,
                                                   const Inherited& inherited) {
    const std::string program = program_name(command.words.front().text);
    if (program != "pixi" && program != "conda-lock") return std::nullopt;
    const LockArguments arguments = arguments_of(command);
    if (arguments.verb != "install" && !(program == "pixi" && arguments.verb == "reinstall"))
        return std::nullopt;
    std::vector<Step> steps;
    if (program == "pixi") {
        const std::string name = arguments.environment.empty() ? "default" : arguments.environment;
        const auto text = lock_text("pixi.lock", command, files);
        if (!text) return std::nullopt;
        Recipe recipe = read_pixi_lock(text->file, text->text);
        const Stage* stage = stage_for(recipe, name);
        if (!stage) return std::nullopt;
        steps = stage->steps;
        put_into("pixi-" + name, steps);
        return steps;
    }
    const auto text = lock_text(arguments.file.empty() ? "conda-lock.yml" : arguments.file, command, files);
    if (!text) return std::nullopt;
    Recipe recipe = read_conda_environment(text->file, text->text, files);
    if (recipe.stages.empty()) return std::nullopt;
    steps = std::move(recipe.stages.front().steps);
    put_into(arguments.environment.empty() ? active_environments(inherited)
                                           : environment_name(arguments.environment, inherited.folder),
             steps);
    return steps;
}

void add_pipfile(PipInstall& install, const ReadFile& files, const Inherited& inherited) {
    if (!files) return;
    auto text = files("Pipfile.lock", install.whole);
    const bool locked = text.has_value();
    if (!locked) text = files("Pipfile", install.whole);
    if (!text) return;
    Recipe recipe = locked ? read_pipfile_lock(text->file, text->text) : read_pipfile(text->file, text->text);
    inherited.problems.take(recipe.problems);
    for (Stage& stage : recipe.stages)
        for (Step& step : stage.steps)
            if (auto* pip = std::get_if<PipInstall>(&step)) {
                for (WrittenRequirement& one : pip->requirements) {
                    one.locked = locked;
                    install.requirements.push_back(std::move(one));
                }
                if (!install.index) install.index = pip->index;
            }
}

}  // namespace ptxguard::recipes
