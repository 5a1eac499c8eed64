// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_projects.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "expect/cuda_names.hpp"
#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/remembered.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/builds/project_steps.hpp"
#include "recipes/builds/projects.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// Whether one of them says the same, wherever.
bool has(const std::vector<Step>& steps, const Step& step) {
    const auto text_of = [](const Step& one) {
        if (const auto* variable = std::get_if<SetVariable>(&one))
            return variable->name + variable->value.text;
        std::string text;
        if (const auto* command = std::get_if<Command>(&one))
            for (const Written& word : command->words) text += word.text + " ";
        return text;
    };
    return any_of(
        steps, [&](const Step& one) { return one.index() == step.index() && text_of(one) == text_of(step); });
}

// cmake_minimum_required(VERSION 3.24...4.0); an older one ends with an error.
std::string oldest_cmake(const std::string& lists) {
    const Version usual = *parse_version("3.10");
    for (const CMakeCommand& command : read_cmake_commands(lists)) {
        if (command.name != "cmake_minimum_required" || command.arguments.size() < 2) continue;
        const std::string& range = command.arguments[1];
        const auto version = parse_version(range.substr(0, range.find("...")));
        return version && usual < *version ? version->text : usual.text;
    }
    return usual.text;
}

// What CMake files select with every release of CMake that may be there.
std::vector<Step> with_any_cmake(const FileText& lists, const std::map<std::string, std::string>& given,
                                 const ReadFile& files, const std::optional<Version>& cuda) {
    std::vector<std::vector<Step>> all;
    const bool compares = lists.text.find("CMAKE_VERSION") != npos;
    for (const std::string& release : {std::string("4.0"), compares ? oldest_cmake(lists.text) : ""}) {
        if (!all.empty() && !compares) break;
        std::map<std::string, std::string> values = given;
        values.emplace("CMAKE_VERSION", release);
        add_device_code_of(read_cmake_lists(lists.file, lists.text, files, values, cuda), true, "",
                           all.emplace_back(), given);
    }
    std::vector<Step> steps;
    for (Step& step : all.front())
        if (std::all_of(all.begin() + 1, all.end(), [&](const auto& other) { return has(other, step); }))
            steps.push_back(std::move(step));
    return steps;
}

// What only a release decides that others may override, they override too.
std::vector<Step> steps_of_cmake_lists(const FileText& lists, const std::map<std::string, std::string>& given,
                                       const ReadFile& files, const std::optional<NamedRelease>& cuda) {
    std::vector<Step> steps =
        with_any_cmake(lists, given, files, cuda ? std::optional(cuda->version) : std::nullopt);
    if (!cuda || cuda->fixed) return steps;
    const std::vector<Step> always = with_any_cmake(lists, given, files, {});
    for (Step& step : steps)
        if (!has(always, step)) make_open(step);
    return steps;
}

// -DNAME=VALUE, -D NAME:TYPE=VALUE
std::map<std::string, std::string> defined_in(const Command& command) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const bool apart = command.words[i - 1].text == "-D";
        if (auto defined = cmake_definition((apart ? "-D" : "") + command.words[i].text))
            values.insert(std::move(*defined));
    }
    return values;
}

// --toolchain FILE, -DCMAKE_TOOLCHAIN_FILE=FILE
std::optional<FileText> toolchain_of(const Command& command,
                                     const std::map<std::string, std::string>& defined,
                                     const ReadFile& files) {
    const auto option = defined.find("CMAKE_TOOLCHAIN_FILE");
    std::string path = option == defined.end() ? "" : option->second;
    for (std::size_t i = 1; i + 1 < command.words.size(); ++i)
        if (command.words[i].text == "--toolchain") path = command.words[i + 1].text;
    if (path.empty() || path.find('$') != npos) return std::nullopt;
    Written by = command.words.front();
    by.text = path;
    return files(normal_path(path, System::linux_), by);
}

// The variables that a toolchain file sets outside of conditions, before the project.
std::map<std::string, std::string> set_in(const FileText& toolchain) {
    std::map<std::string, std::string> values;
    int depth = 0;
    for (const CMakeCommand& command : read_cmake_commands(toolchain.text)) {
        if (is_one_of(command.name, {"if", "function", "macro", "foreach", "while"})) ++depth;
        if (starts_with(command.name, "end")) --depth;
        const std::vector<std::string>& words = command.arguments;
        if (depth > 0 || command.name != "set" || words.size() < 2 || words[1].find('$') != npos) continue;
        std::string value = words[1];
        for (std::size_t i = 2; i < words.size() && words[i] != "CACHE"; ++i) value += ";" + words[i];
        values[words[0]] = value;
    }
    return values;
}

}  // namespace

std::optional<NamedRelease> release_named_by(const Inherited& inherited) {
    for (const char* name : {"CUDA_VERSION", "CUDA_PATH", "CUDA_HOME"}) {
        const Written* value = inherited.variable(name);
        if (!value || !value->known) continue;
        const std::string last = file_name(value->text);
        const std::size_t digits = last.find_first_of("0123456789");
        const auto version = digits == npos ? std::nullopt : parse_version(last.substr(digits));
        if (version && version->numbers.size() > 1 && plausible(*version))
            return NamedRelease{*version, value->fixed};
    }
    return std::nullopt;
}

ReadFile files_below(const std::string& folder, const ReadFile& files) {
    return files.instead([folder, &files](const std::string& path, const Written& by) {
        return files(normal_path(join_path(folder, path), System::linux_), by);
    });
}

ConfiguredProject configured_project(const Command& command) {
    static const std::vector<OptionForm> options = {{"-S"}, {"-B"}, {"-G"},       {"-D"},
                                                    {"-C"}, {"-T"}, {"-A"},       {"-U"},
                                                    {"-W"}, {"-H"}, {"--preset"}, {"--toolchain"}};
    ConfiguredProject project;
    project.source = command.words.front();
    project.source.text.clear();
    for (const Argument& argument : split_arguments(command.words, 1, options, false)) {
        const bool operand = argument.option.empty() && !project.source;
        if (argument.option == "-S" || argument.option == "-H" || operand) project.source = argument.value;
        project.builds_elsewhere = project.builds_elsewhere || argument.option == "-B";
        if (argument.option == "--preset") project.preset = argument.value.text;
    }
    return project;
}

// Each row of a matrix may configure the same project with the same options.
void add_cmake_lists(const FileText& lists, const std::map<std::string, std::string>& given,
                     const ReadFile& files, const std::optional<NamedRelease>& cuda,
                     std::vector<Step>& steps) {
    constexpr std::size_t k_kept_projects = 64, k_times_for_executing = 3;
    using Key =
        std::tuple<std::string, std::string, std::map<std::string, std::string>, std::optional<NamedRelease>>;
    thread_local Remembered<Key, std::vector<Step>, k_kept_projects> kept;
    const auto executed = [&](const ReadFile& noted) {
        std::size_t bytes = lists.text.size();
        const ReadFile counted = noted.instead([&](const std::string& path, const Written& by) {
            auto text = noted(path, by);
            if (text) bytes += text->text.size();
            return text;
        });
        std::vector<Step> selected = steps_of_cmake_lists(lists, given, counted, cuda);
        files.budget().spend_bytes(bytes * k_times_for_executing);
        return selected;
    };
    if (const auto known = kept.get({lists.file, lists.text, given, cuda}, files, executed))
        append(steps, *known);
}

void add_cmake_project(const Command& command, const ReadFile& files, const Inherited& inherited,
                       std::vector<Step>& steps) {
    if (!configures(command)) return;
    const auto [source, preset, builds_elsewhere] = configured_project(command);
    if (!source && !builds_elsewhere && preset.empty()) return;
    if (!preset.empty())
        if (const auto presets = file_in(files, source.text, "CMakePresets.json", source))
            add_device_code_of(read_cmake_presets(presets->file, presets->text), false, "preset " + preset,
                               steps);
    const std::optional<NamedRelease> cuda = release_named_by(inherited);
    std::map<std::string, std::string> defined = defined_in(command);
    // CMake reads it from the environment too.
    if (const Written* minimum = inherited.variable("CMAKE_POLICY_VERSION_MINIMUM"))
        defined.emplace("CMAKE_POLICY_VERSION_MINIMUM", minimum->text);
    if (const auto toolchain = toolchain_of(command, defined, files)) {
        add_cmake_lists(*toolchain, defined, files_below(source.text, files), cuda, steps);
        for (auto& one : set_in(*toolchain)) defined.insert(std::move(one));
    }
    if (const auto lists = file_in(files, source.text, "CMakeLists.txt", source))
        add_cmake_lists(*lists, defined, files_below(source.text, files), cuda, steps);
}

}  // namespace ptxguard::recipes
