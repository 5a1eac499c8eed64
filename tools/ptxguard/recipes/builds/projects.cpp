// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/projects.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/base/remembered.hpp"
#include "recipes/builds/cargo.hpp"
#include "recipes/builds/cmake_projects.hpp"
#include "recipes/builds/link_requests.hpp"
#include "recipes/builds/project_steps.hpp"
#include "recipes/builds/python_projects.hpp"
#include "recipes/builds/source_names.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// meson setup [options] BUILD [SOURCE]; empty: the folder in which it runs.
std::string source_of_meson(const Command& command) {
    std::vector<std::string> folders;
    for (std::size_t i = 2; i < command.words.size(); ++i)
        if (!starts_with(command.words[i].text, "-")) folders.push_back(command.words[i].text);
    return folders.size() > 1 ? folders[1] : "";
}

// Those that a call of a compiler names.
std::vector<Written> sources_of(const Command& command) {
    std::vector<Written> sources;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const bool output = is_one_of(command.words[i - 1].text, {"-o", "-MF", "-MT"});
        if (!output && command.words[i].known && is_source(command.words[i].text))
            sources.push_back(command.words[i]);
    }
    return sources;
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

// `nvcc` with only the options that name its host compiler.
std::optional<Command> with_host_compiler(const Command& command) {
    if (command.words.empty() || program_name(command.words[0].text) != "nvcc") return std::nullopt;
    Command nvcc;
    const std::vector<Written>& words = command.words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool apart = is_one_of(words[i].text, {"-ccbin", "--compiler-bindir"}) && i + 1 < words.size();
        const bool one = starts_with_any(words[i].text, {"-ccbin=", "--compiler-bindir="}) ||
                         words[i].text.find("allow-unsupported-compiler") != npos;
        if (i == 0 || apart || one) nvcc.words.push_back(words[i]);
        if (apart) nvcc.words.push_back(words[++i]);
    }
    return nvcc.words.size() > 1 ? std::optional(std::move(nvcc)) : std::nullopt;
}

// What making a target installs, the libraries that it links, and its host compiler.
void add_made(const Stage& target, std::vector<Step>& steps) {
    for (const Step& step : target.steps) {
        const auto* command = std::get_if<Command>(&step);
        if (auto linked = command ? with_parts(*command) : std::nullopt) steps.push_back(std::move(*linked));
        if (auto nvcc = command ? with_host_compiler(*command) : std::nullopt)
            steps.push_back(std::move(*nvcc));
        if (installs(step)) steps.push_back(step);
    }
}

// make -C FOLDER -f FILE NAME=VALUE GOAL
struct MakeCall {
    std::string folder, file = "Makefile";
    std::vector<std::string> goals;
    std::map<std::string, Written> given;
    Written by;
};

MakeCall make_call(const Command& command) {
    static const std::vector<OptionForm> table = {{"-C --directory"},   {"-f --file"},
                                                  {"-j --jobs", false}, {"-l --load-average"},
                                                  {"-o --old-file"},    {"-W --what-if"}};
    MakeCall call;
    call.by = command.words.front();
    for (const Argument& argument : split_arguments(command.words, 1, table, false)) {
        const bool folder = argument.option == "--directory";
        if (folder || argument.option == "--file") {
            (folder ? call.folder : call.file) = argument.value.text;
            call.by = argument.value;
        }
        if (!argument.option.empty()) continue;
        const std::size_t equals = argument.value.text.find('=');
        if (equals != npos) {
            Written& value = call.given[argument.value.text.substr(0, equals)] = argument.value;
            value.text.erase(0, equals + 1);
        } else if (argument.value.known) {
            call.goals.push_back(argument.value.text);
        }
    }
    return call;
}

// The Makefile as each command with these values reads it.
std::shared_ptr<const Makefile> makefile_of(const FileText& makefile, const MakeCall& call,
                                            const ReadFile& files) {
    constexpr std::size_t k_kept_makefiles = 16, k_part_for_copying = 16;
    using Key = std::tuple<std::string, std::string, std::string, std::vector<std::string>>;
    thread_local Remembered<Key, Makefile, k_kept_makefiles> kept;
    std::vector<std::string> given;
    for (const auto& [name, value] : call.given)
        for (const std::string& part : {name, value.text, value.file, std::to_string(value.line),
                                        std::to_string(value.column), std::to_string(value.fixed)})
            given.push_back(part);
    files.budget().spend_bytes(makefile.text.size() / k_part_for_copying);
    return kept.get({makefile.file, makefile.text, call.folder, given}, files, [&](const ReadFile& noted) {
        return read_makefile(makefile.file, makefile.text, noted, call.given);
    });
}

bool is_compiler(std::string_view program) { return is_one_of(program, {"nvcc", "g++", "gcc", "clang++"}); }

bool compiles(const Stage& target) {
    return any_of(target.steps, [](const Step& step) {
        const auto* command = std::get_if<Command>(&step);
        return command && !command->words.empty() && is_compiler(program_name(command->words[0].text));
    });
}

std::vector<Written> written_sources(const std::vector<std::string>& paths) {
    std::vector<Written> sources;
    for (const std::string& path : paths)
        if (is_source(path) && path.find('%') == npos) sources.push_back({path});
    return sources;
}

// app: app.cu
std::vector<Written> sources_of_target(const std::string& target, const Makefile& makefile) {
    const auto needs = makefile.needs.find(target);
    return needs == makefile.needs.end() ? std::vector<Written>{} : written_sources(needs->second);
}

// app.o by %.o: %.cu
std::vector<Written> sources_by_pattern(const std::string& target, const Makefile& makefile) {
    std::vector<std::string> paths;
    for (const auto& [pattern, needs] : makefile.needs) {
        const std::size_t stem = pattern.find('%');
        if (stem == npos || makefile.needs.count(target) != 0 || target.size() < pattern.size()) continue;
        const std::string end = pattern.substr(stem + 1);
        if (!starts_with(target, pattern.substr(0, stem)) || !ends_with(target, end)) continue;
        const std::string name = target.substr(stem, target.size() - pattern.size() + 1);
        for (const std::string& need : needs)
            if (need.find('%') != npos) paths.push_back(replace_all(need, "%", name));
    }
    return written_sources(paths);
}

void add_makefile(const Command& command, const ReadFile& files, std::vector<Step>& steps) {
    const MakeCall call = make_call(command);
    const auto makefile = file_in(files, call.folder, call.file.c_str(), call.by);
    if (!makefile) return;
    // A target may call make again.
    const ReadFile below =
        files.instead([&](const std::string& path, const Written& at) -> std::optional<FileText> {
            if (lower(file_name(path)).find("makefile") != npos || ends_with(path, ".mk"))
                return std::nullopt;
            return files(normal_path(join_path(call.folder, path), System::linux_), at);
        });
    const auto recipe = makefile_of(*makefile, call, below);
    if (!recipe) return;
    add_device_code_of(*recipe, false, "", steps);
    std::map<std::string, const Stage*> targets;
    for (const Stage& stage : recipe->stages) targets.emplace(stage.name, &stage);
    std::vector<Written> sources;
    for (const std::string& target : made_for(call.goals, *recipe)) {
        const auto stage = targets.find("target " + target);
        if (stage != targets.end()) add_made(*stage->second, steps);
        if (stage != targets.end() && compiles(*stage->second))
            append(sources, sources_of_target(target, *recipe));
        append(sources, sources_by_pattern(target, *recipe));
    }
    for (Written& one : sources) one.file = makefile->file, one.line = one.column = 1;
    if (auto names = names_in_sources(sources, files_below(call.folder, files)))
        steps.push_back(std::move(*names));
}

}  // namespace

std::string folder_of_make(const Command& command) { return make_call(command).folder; }

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
    if (program == "cmake" || program == "cmake3") add_cmake_project(command, files, inherited, steps);
    if (program == "make" || program == "gmake") add_makefile(command, files, steps);
    if (program == "meson" && command.words.size() > 1 &&
        is_one_of(command.words[1].text, {"setup", "build", "install"}))
        if (const auto script =
                file_in(files, source_of_meson(command), "meson.build", command.words.front()))
            add_device_code_of(read_setup_script(script->file, script->text, files), false, "", steps);
    if (is_compiler(program))
        if (auto names = names_in_sources(sources_of(command), files)) steps.push_back(std::move(*names));
    if (program == "cargo" && command.words.size() > 1 &&
        is_one_of(command.words[1].text, {"build", "install", "test", "run"}))
        if (const auto script = file_in(files, "", "build.rs", command.words.front()))
            add_device_code_of(read_setup_script(script->file, script->text, files), false, "", steps);
    if (program == "cargo")
        if (auto nvcc = nvcc_of_crates(command, files)) steps.push_back(std::move(*nvcc));
    if (starts_with(program, "python") && command.words.size() > 1 &&
        file_name(command.words[1].text) == "setup.py")
        add_python_project(parent_path(command.words[1].text), command.words[1], {}, files, inherited, steps);
    add_built_python_project(command, files, inherited, steps);
    return steps;
}

std::vector<Step> device_code_of_projects(const PipInstall& install, const ReadFile& files,
                                          const Inherited& inherited) {
    std::vector<Step> steps;
    for (const Written& project : install.projects)
        add_python_project(project.text.substr(0, project.text.find('[')), project, install.config_settings,
                           files, inherited, steps);  // ".[extra]"
    return steps;
}

}  // namespace ptxguard::recipes
