// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_execution.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/cmake_condition.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_deepest_call = 20;         // calls in calls; what deeper ones would set is open
constexpr std::size_t k_most_items = 100;  // of a loop that is executed for each
constexpr int k_most_calls = 5000;         // likewise
constexpr int k_most_commands = 100000;    // that are executed; the variables of later ones are open

}  // namespace

void CMakeExecution::execute_folder(const std::string& folder) {
    const std::string* known = m_variables.find("CMAKE_CURRENT_SOURCE_DIR");
    const std::string before = known ? *known : "";
    m_variables.set("CMAKE_CURRENT_SOURCE_DIR", folder);
    read(join_path(folder, "CMakeLists.txt"));
    m_variables.set("CMAKE_CURRENT_SOURCE_DIR", before);
}

void CMakeExecution::read(const std::string& path) {
    if (const auto file = m_read ? m_read(path) : std::nullopt) execute(*file);
}

void CMakeExecution::execute(const File& file) {
    if (!m_done.insert(file.key).second) return;
    m_files.push_back(std::make_unique<std::vector<CMakeCommand>>(read_cmake_commands(file.text)));
    execute(file.file, *m_files.back());
}

void CMakeExecution::execute(const std::string& file, const std::vector<CMakeCommand>& commands) {
    std::vector<Block> outer;
    // A file that may be read does what may be done.
    if (active(m_blocks) != Truth::yes) outer.push_back({{Truth::unknown, Truth::yes}});
    outer.swap(m_blocks);
    const std::string* known = m_variables.find("CMAKE_CURRENT_LIST_DIR");
    const std::string before = known ? *known : "";
    m_variables.set("CMAKE_CURRENT_LIST_DIR", parent_path(file));
    run(file, {&commands, 0, commands.size()});
    m_jump = Jump::none;
    m_variables.set("CMAKE_CURRENT_LIST_DIR", before);
    m_blocks.swap(outer);
}

void CMakeExecution::assume_toolkit() {
    for (const char* found : {"CMAKE_CUDA_COMPILER", "CUDAToolkit_FOUND", "CUDA_FOUND", "Torch_FOUND",
                              "TORCH_FOUND", "PROJECT_IS_TOP_LEVEL", "SKBUILD"})
        m_variables.set(found, "ON");
}

void CMakeExecution::execute_uncalled(Truth runs) {
    std::vector<std::string> names;
    for (const auto& [name, function] : m_functions)
        if (!function.called) names.push_back(name);
    for (const std::string& name : names) {
        const Function function = m_functions[name];
        const CMakeVariables caller = m_variables;
        m_variables = caller.inner_scope();
        for (const std::string& parameter : function.parameters) m_variables.leave_open(parameter);
        m_variables.leave_open("ARGN");
        body_of(function, runs);
        m_jump = Jump::none;
        m_variables = caller;
    }
}

void CMakeExecution::run(const std::string& file, const Commands& commands) {
    const std::size_t depth = m_blocks.size();
    const std::vector<CMakeCommand>& all = *commands.all;
    for (std::size_t i = commands.first; i < commands.last && m_jump == Jump::none; ++i) {
        const CMakeCommand& command = all[i];
        if (!goes_on(file, command)) break;
        if (!is_one_of(command.name, {"function", "macro", "foreach"})) {
            one(file, command);
            continue;
        }
        const std::size_t end = end_of_block(all, i, commands.last);
        const Commands body{commands.all, i + 1, end};
        i = end;
        if (command.arguments.empty() || active(m_blocks) == Truth::no) continue;
        if (command.name == "foreach")
            loop(file, command, body);
        else
            m_functions[lower(command.arguments[0])] = {
                file,
                command.name == "macro",
                {command.arguments.begin() + 1, command.arguments.end()},
                body};
    }
    if (m_jump != Jump::none || m_blocks.size() > depth) m_blocks.resize(std::min(m_blocks.size(), depth));
}

void CMakeExecution::loop(const std::string& file, const CMakeCommand& command, const Commands& body) {
    const std::string& variable = command.arguments[0];
    bool all = false;
    const auto items = m_variables.items(command, all);
    const bool each = items && items->size() <= k_most_items && (all || !m_variables.is_by_default());
    const std::size_t depth = m_blocks.size();
    if (!all && !m_variables.is_by_default()) m_blocks.push_back({{Truth::unknown, Truth::yes}});
    if (!each) {
        m_variables.leave_open(variable);
        run(file, body);
    }
    for (std::size_t i = 0; each && i < items->size() && m_jump == Jump::none; ++i) {
        if (++m_commands >= k_most_commands) break;
        m_variables.set(variable, (*items)[i]);
        run(file, body);
        if (m_jump == Jump::next_item) m_jump = Jump::none;
    }
    if (m_jump == Jump::out_of_loop || m_jump == Jump::next_item) m_jump = Jump::none;
    m_blocks.resize(std::min(m_blocks.size(), depth));
    if (each) m_variables.erase(variable);
}

void CMakeExecution::call(Function& function, const CMakeCommand& command) {
    function.called = true;
    const Function called = function;  // it may define itself anew
    std::vector<std::string> values;
    for (const std::string& word : command.arguments) values.push_back(m_variables.expanded(word));
    CMakeVariables caller = m_variables;  // shares its values
    if (!called.macro) m_variables = caller.inner_scope();
    const std::size_t given = std::min(values.size(), called.parameters.size());
    for (std::size_t i = 0; i < called.parameters.size(); ++i)
        m_variables.set(called.parameters[i], i < given ? values[i] : "");
    m_variables.set("ARGN", joined({values.begin() + static_cast<std::ptrdiff_t>(given), values.end()}, ";"));
    body_of(called, active(m_blocks));
    if (called.macro) {
        for (const std::string& parameter : called.parameters) m_variables.erase(parameter);
        return;
    }
    std::swap(caller, m_variables);
    m_variables.take_results(caller);
}

void CMakeExecution::body_of(const Function& function, Truth runs) {
    std::vector<Block> outer;
    outer.swap(m_blocks);
    if (runs != Truth::yes) m_blocks.push_back({{Truth::unknown, Truth::yes}});
    ++m_depth;
    run(function.file, function.body);
    --m_depth;
    if (!function.macro) m_jump = Jump::none;
    outer.swap(m_blocks);
}

void CMakeExecution::one(const std::string& file, const CMakeCommand& command) {
    const std::string& name = command.name;
    if (changes_blocks(command)) return;
    const Truth active_here = active(m_blocks);
    if (active_here != Truth::yes) is_behind(file, command);
    if (active_here == Truth::no) return;
    const bool few = ++m_commands < k_most_commands;
    const auto function = m_functions.find(name);
    if (function != m_functions.end() && few && m_depth < k_deepest_call && ++m_calls < k_most_calls)
        return call(function->second, command);
    const bool sure = active_here == Truth::yes && few;
    sure ? m_variables.run(command) : m_variables.may_run(command);
    m_language = m_language || (sure && enables_language(command));
    ran(file, command, sure ? Truth::yes : Truth::unknown);
    const bool may_read = sure || !m_variables.is_by_default();
    if (may_read && is_one_of(name, {"include", "add_subdirectory"})) return read_more(command);
    if (sure) take(command);
}

void CMakeExecution::read_more(const CMakeCommand& command) {
    if (command.arguments.empty()) return;
    const std::string& word = command.arguments[0];
    if (command.name == "include") return include(m_variables.expanded(word));
    CMakeVariables caller = m_variables;
    m_variables = caller.inner_scope();
    execute_folder(
        join_path(m_variables.expanded("${CMAKE_CURRENT_SOURCE_DIR}"), m_variables.expanded(word)));
    std::swap(caller, m_variables);
    m_variables.take_results(caller);
}

void CMakeExecution::take(const CMakeCommand& command) {
    const std::string& name = command.name;
    const std::vector<std::string>& words = command.arguments;
    if (name == "return") m_jump = Jump::returns;
    if (name == "continue") m_jump = Jump::next_item;
    if (name == "break") m_jump = Jump::out_of_loop;
    if (name == "cmake_minimum_required") return require(words);
    if (!words.empty() && is_one_of(name, {"add_library", "add_executable", "add_custom_target"}))
        m_targets.insert(m_variables.expanded(words[0]));
}

// A file, or a module in a folder of CMAKE_MODULE_PATH.
void CMakeExecution::include(const std::string& name) {
    if (ends_with(name, ".cmake"))
        return read(join_path(m_variables.expanded("${CMAKE_CURRENT_SOURCE_DIR}"), name));
    for (const std::string& folder : split(m_variables.expanded("${CMAKE_MODULE_PATH}"), ";"))
        read(join_path(folder, name + ".cmake"));
}

// if(), else() and the like.
bool CMakeExecution::changes_blocks(const CMakeCommand& command) {
    const std::string& name = command.name;
    if (name == "while") {
        m_blocks.push_back({{Truth::unknown, Truth::yes}});
    } else if (name == "if" || name == "elseif" || name == "else") {
        if (name == "if") m_blocks.push_back({begun_in(m_blocks)});
        if (m_blocks.empty()) return true;
        Block& block = m_blocks.back();
        block.condition = command.arguments;
        block.line = command.line;
        if (!block.next()) return true;
        const Truth own = name == "else" ? Truth::yes : truth_of(command.arguments);
        if (name != "else") decides(command.line, own);
        block.run_if(own);
    } else if (starts_with(name, "end")) {
        if (!m_blocks.empty()) m_blocks.pop_back();
    } else {
        return false;
    }
    return true;
}

Truth CMakeExecution::truth_of(const std::vector<std::string>& condition) const {
    return CMakeCondition{m_variables, m_targets, m_in_environment, m_language, m_sets_archs}.of(condition);
}

bool CMakeExecution::enables_language(const CMakeCommand& command) const {
    if (command.name != "enable_language" && command.name != "project") return false;
    const std::vector<std::string>& words = command.arguments;
    return any_of(words, [&](const std::string& one) {
        if (one == "CUDA") return true;
        const std::vector<std::string> list = split(m_variables.expanded(one), "; ");
        return contains(list, "CUDA");
    });
}

// CMake 3.18 and newer, or a policy of these.
void CMakeExecution::require(const std::vector<std::string>& words) {
    if (words.size() < 2) return;
    const std::size_t range = words[1].find("...");
    const auto version = parse_version(range == npos ? words[1] : words[1].substr(range + 3));
    if (version) m_sets_archs = *version >= *parse_version("3.18");
}

}  // namespace ptxguard::recipes
