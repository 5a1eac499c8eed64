// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/python_projects.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/builds/cmake_projects.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/builds/project_build.hpp"
#include "recipes/builds/project_steps.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/builds/source_names.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// The names of CUDA in the sources that a setup.py passes to its extensions.
void add_compiled(const Recipe& script, const ReadFile& files, std::vector<Step>& steps) {
    for (const Stage& stage : script.stages)
        for (const Step& step : stage.steps) {
            const auto* command = std::get_if<Command>(&step);
            if (!command || command->words.empty() || command->words[0].text != k_compiled_sources) continue;
            if (auto names = names_in_sources({command->words.begin() + 1, command->words.end()}, files))
                steps.push_back(std::move(*names));
        }
}

void add_setup_script(const std::string& folder, const Written& by, const FileText& setup,
                      const ReadFile& files, const Inherited& inherited, std::vector<Step>& steps) {
    const auto cuda = release_named_by(inherited);
    ScriptBuild build;
    if (cuda && cuda->fixed) build.cuda = cuda->version;
    build.environment = [&](std::string_view name) { return inherited.variable(name); };
    const std::size_t before = steps.size();
    const Recipe script = read_setup_script(setup.file, setup.text, files, build);
    add_device_code_of(script, false, "", steps);
    const auto own = file_in(files, folder, "pyproject.toml", by);
    for (std::size_t i = before; own && i < steps.size(); ++i)
        if (auto* extension = std::get_if<DeviceExtension>(&steps[i]))
            extension->torch = build_torch_of(own->file, own->text);
    add_compiled(script, files_below(folder, files), steps);
}

using Definitions = std::map<std::string, std::string>;

// "-DNAME=VALUE -DOTHER=VALUE"
void add_definitions(const std::string& arguments, const char* separators, Definitions& given) {
    for (const std::string& word : split(arguments, separators))
        if (const auto defined = cmake_definition(word)) given[defined->first] = defined->second;
}

// cmake.define.NAME=VALUE, cmake.args=-DNAME=VALUE;-DOTHER=VALUE. Adds the lists of architectures.
void add_settings(const std::vector<Written>& settings, Definitions& given, std::vector<Step>& steps) {
    for (const Written& setting : settings) {
        const std::size_t equals = setting.text.find('=');
        if (equals == npos || !starts_with(setting.text, "cmake.")) continue;
        Written value = setting;
        value.text.erase(0, equals + 1);
        const std::string key = setting.text.substr(0, equals), define = "cmake.define.";
        if (key == "cmake.args") add_definitions(value.text, ";", given);
        if (!starts_with(key, define)) continue;
        const std::string name = key.substr(define.size());
        given[name] = value.text;
        if (is_arch_variable(name)) steps.push_back(SetVariable{name, std::move(value)});
    }
}

// What CMake gets from the project's table, the variables that scikit-build-core reads, and the command.
Definitions definitions_for(const FileText& project, const Inherited& inherited) {
    const auto root = tree_of_pyproject(project.text, project.file);
    Definitions given = root ? cmake_definitions_of(*root) : Definitions{};
    for (const auto& [name, separators] :
         {std::pair("CMAKE_ARGS", " \t\n"), std::pair("SKBUILD_CMAKE_ARGS", ";")})
        if (const Written* value = inherited.variable(name)) add_definitions(value->text, separators, given);
    if (const Written* value = inherited.variable("SKBUILD_CMAKE_DEFINE"))
        for (const std::string& word : split(value->text, ";")) add_definitions("-D" + word, ";", given);
    return given;
}

}  // namespace

void add_python_project(const std::string& folder, const Written& by, const std::vector<Written>& settings,
                        const ReadFile& files, const Inherited& inherited, std::vector<Step>& steps) {
    if (const auto setup = file_in(files, folder, "setup.py", by))
        return add_setup_script(folder, by, *setup, files, inherited, steps);
    const auto project = file_in(files, folder, "pyproject.toml", by);
    if (!project) return;
    Definitions given = definitions_for(*project, inherited);
    std::vector<Step> own = cmake_settings_of(project->file, project->text);
    add_settings(settings, given, own);
    append(steps, own);
    if (!own.empty()) return;  // they override those of CMakeLists.txt
    if (project->text.find("scikit") == npos && project->text.find("cmake") == npos) return;
    if (const auto lists = file_in(files, folder, "CMakeLists.txt", by))  // scikit-build-core
        add_cmake_lists(*lists, given, files_below(folder, files), release_named_by(inherited), steps);
}

std::vector<Written> config_settings_in(const std::vector<Written>& words) {
    static const std::vector<OptionForm> options = {{"-C --config-settings --config-setting"}};
    std::vector<Written> settings;
    for (const Argument& argument : split_arguments(words, 1, options, false))
        if (argument.option == "--config-settings" && argument.value.known)
            settings.push_back(argument.value);
    return settings;
}

void add_built_python_project(const Command& command, const ReadFile& files, const Inherited& inherited,
                              std::vector<Step>& steps) {
    static const std::vector<OptionForm> options = {{"-C --config-settings --config-setting"},
                                                    {"-o --outdir --out-dir"},
                                                    {"-p --python"},
                                                    {"-f --format"},
                                                    {"-i --index-url --index"},
                                                    {"--installer"},
                                                    {"--package"},
                                                    {"-P --project"}};
    const std::vector<Written>& words = command.words;
    const auto is_build = [](const Written& word) { return word.text == "build"; };
    const auto verb = std::find_if(words.begin(), words.end(), is_build);
    const bool names_none = program_name(words[0].text) == "pyproject-build";
    if (!builds_python_project(command) || (verb == words.end() && !names_none)) return;
    Written folder = words[0];
    folder.text = ".";
    const auto first = names_none ? 1 : static_cast<std::size_t>(verb - words.begin()) + 1;
    for (const Argument& argument : split_arguments(words, first, options, false))
        if (argument.option.empty() && argument.value.known) folder = argument.value;
    add_python_project(folder.text, folder, config_settings_in(words), files, inherited, steps);
}

}  // namespace ptxguard::recipes
