// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/projects.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "expect/cuda_names.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/builds/cargo.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// `by` names the folder, or is the command that runs in it.
std::optional<FileText> file_of(const ReadFile& files, const std::string& folder, const char* name,
                                const Written& by) {
    return files ? files(normal_path(join_path(folder, name), System::linux_), by) : std::nullopt;
}

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

// For nvcc, or for the CMake that calls it.
bool is_for_device_code(const SetVariable& variable) {
    RecipeFacts named;
    return is_standard_variable(variable.name) || variable.name == k_minimum_cmake ||
           add_arch_variable(variable, named);
}

// `only_fixed`: omits what a condition or a user's choice may replace. `overridden`: variables that the
// command sets.
void add_device_code_of(const Recipe& recipe, bool only_fixed, const std::string& stage_name,
                        std::vector<Step>& steps, const std::map<std::string, std::string>& overridden = {}) {
    for (const Stage& stage : recipe.stages) {
        if (!stage_name.empty() && stage.name != stage_name) continue;
        for (const Step& step : stage.steps) {
            if (const auto* command = std::get_if<Command>(&step)) {
                auto flags = nvcc_with_flags(*command);
                if (flags && (!only_fixed || flags->words.back().fixed)) steps.push_back(std::move(*flags));
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

// The files of a project by their paths in it.
ReadFile files_below(const std::string& folder, const ReadFile& files) {
    return files.instead([folder, &files](const std::string& path, const Written& by) {
        return files(normal_path(join_path(folder, path), System::linux_), by);
    });
}

// A release of the toolkit, and whether nobody may override it.
struct NamedRelease {
    Version version;
    bool fixed = true;
    bool operator==(const NamedRelease& other) const {
        return version == other.version && fixed == other.fixed;
    }
};

// CUDA_VERSION, which images set, is "12.4.1"; CUDA_PATH ends with cuda-12.4 or v12.4.
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

// What CMake files select with every release of CMake that may be there.
std::vector<Step> with_any_cmake(const FileText& lists, const std::map<std::string, std::string>& given,
                                 const ReadFile& files, const std::optional<Version>& cuda) {
    std::vector<std::vector<Step>> all;
    const bool compares = lists.text.find("CMAKE_VERSION") != npos;
    for (const char* release : {"4.0", "3.10"}) {
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

// A file that CMake files include, or try to.
struct ReadByCMake {
    std::string path;
    Written by;
    std::string file;
    std::size_t size = 0, hash = 0;
    bool operator==(const ReadByCMake& other) const {
        return std::tie(file, size, hash) == std::tie(other.file, other.size, other.hash);
    }
};

ReadByCMake read_by_cmake(const std::string& path, const Written& by, const std::optional<FileText>& text) {
    if (!text) return {path, by, ""};
    return {path, by, text->file, text->text.size() + 1, std::hash<std::string>()(text->text)};
}

// Each row of a matrix may configure the same project with the same options.
void add_cmake_lists(const FileText& lists, const std::map<std::string, std::string>& given,
                     const ReadFile& files, const std::optional<NamedRelease>& cuda,
                     std::vector<Step>& steps) {
    constexpr std::size_t k_kept_projects = 64, k_times_for_executing = 3;
    struct Kept {
        std::string file, text;
        std::map<std::string, std::string> given;
        std::optional<NamedRelease> cuda;
        std::vector<ReadByCMake> read;
        std::vector<Step> steps;
    };
    thread_local std::deque<Kept> kept;
    const auto is_same = [&](const ReadByCMake& one) {
        return read_by_cmake(one.path, one.by, files(one.path, one.by)) == one;
    };
    const Kept* known = first_where(kept, [&](const Kept& one) {
        return one.file == lists.file && one.text == lists.text && one.given == given && one.cuda == cuda &&
               all_of(one.read, is_same);
    });
    if (!known) {
        Kept fresh{lists.file, lists.text, given, cuda, {}, {}};
        std::size_t bytes = lists.text.size();
        const ReadFile noted = files.instead([&](const std::string& path, const Written& by) {
            auto text = files(path, by);
            fresh.read.push_back(read_by_cmake(path, by, text));
            if (text) bytes += text->text.size();
            return text;
        });
        fresh.steps = steps_of_cmake_lists(lists, given, noted, cuda);
        files.budget().spend_bytes(bytes * k_times_for_executing);
        if (files.budget().is_over()) return;  // it has only a part
        kept.push_front(std::move(fresh));
        if (kept.size() > k_kept_projects) kept.pop_back();
        known = &kept.front();
    }
    steps.insert(steps.end(), known->steps.begin(), known->steps.end());
}

void add_python_project(const std::string& folder, const Written& by, const ReadFile& files,
                        const std::optional<NamedRelease>& cuda, std::vector<Step>& steps) {
    if (const auto setup = file_of(files, folder, "setup.py", by)) {
        add_device_code_of(read_setup_script(setup->file, setup->text, files), false, "", steps);
        return;
    }
    const auto project = file_of(files, folder, "pyproject.toml", by);
    if (!project) return;
    auto settings = cmake_settings_of(project->file, project->text);
    append(steps, settings);
    if (!settings.empty()) return;  // they override those of CMakeLists.txt
    if (project->text.find("scikit") == npos && project->text.find("cmake") == npos) return;
    if (const auto lists = file_of(files, folder, "CMakeLists.txt", by))  // scikit-build-core
        add_cmake_lists(*lists, {}, files_below(folder, files), cuda, steps);
}

const std::vector<OptionForm>& cmake_options() {
    static const std::vector<OptionForm> table = {{"-S"}, {"-B"}, {"-G"}, {"-D"}, {"-C"},      {"-T"},
                                                  {"-A"}, {"-U"}, {"-W"}, {"-H"}, {"--preset"}};
    return table;
}

void add_cmake_project(const Command& command, const ReadFile& files, const std::optional<NamedRelease>& cuda,
                       std::vector<Step>& steps) {
    if (!configures(command)) return;
    std::string preset;
    Written source = command.words.front();
    source.text.clear();
    bool builds_elsewhere = false;
    for (const Argument& argument : split_arguments(command.words, 1, cmake_options(), false)) {
        if (argument.option == "-S" || argument.option == "-H" || (argument.option.empty() && !source))
            source = argument.value;
        builds_elsewhere = builds_elsewhere || argument.option == "-B";
        if (argument.option == "--preset") preset = argument.value.text;
    }
    if (!source && !builds_elsewhere && preset.empty()) return;
    if (!preset.empty())
        if (const auto presets = file_of(files, source.text, "CMakePresets.json", source))
            add_device_code_of(read_cmake_presets(presets->file, presets->text), false, "preset " + preset,
                               steps);
    if (const auto lists = file_of(files, source.text, "CMakeLists.txt", source))
        add_cmake_lists(*lists, defined_in(command), files_below(source.text, files), cuda, steps);
}

// The goals and what they need, which make makes first.
std::vector<std::string> made_for(std::vector<std::string> goals, const Makefile& makefile) {
    if (goals.empty()) goals.push_back(makefile.first);
    std::vector<std::string> order;
    std::set<std::string> seen, done;
    std::vector<std::string> open(goals.rbegin(), goals.rend());
    while (!open.empty()) {
        const std::string target = open.back();
        const auto needs = makefile.needs.find(target);
        if (seen.insert(target).second && needs != makefile.needs.end()) {
            open.insert(open.end(), needs->second.rbegin(), needs->second.rend());
            continue;
        }
        open.pop_back();
        if (done.insert(target).second) order.push_back(target);
    }
    return order;
}

// Into this system, or another one: a container, an image.
bool installs(const Step& step) {
    const auto* command = std::get_if<Command>(&step);
    const bool other = command && !command->words.empty() &&
                       is_one_of(program_name(command->words[0].text),
                                 {"docker", "docker-compose", "podman", "nerdctl", "buildah"});
    return other || std::holds_alternative<PipInstall>(step) || std::holds_alternative<CondaInstall>(step) ||
           std::holds_alternative<AptInstall>(step);
}

void add_makefile(const Command& command, const ReadFile& files, std::vector<Step>& steps) {
    static const std::vector<OptionForm> table = {{"-C --directory"},   {"-f --file"},
                                                  {"-j --jobs", false}, {"-l --load-average"},
                                                  {"-o --old-file"},    {"-W --what-if"}};
    std::string folder, name = "Makefile";
    std::vector<std::string> goals;
    std::map<std::string, Written> given;
    Written by = command.words.front();
    for (const Argument& argument : split_arguments(command.words, 1, table, false)) {
        if (argument.option == "--directory") folder = argument.value.text;
        if (argument.option == "--file") name = argument.value.text;
        if (argument.option == "--directory" || argument.option == "--file") by = argument.value;
        if (!argument.option.empty()) continue;
        const std::size_t equals = argument.value.text.find('=');
        if (equals != npos) {
            Written& value = given[argument.value.text.substr(0, equals)] = argument.value;
            value.text.erase(0, equals + 1);
        } else if (argument.value.known) {
            goals.push_back(argument.value.text);
        }
    }
    const auto makefile = file_of(files, folder, name.c_str(), by);
    if (!makefile) return;
    // A target may call make again.
    const ReadFile below =
        files.instead([&](const std::string& path, const Written& at) -> std::optional<FileText> {
            if (lower(file_name(path)).find("makefile") != npos || ends_with(path, ".mk"))
                return std::nullopt;
            return files(normal_path(join_path(folder, path), System::linux_), at);
        });
    const Makefile recipe = read_makefile(makefile->file, makefile->text, below, given);
    add_device_code_of(recipe, false, "", steps);
    std::map<std::string, const Stage*> targets;
    for (const Stage& stage : recipe.stages) targets.emplace(stage.name, &stage);
    for (const std::string& target : made_for(goals, recipe)) {
        const auto stage = targets.find("target " + target);
        if (stage == targets.end()) continue;
        for (const Step& step : stage->second->steps)
            if (installs(step)) steps.push_back(step);
    }
}

}  // namespace

bool configures(const Command& command) {
    return std::none_of(command.words.begin() + 1, command.words.end(), [](const Written& word) {
        return is_one_of(word.text, {"--build", "--install", "-E", "-P", "--open", "--version", "--workflow",
                                     "--help", "--find-package", "--list-presets"});
    });
}

std::optional<WrittenRequirement> cloned_project(const Written& project, const Inherited& inherited) {
    const std::size_t extras_at = std::min(project.text.find('['), project.text.size());
    const std::string url = project.known ? inherited.checkout_at(project.text.substr(0, extras_at)) : "";
    if (url.empty()) return std::nullopt;
    WrittenRequirement requirement;
    requirement.url = requirement.whole = project;
    requirement.url.text = url;
    requirement.extras = parse_requirement("x" + project.text.substr(extras_at)).extras;
    return requirement;
}

std::optional<PipInstall> cloned_setup(const Command& command, const Inherited& inherited) {
    const auto& words = command.words;
    if (words.size() < 3 || !starts_with(program_name(words[0].text), "python") ||
        file_name(words[1].text) != "setup.py" ||
        std::none_of(words.begin() + 2, words.end(), [](const Written& word) {
            return is_one_of(word.text, {"install", "develop", "bdist_wheel", "build", "build_ext"});
        }))
        return std::nullopt;
    Written folder = words[1];
    folder.text = words[1].text.find('/') == npos ? "." : parent_path(folder.text);
    auto cloned = cloned_project(folder, inherited);
    if (!cloned) return std::nullopt;
    PipInstall install;
    install.tool = "pip";
    install.whole = whole_of(command);
    install.no_build_isolation = true;
    install.checkouts.push_back(std::move(*cloned));
    return install;
}

std::vector<Step> device_code_of_project(const Command& command, const ReadFile& files,
                                         const Inherited& inherited) {
    std::vector<Step> steps;
    if (!files || command.words.empty()) return steps;
    const std::string program = file_name(command.words.front().text);
    if (program == "cmake" || program == "cmake3")
        add_cmake_project(command, files, release_named_by(inherited), steps);
    if (program == "make" || program == "gmake") add_makefile(command, files, steps);
    if (program == "cargo" && command.words.size() > 1 &&
        is_one_of(command.words[1].text, {"build", "install", "test", "run"}))
        if (const auto script = file_of(files, "", "build.rs", command.words.front()))
            add_device_code_of(read_setup_script(script->file, script->text, files), false, "", steps);
    if (program == "cargo")
        if (auto nvcc = nvcc_of_crates(command, files)) steps.push_back(std::move(*nvcc));
    if (starts_with(program, "python") && command.words.size() > 1 &&
        file_name(command.words[1].text) == "setup.py")
        add_python_project(parent_path(command.words[1].text), command.words[1], files,
                           release_named_by(inherited), steps);
    return steps;
}

std::vector<Step> device_code_of_projects(const PipInstall& install, const ReadFile& files,
                                          const Inherited& inherited) {
    std::vector<Step> steps;
    for (const Written& project : install.projects)
        add_python_project(project.text.substr(0, project.text.find('[')), project, files,
                           release_named_by(inherited), steps);  // ".[extra]"
    return steps;
}

}  // namespace ptxguard::recipes
