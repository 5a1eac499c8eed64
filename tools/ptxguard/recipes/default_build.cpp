// SPDX-License-Identifier: Apache-2.0
#include "recipes/default_build.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "packages/reading.hpp"
#include "recipes/arguments.hpp"
#include "recipes/branches.hpp"
#include "recipes/cmake_effects.hpp"
#include "recipes/cmake_variables.hpp"
#include "recipes/default_condition.hpp"
#include "recipes/scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_deepest_call = 20;         // calls in calls; what deeper ones would set is open
constexpr std::size_t k_most_items = 100;  // of a loop that is executed for each
constexpr int k_most_calls = 5000;         // likewise
constexpr int k_most_commands = 100000;    // that are executed; the variables of later ones are open

// An if() or loop that is open.
struct Block : Branch {
    std::vector<std::string> condition;
    int line = 0;
};

struct Function {
    std::string file;
    bool macro = false;  // executed in the caller's scope
    std::vector<std::string> parameters;
    std::shared_ptr<const std::vector<CMakeCommand>> body;
};

// An option of the project without which it compiles no device code.
struct Gate {
    std::string name;
    Origin origin;
};

class Execution {
public:
    // `given`: options that the command line sets.
    Execution(const Host& host, const std::map<std::string, std::string>& given)
        : m_host(host), m_variables(given) {}

    DefaultBuild in(const std::string& folder) {
        for (const char* name : {"CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"}) m_variables.set(name, folder);
        const bool windows = m_host.system() == System::windows;
        for (const char* name : {"WIN32", "MSVC"}) m_variables.set(name, windows ? "ON" : "OFF");
        m_variables.set("UNIX", windows ? "OFF" : "ON");
        m_variables.set("CMAKE_VERSION", "4.0");  // one of today
        // A toolkit is found, or nothing is built with it.
        for (const char* found : {"CMAKE_CUDA_COMPILER", "CUDAToolkit_FOUND", "CUDA_FOUND", "Torch_FOUND",
                                  "TORCH_FOUND", "PROJECT_IS_TOP_LEVEL", "SKBUILD"})
            m_variables.set(found, "ON");
        read_folder(folder);
        if (m_found && !m_found->only_if_cuda && !m_compiles)  // with commands of its own, if at all
            m_found->open = {"find_package(CUDAToolkit) in " + m_found->by.origin.text + " enables no CUDA",
                             m_found->by.origin};
        return {std::move(m_found), std::move(m_steps), m_variables.open()};
    }
    const std::vector<Gate>& gates() const { return m_gates; }
    const std::optional<Gate>& option() const { return m_option; }

private:
    // Sets a variable while something is read.
    template <class Read>
    void with(const std::string& name, const std::string& value, const Read& read) {
        const std::string* known = m_variables.find(name);
        const std::string before = known ? *known : "";
        m_variables.set(name, value);
        read();
        m_variables.set(name, before);
    }

    std::string current_folder() const { return m_variables.expanded("${CMAKE_CURRENT_SOURCE_DIR}"); }

    void read_folder(const std::string& folder) {
        with("CMAKE_CURRENT_SOURCE_DIR", folder, [&] { read(join_path(folder, "CMakeLists.txt")); });
    }

    void read(const std::string& file) {
        const auto real = m_host.real_path(file);
        if (!real || !m_read.insert(*real).second) return;
        const auto text = read_text(m_host, file);
        if (!text) return;
        std::vector<Block> outer;
        outer.swap(m_blocks);
        const std::vector<CMakeCommand> commands = read_cmake_commands(*text);
        with("CMAKE_CURRENT_LIST_DIR", parent_path(file), [&] { run(file, commands); });
        m_blocks.swap(outer);
    }

    void run(const std::string& file, const std::vector<CMakeCommand>& commands) {
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const CMakeCommand& command = commands[i];
            if (!is_one_of(command.name, {"function", "macro", "foreach"})) {
                one(file, command);
                continue;
            }
            const std::size_t end = end_of_block(commands, i, commands.size());
            const auto at = [&](std::size_t one) {
                return commands.begin() + static_cast<std::ptrdiff_t>(std::min(one, commands.size()));
            };
            const auto body = std::make_shared<const std::vector<CMakeCommand>>(at(i + 1), at(end));
            i = end;
            if (command.arguments.empty() || active(m_blocks) == Truth::no) continue;
            if (command.name == "foreach")
                loop(file, command, *body);
            else
                m_functions[lower(command.arguments[0])] = {
                    file,
                    command.name == "macro",
                    {command.arguments.begin() + 1, command.arguments.end()},
                    body};
        }
    }

    void loop(const std::string& file, const CMakeCommand& command, const std::vector<CMakeCommand>& body) {
        const std::string& variable = command.arguments[0];
        const auto items = m_variables.items(command);
        if (!items || items->size() > k_most_items) {
            m_variables.leave_open(variable);
            run(file, body);
            return;
        }
        for (const std::string& item : *items) {
            if (++m_commands >= k_most_commands) break;
            m_variables.set(variable, item);
            run(file, body);
        }
        m_variables.erase(variable);
    }

    void call(const Function& function, const CMakeCommand& command) {
        const Function called = function;  // it may define itself anew
        std::vector<std::string> values;
        for (const std::string& word : command.arguments) values.push_back(m_variables.expanded(word));
        CMakeVariables caller = m_variables;  // shares its values
        if (!called.macro) m_variables = caller.function_scope();
        const std::size_t given = std::min(values.size(), called.parameters.size());
        for (std::size_t i = 0; i < called.parameters.size(); ++i)
            m_variables.set(called.parameters[i], i < given ? values[i] : "");
        m_variables.set("ARGN",
                        joined({values.begin() + static_cast<std::ptrdiff_t>(given), values.end()}, ";"));
        std::vector<Block> outer;
        const Truth runs = active(m_blocks);
        outer.swap(m_blocks);
        if (runs != Truth::yes) m_blocks.push_back({{Truth::unknown, Truth::yes}});
        ++m_depth;
        run(called.file, *called.body);
        --m_depth;
        outer.swap(m_blocks);
        if (called.macro) {
            for (const std::string& parameter : called.parameters) m_variables.erase(parameter);
            return;
        }
        std::swap(caller, m_variables);
        m_variables.take_results(caller);
    }

    void one(const std::string& file, const CMakeCommand& command) {
        const std::string& name = command.name;
        if (blocks(command)) return;
        const Truth runs = active(m_blocks);
        if (runs != Truth::yes) note_gates(file, command);
        if (runs == Truth::no) return;
        const bool few = ++m_commands < k_most_commands;
        const auto function = m_functions.find(name);
        if (function != m_functions.end() && few && m_depth < k_deepest_call && ++m_calls < k_most_calls)
            return call(function->second, command);
        const bool sure = runs == Truth::yes && few;
        sure ? m_variables.run(command) : m_variables.may_run(command);
        note(file, command, sure ? Truth::yes : Truth::unknown);
        if (!sure) return;
        const std::vector<std::string>& words = command.arguments;
        if (name == "cmake_minimum_required") return require(words);
        if (!words.empty() && is_one_of(name, {"add_library", "add_executable", "add_custom_target"}))
            m_targets.insert(m_variables.expanded(words[0]));
        if (name == "option" && words.size() > 1) note_option(file, command);
        if (name == "add_subdirectory" && !words.empty())
            return read_folder(join_path(current_folder(), m_variables.expanded(words[0])));
        if (name == "include" && !words.empty()) return include(m_variables.expanded(words[0]));
        enables(file, command);
    }

    // What list(APPEND) makes of a variable is read as what set() does.
    void note(const std::string& file, CMakeCommand command, Truth runs) {
        std::vector<std::string>& words = command.arguments;
        for (std::string& word : words) word = m_variables.expanded(word);
        const std::string* value = words.size() > 2 ? m_variables.find(words[1]) : nullptr;
        if (command.name == "list" && value && runs == Truth::yes && !m_variables.is_open(words[1])) {
            command.name = "set";
            words = {words[1], *value};
        }
        for (Step& step : steps_of_cmake(file, command)) m_steps.push_back({std::move(step), runs});
        if (!may_set_architectures(command.name)) return;
        Written open;
        open.file = file;
        open.line = command.line;
        open.known = false;
        m_steps.push_back({SetVariable{"CMAKE_CUDA_ARCHITECTURES", open}, runs});
    }

    // A file, or a module in a folder of CMAKE_MODULE_PATH.
    void include(const std::string& name) {
        if (ends_with(name, ".cmake")) return read(join_path(current_folder(), name));
        for (const std::string& folder : split(m_variables.expanded("${CMAKE_MODULE_PATH}"), ";"))
            read(join_path(folder, name + ".cmake"));
    }

    // The options that keep this command from running.
    void note_gates(const std::string& file, const CMakeCommand& command) {
        const bool adds = command.name == "include" || command.name == "add_subdirectory";
        if (!adds && !is_for_cuda(command) && !names_language(command)) return;
        for (const Block& block : m_blocks) {
            if (block.now == Truth::yes) continue;
            const std::vector<std::string> names = switches_of(block.condition);
            const bool any_named = std::any_of(names.begin(), names.end(), names_cuda);
            for (const std::string& name : names)
                if ((names_cuda(name) || (!adds && !any_named)) && !m_variables.is_given(name) &&
                    std::none_of(m_gates.begin(), m_gates.end(),
                                 [&](const Gate& gate) { return gate.name == name; }))
                    m_gates.push_back({name, Origin::from_file(file, block.line)});
        }
    }

    static bool names_cuda(const std::string& name) { return name.find("CUDA") != npos; }

    // if(), else() and the like.
    bool blocks(const CMakeCommand& command) {
        const std::string& name = command.name;
        const std::vector<std::string>& words = command.arguments;
        if (name == "while") {
            m_blocks.push_back({{Truth::unknown, Truth::yes}});
        } else if (name == "if" || name == "elseif" || name == "else") {
            if (name == "if") m_blocks.push_back({begun_in(m_blocks)});
            if (m_blocks.empty()) return true;
            Block& block = m_blocks.back();
            block.condition = words;
            block.line = command.line;
            if (block.next()) block.run_if(name == "else" ? Truth::yes : condition().of(words));
        } else if (starts_with(name, "end")) {
            if (!m_blocks.empty()) m_blocks.pop_back();
        } else {
            return false;
        }
        return true;
    }

    // option(USE_CUDA "" OFF), for a project whose other commands show nothing.
    void note_option(const std::string& file, const CMakeCommand& command) {
        const std::string& name = command.arguments[0];
        if (!m_option && ends_with(name, "CUDA") && !m_variables.is_given(name) &&
            condition().of({name}) == Truth::no)
            m_option = Gate{name, Origin::from_file(file, command.line)};
    }

    DefaultCondition condition() const { return {m_variables, m_host, m_targets, m_language, m_sets_archs}; }

    // CMake 3.18 and newer, or a policy of these.
    void require(const std::vector<std::string>& words) {
        if (words.size() < 2) return;
        const std::size_t range = words[1].find("...");
        const auto version = parse_version(range == npos ? words[1] : words[1].substr(range + 3));
        if (version) m_sets_archs = *version >= *parse_version("3.18");
    }

    bool enables_language(const CMakeCommand& command) const {
        if (command.name != "enable_language" && command.name != "project") return false;
        const std::vector<std::string>& words = command.arguments;
        return std::any_of(words.begin(), words.end(), [&](const std::string& one) {
            if (one == "CUDA") return true;
            const std::vector<std::string> list = split(m_variables.expanded(one), "; ");
            return std::find(list.begin(), list.end(), "CUDA") != list.end();
        });
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
        return command.name == "set" && std::find(command.arguments.begin(), command.arguments.end(),
                                                  "CUDA") != command.arguments.end();
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
        m_language = m_language || language;
        m_compiles = m_compiles || language || (finds && words[0] == "CUDA");
        if (!is_for_cuda(command)) return;
        if (m_found && !m_found->only_if_cuda) return;
        const bool torch = m_found && m_found->torch;
        m_found = project_built_by(file, command.line,
                                   language ? "enables CUDA" : "uses find_package(" + words[0] + ")");
        m_found->torch = torch;
    }

    const Host& m_host;
    CMakeVariables m_variables;
    std::set<std::string> m_read;  // real paths
    std::vector<Block> m_blocks;
    std::map<std::string, Function> m_functions;
    int m_depth = 0, m_calls = 0, m_commands = 0;
    std::set<std::string> m_targets;
    std::vector<Gate> m_gates;
    std::optional<Gate> m_option;
    std::optional<BuiltProject> m_found;
    std::vector<ExecutedStep> m_steps;
    bool m_language = false;   // CUDA
    bool m_compiles = false;   // it, or FindCUDA
    bool m_sets_archs = true;  // by the policies of the project
};

}  // namespace

namespace {

Known<std::string> named(const Gate& gate) {
    return {gate.name + " in " + place_in_project(gate.origin), gate.origin};
}

}  // namespace

DefaultBuild default_build_in(const Host& host, const std::string& folder,
                              const std::map<std::string, std::string>& given) {
    Execution execution(host, given);
    DefaultBuild build = execution.in(folder);
    if (build.project) return build;
    std::map<std::string, std::string> turned_on = given;
    for (const Gate& gate : execution.gates()) turned_on[gate.name] = "ON";
    DefaultBuild with = execution.gates().empty() ? DefaultBuild() : Execution(host, turned_on).in(folder);
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
