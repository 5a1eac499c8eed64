// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/project_steps.hpp"

#include "host/paths.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/builds/link_requests.hpp"
#include "recipes/builds/source_names.hpp"

namespace ptxguard::recipes {
namespace {

// `nvcc` with only the architecture flags: the command's sources are judged with its own file.
std::optional<Command> nvcc_with_flags(const Command& command) {
    RecipeFacts named;
    add_command(command, named);
    if (named.arch_lists.empty()) return std::nullopt;
    Command nvcc;
    nvcc.words = arch_flags(command);
    if (nvcc.words.empty()) return std::nullopt;
    nvcc.words.insert(nvcc.words.begin(), nvcc.words.front());
    nvcc.words.front().text = "nvcc";
    return nvcc;
}

void add_commands_of(const Command& command, bool only_fixed, std::vector<Step>& steps) {
    const std::string name = command.words.empty() ? "" : command.words[0].text;
    const bool links = is_one_of(
        name, {"target_link_libraries", "link_libraries", "add_library", "find_package", "ld", k_of_cmake});
    const bool selects = is_one_of(name, {k_selects_archs, k_used_names});
    for (auto one : {nvcc_with_flags(command), links ? with_parts(command) : std::nullopt,
                     selects ? std::optional(command) : std::nullopt})
        if (one && (!only_fixed || one->words.back().fixed || one->words[0].text == "add_library"))
            steps.push_back(std::move(*one));
}

// For nvcc, or for the CMake that calls it.
bool is_for_device_code(const SetVariable& variable) {
    RecipeFacts named;
    return is_standard_variable(variable.name) || variable.name == k_minimum_cmake ||
           add_arch_variable(variable, named);
}

}  // namespace

std::optional<FileText> file_in(const ReadFile& files, const std::string& folder, const char* name,
                                const Written& by) {
    return files ? files(normal_path(join_path(folder, name), System::linux_), by) : std::nullopt;
}

void add_device_code_of(const Recipe& recipe, bool only_fixed, const std::string& stage_name,
                        std::vector<Step>& steps, const std::map<std::string, std::string>& overridden) {
    for (const Stage& stage : recipe.stages) {
        if (!stage_name.empty() && stage.name != stage_name) continue;
        for (const Step& step : stage.steps) {
            if (const auto* command = std::get_if<Command>(&step)) {
                add_commands_of(*command, only_fixed, steps);
            } else if (const auto* variable = std::get_if<SetVariable>(&step)) {
                if (!overridden.count(variable->name) && (!only_fixed || variable->value.fixed) &&
                    is_for_device_code(*variable))
                    steps.push_back(*variable);
            } else if (const auto* extension = std::get_if<DeviceExtension>(&step)) {
                if (!only_fixed || extension->at.fixed) steps.push_back(step);
            }
        }
    }
}

}  // namespace ptxguard::recipes
