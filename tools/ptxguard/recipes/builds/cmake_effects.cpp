// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_effects.hpp"

#include <algorithm>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/line_pattern.hpp"
#include "recipes/shell/shell_arithmetic.hpp"

namespace ptxguard::recipes {

bool leaves_variables(const std::string& command) {
    for (const char* start :
         {"add_", "target_", "link_", "enable_", "define_", "fetchcontent_", "cuda_add_", "cuda_include_",
          "set_target", "set_source", "set_tests", "set_directory", "source_", "include", "remove_"})
        if (starts_with(command, start)) return true;
    static const std::vector<std::string> names = split(
        "message mark_as_advanced project find_package install export return break continue block "
        "set_property cmake_minimum_required cmake_policy cmake_print_variables cmake_language "
        "configure_file option cmake_dependent_option set list unset",
        " ");
    return contains(names, command);
}

bool sets_variables(const std::string& command) {
    return starts_with(command, "get_") || starts_with(command, "find_") || starts_with(command, "try_") ||
           is_one_of(command, {"string", "math", "file", "execute_process", "separate_arguments",
                               "cmake_path", "cmake_host_system_information", "aux_source_directory",
                               "exec_program", "variable_requires"});
}

bool may_set_architectures(const std::string& command) {
    if (leaves_variables(command) || sets_variables(command)) return false;
    const std::vector<std::string> words = split(command, "_");
    return any_of(words, [](const std::string& word) { return starts_with(word, "arch"); });
}

bool takes_flags(const std::string& command) {
    return is_one_of(command, {"target_compile_options", "add_compile_options", "cuda_add_library",
                               "cuda_add_executable"});
}

std::optional<std::string> list_target(const std::vector<std::string>& words) {
    if (words.size() < 2) return std::nullopt;
    const bool has_output = is_one_of(words[0], {"LENGTH", "GET", "FIND", "JOIN", "SUBLIST"});
    return has_output ? words.back() : words[1];
}

namespace {

using CMakeItems = std::vector<std::string>;

// list(GET LIST 0 -1 OUTPUT)
std::optional<std::string> items_at(const CMakeItems& items, const CMakeItems& given) {
    std::string text;
    for (std::size_t i = 0; i + 1 < given.size(); ++i) {
        const std::string digits = given[i].substr(starts_with(given[i], "-"));
        if (!all_digits(digits) || digits.empty() || digits.size() > 4) return std::nullopt;
        const std::size_t number = std::stoul(digits);
        const std::size_t at = digits == given[i] ? number : items.size() - number;
        if (at >= items.size()) return std::nullopt;
        text += (i ? ";" : "") + items[at];
    }
    return text;
}

// The actions that change the list itself; false: another one.
bool change_items(const std::string& action, const CMakeItems& given, CMakeItems& items) {
    if (action == "REMOVE_ITEM")
        erase_if(items, [&](const std::string& item) { return contains(given, item); });
    else if (action == "REMOVE_DUPLICATES")
        for (auto one = items.begin(); one != items.end();)
            one = std::find(items.begin(), one, *one) == one ? one + 1 : items.erase(one);
    else if (action == "REVERSE")
        std::reverse(items.begin(), items.end());
    else if (action == "TRANSFORM" && given.size() == 2 && is_one_of(given[0], {"APPEND", "PREPEND"}))
        for (std::string& item : items) item = given[0] == "APPEND" ? item + given[1] : given[1] + item;
    else if (!given.empty())
        return false;
    else if (action == "SORT")
        std::sort(items.begin(), items.end());
    else if (action == "POP_BACK" && !items.empty())
        items.pop_back();
    else if (action == "POP_FRONT" && !items.empty())
        items.erase(items.begin());
    else
        return false;
    return true;
}

}  // namespace

std::optional<std::string> list_result(const std::vector<std::string>& words, const std::string& list) {
    const std::string& action = words[0];
    CMakeItems items = split(list, ";");
    const CMakeItems given(words.begin() + 2, words.end());
    if (action == "LENGTH") return std::to_string(items.size());
    if (action == "JOIN" && given.size() == 2) return joined(items, given[0]);
    if (action == "GET") return items_at(items, given);
    if (action == "FIND" && given.size() == 2) {
        const auto found = std::find(items.begin(), items.end(), given[0]);
        return found == items.end() ? "-1" : std::to_string(found - items.begin());
    }
    return change_items(action, given, items) ? std::optional(joined(items, ";")) : std::nullopt;
}

std::optional<std::pair<std::string, std::string>> text_result(const std::string& command,
                                                               const std::vector<std::string>& words) {
    using Result = std::pair<std::string, std::string>;
    if (words.size() < 3) return std::nullopt;
    if (command == "math") {
        bool fixed = true;
        const auto value = arithmetic(words[2], {}, fixed);  // its variables are replaced
        return words[0] == "EXPR" && value ? std::optional(Result(words[1], std::to_string(*value)))
                                           : std::nullopt;
    }
    const std::string& action = words[0];
    if (action == "REPLACE" && words.size() > 4) {
        std::string text;
        for (std::size_t i = 4; i < words.size(); ++i) text += words[i];
        const std::size_t longest = words[1].empty() ? 0 : text.size() / words[1].size() * words[2].size();
        if (longest > 1u << 20) return std::nullopt;
        return Result(words[3], words[1].empty() ? text : replace_all(text, words[1], words[2]));
    }
    if (action == "CONCAT" || action == "JOIN") {
        const std::size_t target = action == "JOIN" ? 2 : 1;
        const std::vector<std::string> parts(words.begin() + static_cast<std::ptrdiff_t>(target) + 1,
                                             words.end());
        return Result(words[target], joined(parts, action == "JOIN" ? words[1] : ""));
    }
    if (action == "TOUPPER" || action == "TOLOWER")
        return Result(words[2], action == "TOUPPER" ? upper(words[1]) : lower(words[1]));
    if (action == "STRIP") return Result(words[2], trim(words[1]));
    return std::nullopt;
}

namespace {

std::string matched_part(const std::string& text, const Range& range) {
    return range.begin == npos ? "" : std::string(range.of(text));
}

// "\\1" and "\1" become the groups.
std::string with_groups(std::string text, const std::vector<std::string>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        text = replace_all(replace_all(text, "\\\\" + number, groups[i]), "\\" + number, groups[i]);
    }
    return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> regex_result(const std::vector<std::string>& words) {
    if (words.size() < 5 || words[0] != "REGEX" || !is_one_of(words[1], {"MATCH", "REPLACE"})) return {};
    const bool replaces = words[1] == "REPLACE";
    const std::size_t target = replaces ? 4 : 3;
    const auto pattern = LinePattern::read(replace_all(words[2], "\\\\", "\\"), {true});
    if (!pattern || words.size() < target + 2) return {};
    const std::string text =
        joined({words.begin() + static_cast<std::ptrdiff_t>(target) + 1, words.end()}, "");
    const LinePattern::Found found = pattern->find(text);
    if (!found.known) return {};
    if (found.begin == npos) return {{words[target], replaces ? text : ""}};
    if (replaces && pattern->find(text, found.end).begin != npos) return {};
    std::vector<std::pair<std::string, std::string>> set;
    std::vector<std::string> groups;
    constexpr std::size_t k_all_groups = 9;  // CMAKE_MATCH_9 is the last one
    for (std::size_t i = 0; i < found.groups.size() && i < k_all_groups; ++i) {
        groups.push_back(matched_part(text, found.groups[i]));
        set.emplace_back("CMAKE_MATCH_" + std::to_string(i + 1), groups.back());
    }
    const std::string match = matched_part(text, {found.begin, found.end});
    const std::string result =
        text.substr(0, found.begin) + with_groups(words[3], groups) + text.substr(found.end);
    set.emplace_back(words[target], replaces ? result : match);
    return set;
}

bool is_flags_variable(const std::string& name) {
    return starts_with(name, "CMAKE_CXX_FLAGS") || name == "CMAKE_CUDA_FLAGS" || name == "CUDA_NVCC_FLAGS" ||
           starts_with(name, "CMAKE_CUDA_FLAGS_");
}

}  // namespace ptxguard::recipes
