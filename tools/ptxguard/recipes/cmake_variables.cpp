// SPDX-License-Identifier: Apache-2.0
#include "recipes/cmake_variables.hpp"

#include <algorithm>

#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/cmake_effects.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_longest_value = 1u << 16;  // a longer one is not replaced

bool has(const std::vector<std::string>& words, const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

CMakeVariables::CMakeVariables(const std::map<std::string, std::string>& given) {
    for (const auto& [name, value] : given) m_given.set(name, value);
    m_values = m_given;
}

std::set<std::string> CMakeVariables::open() const {
    std::set<std::string> names;
    m_open.each([&](const std::string& name, bool) { names.insert(name); });
    return names;
}

bool CMakeVariables::refers_to_open(const std::string& value) const {
    for (std::size_t at = value.find("${"); at != npos; at = value.find("${", at + 2))
        if (is_open(value.substr(at + 2, value.find('}', at) - at - 2))) return true;
    return false;
}

void CMakeVariables::set(const std::string& name, const std::string& value) {
    if (is_given(name)) return;
    const bool open = refers_to_open(value);  // set(X "${X} more") too
    m_values.set(name, value);
    if (open)
        leave_open(name);
    else
        m_open.erase(name);
}

void CMakeVariables::leave_open(const std::string& name) {
    if (!is_given(name) && is_name(name)) m_open.set(name, true);
}

void CMakeVariables::erase(const std::string& name) {
    if (is_given(name)) return;
    m_values.erase(name);
    m_open.erase(name);
}

void CMakeVariables::run(const CMakeCommand& command) {
    const std::string& name = command.name;
    const std::vector<std::string>& words = command.arguments;
    if (words.empty()) return;
    const std::string variable = expanded(words[0]);
    if (name == "option") return set(variable, words.size() > 2 ? expanded(words[2]) : "OFF");
    if (name == "cmake_dependent_option" && words.size() > 2) return set(variable, expanded(words[2]));
    if (name == "set" && words.size() > 1) {
        if (!has(words, "PARENT_SCOPE")) return set(variable, joined(words, 1));
        const std::string value = joined(words, 1);
        m_for_caller[variable] = refers_to_open(value) ? std::nullopt : std::optional<std::string>(value);
        return;
    }
    if (name == "unset") return erase(variable);
    if (name == "list" && words.size() > 2 && is_one_of(words[0], {"APPEND", "PREPEND"})) {
        const std::string list = expanded(words[1]);
        const std::string* before = find(list);
        return is_open(list) ? leave_open(list) : set(list, (before ? *before + ";" : "") + joined(words, 2));
    }
    may_set(command);
}

void CMakeVariables::may_run(const CMakeCommand& command) {
    const std::vector<std::string>& words = command.arguments;
    if (words.empty()) return;
    if (!is_one_of(command.name, {"set", "option", "cmake_dependent_option", "unset"}))
        return may_set(command);
    const std::string name = expanded(words[0]);
    if (has(words, "PARENT_SCOPE"))
        m_for_caller[name] = std::nullopt;
    else
        leave_open(name);
}

void CMakeVariables::may_set(const CMakeCommand& command) {
    const std::vector<std::string>& words = command.arguments;
    if (command.name == "list" && words.size() > 1) leave_open(expanded(words[1]));
    if (command.name == "list" && words.size() > 2 && is_one_of(words[0], {"LENGTH", "GET", "FIND", "JOIN"}))
        leave_open(expanded(words.back()));
    if (command.name == "cmake_parse_arguments" && words.size() > 3)
        for (std::size_t i = 1; i < 4; ++i)
            for (const std::string& one : split(expanded(words[i]), ";"))
                leave_open(expanded(words[0]) + "_" + one);
    if (leaves_variables(command.name)) return;
    // A function that is not here puts its results where no value is.
    const bool sure = sets_variables(command.name);
    for (const std::string& word : words) {
        const std::string name = expanded(word);
        if (sure || !m_values.has(name)) leave_open(name);
    }
}

CMakeVariables CMakeVariables::function_scope() const {
    CMakeVariables scope = *this;
    scope.m_for_caller.clear();
    return scope;
}

void CMakeVariables::take_results(const CMakeVariables& function) {
    for (const auto& [name, value] : function.m_for_caller)
        if (value)
            set(name, *value);
        else
            leave_open(name);
}

// Up to CACHE.
std::string CMakeVariables::joined(const std::vector<std::string>& words, std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < words.size() && words[i] != "CACHE" && words[i] != "PARENT_SCOPE"; ++i)
        text += (i > first ? ";" : "") + expanded(words[i]);
    return text;
}

std::string CMakeVariables::expanded(const std::string& word) const {
    std::string text;
    std::size_t at = 0;
    for (std::size_t open; (open = word.find("${", at)) != npos;) {
        text.append(word, at, open - at);
        at = open + 2;
        const std::size_t close = word.find('}', at);
        const std::string name = close == npos ? "" : word.substr(at, close - at);
        const std::string* known = name.empty() || is_open(name) ? nullptr : find(name);
        if (!known) {
            text += "${";
            continue;
        }
        if (text.size() + known->size() > k_longest_value) return word;
        text += *known;
        at = close + 1;
    }
    return text + word.substr(at);
}

// foreach(X a b), foreach(X IN LISTS A ITEMS b)
std::optional<std::vector<std::string>> CMakeVariables::items(const CMakeCommand& foreach) const {
    const auto items = foreach_items(foreach);
    if (!items) return std::nullopt;
    std::vector<std::string> all;
    for (const ForeachItem& one : *items) {
        const std::string& word = foreach.arguments[one.argument];
        if (one.list && is_open(word)) return std::nullopt;
        const std::string* list = one.list ? find(word) : nullptr;
        const std::string text = one.list ? (list ? *list : "") : expanded(word);
        if (text.find("${") != npos) return std::nullopt;
        for (std::string& item : split(text, ";")) all.push_back(std::move(item));
    }
    return all;
}

}  // namespace ptxguard::recipes
