// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/default_build.hpp"

#include <set>
#include <utility>

#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/cmake_condition.hpp"
#include "recipes/builds/cmake_effects.hpp"
#include "recipes/builds/cmake_execution.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// An option of the project without which it compiles no device code.
struct Gate {
    std::string name;
    Origin origin;
};

class DefaultExecution : public CMakeExecution {
public:
    // `given`: options that the command line sets.
    DefaultExecution(const Host& host, const std::map<std::string, std::string>& given)
        : CMakeExecution({given}, [&host](const std::string& path) { return file_of(host, path); }) {
        look_into_environment([&host](const std::string& name) { return host.env(name).has_value(); });
        const bool windows = host.system() == System::windows;
        for (const char* name : {"WIN32", "MSVC"}) variables().set(name, windows ? "ON" : "OFF");
        variables().set("UNIX", windows ? "OFF" : "ON");
        variables().set("CMAKE_VERSION", "4.0");  // one of today
        assume_toolkit();
    }

    DefaultBuild in(const std::string& folder) {
        for (const char* name : {"CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"}) variables().set(name, folder);
        execute_folder(folder);
        if (m_found && !m_found->only_if_cuda && !m_compiles)  // with commands of its own, if at all
            m_found->open = {"find_package(CUDAToolkit) in " + m_found->by.origin.text + " enables no CUDA",
                             m_found->by.origin};
        m_open.merge(variables().open());
        return {std::move(m_found), std::move(m_steps), std::move(m_open)};
    }
    const std::vector<Gate>& gates() const { return m_gates; }
    const std::optional<Gate>& option() const { return m_option; }

private:
    static std::optional<File> file_of(const Host& host, const std::string& path) {
        const auto real = host.real_path(path);
        if (!real) return std::nullopt;
        auto text = read_text(host, path);
        return text ? std::optional(File{*real, path, std::move(*text)}) : std::nullopt;
    }

    void ran(const std::string& file, const CMakeCommand& command, Truth runs) override {
        for (const std::string& name : variables().changed())
            if (variables().is_open(name)) m_open.insert(name);
        note(file, command, runs);
        if (runs != Truth::yes) return;
        if (command.name == "option" && command.arguments.size() > 1) note_option(file, command);
        enables(file, command);
    }

    void is_behind(const std::string& file, const CMakeCommand& command) override {
        note_gates(file, command);
    }

    void note(const std::string& file, const CMakeCommand& command, Truth runs) {
        for (Step& step : steps_of_cmake(file, command, variables(), true, true))
            m_steps.push_back({std::move(step), runs});
        if (!may_set_architectures(command.name)) return;
        Written open;
        open.file = file;
        open.line = command.line;
        open.known = false;
        m_steps.push_back({SetVariable{"CMAKE_CUDA_ARCHITECTURES", open}, runs});
    }

    // The options that keep this command from running.
    void note_gates(const std::string& file, const CMakeCommand& command) {
        const bool adds = command.name == "include" || command.name == "add_subdirectory";
        if (!adds && !is_for_cuda(command) && !names_language(command)) return;
        for (const Block& block : blocks()) {
            if (block.now == Truth::yes) continue;
            const std::vector<std::string> names = switches_of(block.condition);
            const bool any_named = any_of(names, names_cuda);
            for (const std::string& name : names)
                if ((names_cuda(name) || (!adds && !any_named)) && !variables().is_given(name) &&
                    none_of(m_gates, [&](const Gate& gate) { return gate.name == name; }))
                    m_gates.push_back({name, Origin::from_file(file, block.line)});
        }
    }

    static bool names_cuda(const std::string& name) { return name.find("CUDA") != npos; }

    // option(USE_CUDA "" OFF), for a project whose other commands show nothing.
    void note_option(const std::string& file, const CMakeCommand& command) {
        const std::string& name = command.arguments[0];
        if (!m_option && ends_with(name, "CUDA") && !variables().is_given(name) &&
            truth_of({name}) == Truth::no)
            m_option = Gate{name, Origin::from_file(file, command.line)};
    }

    static bool finds_toolkit(const CMakeCommand& command) {
        return command.name == "find_package" && !command.arguments.empty() &&
               is_one_of(command.arguments[0], {"CUDAToolkit", "CUDA"});
    }

    bool is_for_cuda(const CMakeCommand& command) const {
        return enables_language(command) || finds_toolkit(command);
    }

    // set(LANGUAGES CXX CUDA), for a project() that follows.
    static bool names_language(const CMakeCommand& command) {
        return command.name == "set" && contains(command.arguments, "CUDA");
    }

    void enables(const std::string& file, const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        const bool finds = command.name == "find_package" && !words.empty();
        if (finds && words[0] == "Torch") {
            if (!m_found) {
                m_found = project_built_by(file, command.line, "uses find_package(Torch)");
                m_found->only_if_cuda = true;
            }
            m_found->torch = true;
        }
        const bool language = enables_language(command);
        m_compiles = m_compiles || language || (finds && words[0] == "CUDA");
        if (!is_for_cuda(command)) return;
        if (m_found && !m_found->only_if_cuda) return;
        const bool torch = m_found && m_found->torch;
        m_found = project_built_by(file, command.line,
                                   language ? "enables CUDA" : "uses find_package(" + words[0] + ")");
        m_found->torch = torch;
    }

    std::vector<Gate> m_gates;
    std::optional<Gate> m_option;
    std::optional<BuiltProject> m_found;
    std::vector<ExecutedStep> m_steps;
    std::set<std::string> m_open;
    bool m_compiles = false;  // the language CUDA, or FindCUDA
};

Known<std::string> named(const Gate& gate) {
    return {gate.name + " in " + place_in_project(gate.origin), gate.origin};
}

}  // namespace

DefaultBuild default_build_in(const Host& host, const std::string& folder,
                              const std::map<std::string, std::string>& given) {
    DefaultExecution execution(host, given);
    DefaultBuild build = execution.in(folder);
    if (build.project) return build;
    std::map<std::string, std::string> turned_on = given;
    for (const Gate& gate : execution.gates()) turned_on[gate.name] = "ON";
    DefaultBuild with =
        execution.gates().empty() ? DefaultBuild() : DefaultExecution(host, turned_on).in(folder);
    if (with.project) {
        const Gate& first = execution.gates().front();
        with.project->by.value = *with.project->by + " with " + first.name + "=ON";
        with.project->only_with = named(first);
        return with;
    }
    if (const auto& option = execution.option()) {
        build.project =
            project_built_by(option->origin.path, option->origin.line, "has the option " + option->name);
        build.project->only_with = build.project->open = named(*option);
    }
    return build;
}

std::string place_in_project(const Origin& origin) {
    return file_name(origin.path) + (origin.line ? ":" + std::to_string(origin.line) : "");
}

BuiltProject project_built_by(const std::string& file, int line, const std::string& does) {
    Origin origin = Origin::from_file(file, line);
    origin.text = place_in_project(origin);
    BuiltProject project;
    project.by = {file_name(file) + " " + does, origin};
    return project;
}

}  // namespace ptxguard::recipes
