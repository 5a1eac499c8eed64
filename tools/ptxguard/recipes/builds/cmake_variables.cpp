// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_variables.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/builds/cmake_effects.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_bytes_of_variable = 1u << 16;  // a longer one is not replaced
constexpr std::size_t k_longest_open = 1u << 12;       // what an open one may have, beyond it what it had

// The items of both lists, each once.
std::string joined_once(const std::string& before, const std::string& more) {
    std::vector<std::string> items = split(before, ";");
    for (std::string& item : split(more, ";"))
        if (!contains(items, item)) items.push_back(std::move(item));
    return ptxguard::joined(items, ";");
}

}  // namespace

CMakeVariables::CMakeVariables(const CMakeBuild& build) : m_cuda(build.cuda), m_by_default(build.by_default) {
    for (const auto& [name, value] : build.given) m_given.set(name, value);
    m_values = m_given;
}

std::optional<std::string> CMakeVariables::known(const std::string& name) const {
    const std::string* value = is_open(name) ? nullptr : find(name);
    if (value && value->find('$') == npos) return *value;
    return m_cuda ? release_in(name, *m_cuda) : std::nullopt;
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

bool CMakeVariables::is_default(const std::string& word) const {
    for (std::size_t at = word.find("${"); at != npos; at = word.find("${", at + 2))
        if (const std::string name = word.substr(at + 2, word.find('}', at) - at - 2);
            m_defaults.has(name) || is_open(name))
            return true;
    return false;
}

void CMakeVariables::set(const std::string& name, const std::string& value) {
    if (is_given(name)) return;
    if (value.size() > k_bytes_of_variable) return m_too_long = true, leave_open(name);
    const bool open = refers_to_open(value);  // set(X "${X} more") too
    m_values.set(name, value);
    m_changed.insert(name);
    if (open)
        leave_open(name);
    else
        m_open.erase(name);
}

void CMakeVariables::leave_open(const std::string& name) {
    if (is_given(name) || !is_name(name)) return;
    m_open.set(name, true);
    m_changed.insert(name);
}

void CMakeVariables::erase(const std::string& name) {
    if (is_given(name)) return;
    m_values.erase(name);
    m_open.erase(name);
    m_changed.insert(name);
}

// set(NAME ...): what it may have instead of what is known stays in the value of an open one.
void CMakeVariables::set_by(const std::vector<std::string>& words, const std::string& name) {
    const std::string value = joined(words, 1), all = joined(words, 1, true);
    const bool is_cached = contains(words, "CACHE");
    if (is_cached && words.back() != "FORCE" && (m_values.has(name) || is_open(name))) return;
    const bool chosen = is_cached || std::any_of(words.begin() + 1, words.end(),
                                                 [&](const std::string& word) { return is_default(word); });
    if (is_cached) m_for_caller[name] = refers_to_open(value) ? std::nullopt : std::optional(value);
    set(name, value);
    if (is_open(name) && !is_given(name) && all.size() <= k_longest_open) m_values.set(name, all);
    chosen ? m_defaults.set(name, true) : m_defaults.erase(name);
}

void CMakeVariables::run(const CMakeCommand& command) {
    const std::string& name = command.name;
    const std::vector<std::string>& words = command.arguments;
    m_changed.clear();
    if (words.empty()) return;
    const std::string variable = expanded(words[0]);
    if (name == "option" || (name == "cmake_dependent_option" && words.size() > 2)) {
        const std::string value = words.size() > 2 ? expanded(words[2]) : "OFF";
        if (!m_by_default && !is_on(value)) return leave_open(variable);
        return set(variable, value);
    }
    if (name == "set" && words.size() > 1) {
        if (!contains(words, "PARENT_SCOPE")) return set_by(words, variable);
        const std::string value = joined(words, 1);
        m_for_caller[variable] = refers_to_open(value) ? std::nullopt : std::optional<std::string>(value);
        return;
    }
    if (name == "unset") return erase(variable);
    if (name == "list" && words.size() > 2 && is_one_of(words[0], {"APPEND", "PREPEND"})) {
        const std::string list = expanded(words[1]), more = joined(words, 2, is_open(expanded(words[1])));
        const std::string* before = find(list);
        const bool open = is_open(list), first = words[0] == "PREPEND", empty = !before || before->empty();
        if (open && before && before->size() + more.size() > k_longest_open) return;
        set(list, empty ? more : first ? more + ";" + *before : *before + ";" + more);
        if (open) leave_open(list);
        return;
    }
    if (!compute(command)) may_set(command);
}

// string(REGEX MATCH ...) of known values.
bool CMakeVariables::set_matched(const std::vector<std::string>& words) {
    if (any_of(words, [](const std::string& word) { return word.find("${") != npos; })) return false;
    const auto matched = regex_result(words);
    for (const auto& [name, value] : matched) set(name, value);
    return !matched.empty();
}

// What a command computes of known values: list(GET ...), string(REPLACE ...), math().
bool CMakeVariables::compute(const CMakeCommand& command) {
    std::vector<std::string> words;
    for (const std::string& word : command.arguments) words.push_back(expanded(word));
    if (command.name == "list" && words.size() > 1) {
        const std::string* list = find(words[1]);
        const auto target = list_target(words);
        const auto result =
            target && !is_open(words[1]) ? list_result(words, list ? *list : "") : std::nullopt;
        if (!result || result->find("${") != npos) return false;
        return set(*target, *result), true;
    }
    if (command.name == "string" && words.size() > 2 && words[0] == "APPEND") {
        const std::string* before = find(words[1]);
        const bool open = is_open(words[1]);
        if (open && before && before->size() > k_longest_open) return true;
        std::string text = before ? *before : "";
        for (std::size_t i = 2; i < words.size(); ++i)
            text += open ? expanded_partly(command.arguments[i]) : words[i];
        set(words[1], text);
        if (open) leave_open(words[1]);
        return true;
    }
    if (command.name != "string" && command.name != "math") return false;
    if (set_matched(words)) return true;
    const auto result = text_result(command.name, words);
    if (!result || result->second.find("${") != npos) return false;
    return set(result->first, result->second), true;
}

void CMakeVariables::may_run(const CMakeCommand& command) {
    const std::vector<std::string>& words = command.arguments;
    m_changed.clear();
    if (words.empty()) return;
    const bool appends = words.size() > 2 && ((command.name == "list" && words[0] == "APPEND") ||
                                              (command.name == "string" && words[0] == "APPEND"));
    if (!appends && !is_one_of(command.name, {"set", "option", "cmake_dependent_option", "unset"}))
        return may_set(command);
    const std::string name = expanded(words[appends]);
    if (contains(words, "PARENT_SCOPE")) {
        m_for_caller[name] = std::nullopt;
        return;
    }
    leave_open(name);
    if (command.name == "option" || command.name == "unset" || is_given(name)) return;
    // Both values: `set(X ${X} more)` has the old one in it.
    const std::string* before = find(name);
    std::string now = joined(words, 1 + appends, true);
    if (appends || (before && now.find(*before) == npos)) now = joined_once(before ? *before : "", now);
    if (now.size() <= k_longest_open) m_values.set(name, now);
}

void CMakeVariables::may_set(const CMakeCommand& command) {
    const std::vector<std::string>& words = command.arguments;
    if (command.name == "list" && words.size() > 1) {
        std::vector<std::string> known;
        for (const std::string& word : words) known.push_back(expanded(word));
        if (const auto target = list_target(known)) leave_open(*target);
    }
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

CMakeVariables CMakeVariables::inner_scope() const {
    CMakeVariables scope = *this;
    scope.m_for_caller.clear();
    return scope;
}

void CMakeVariables::take_results(const CMakeVariables& inner) {
    m_too_long = m_too_long || inner.m_too_long;
    for (const auto& [name, value] : inner.m_for_caller)
        if (value)
            set(name, *value);
        else
            leave_open(name);
}

// Up to CACHE.
std::string CMakeVariables::joined(const std::vector<std::string>& words, std::size_t first,
                                   bool partly) const {
    std::string text;
    for (std::size_t i = first; i < words.size() && words[i] != "CACHE" && words[i] != "PARENT_SCOPE"; ++i)
        text += (i > first ? ";" : "") + expanded(words[i], partly);
    return text;
}

std::string CMakeVariables::expanded(const std::string& word, bool partly) const {
    std::string text;
    std::size_t at = 0;
    for (std::size_t open; (open = word.find("${", at)) != npos;) {
        text.append(word, at, open - at);
        at = open + 2;
        const std::size_t close = word.find('}', at);
        const std::string name = close == npos ? "" : word.substr(at, close - at);
        const std::string* value = name.empty() || (is_open(name) && !partly) ? nullptr : find(name);
        const auto release = value || name.empty() ? std::nullopt : known(name);
        if (release) value = &*release;
        if (!value && partly && !name.empty()) {
            at = close + 1;
            continue;
        }
        if (!value) {
            text += "${";
            continue;
        }
        if (text.size() + value->size() > k_bytes_of_variable) return m_too_long = true, word;
        text += *value;
        at = close + 1;
    }
    return text + word.substr(at);
}

// foreach(X a b), foreach(X IN LISTS A ITEMS b)
std::optional<std::vector<std::string>> CMakeVariables::items(const CMakeCommand& foreach, bool& all) const {
    const auto items = foreach_items(foreach);
    if (!items) return std::nullopt;
    std::vector<std::string> found;
    all = true;
    for (const ForeachItem& one : *items) {
        const std::string& word = foreach.arguments[one.argument];
        const std::string value = one.list ? "${" + word + "}" : word;
        std::string text = expanded(value);
        if (one.list && text == value && !is_open(word)) text.clear();  // an empty list
        if (text.find("${") != npos) all = false, text = expanded_partly(value);
        for (std::string& item : split(text, ";")) found.push_back(std::move(item));
    }
    return all || !found.empty() ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace ptxguard::recipes
