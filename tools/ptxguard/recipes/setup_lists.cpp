// SPDX-License-Identifier: Apache-2.0
#include "recipes/setup_lists.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

struct Loop {
    std::vector<std::string> names;  // "major", "minor"
    std::string over;                // "capabilities"
};

std::string without_calls(std::string text) {
    text = trim(text);
    for (const char* call : {"list(", "sorted(", "set(", "tuple("})
        if (starts_with(text, call) && text.back() == ')')
            return without_calls(
                text.substr(std::string_view(call).size(), text.size() - std::string_view(call).size() - 1));
    return text;
}

// "for major, minor in list(capabilities)" behind `at`, up to one of `ends`.
std::optional<Loop> loop_at(std::string_view text, std::size_t at, const char* ends) {
    const std::size_t in = text.find(" in ", at);
    const std::size_t line = std::min(text.find('\n', at), text.size());
    if (in == npos || in > line) return std::nullopt;
    Loop loop;
    for (const std::string& name : split(text.substr(at + 4, in - at - 4), ", ()"))
        loop.names.push_back(name);
    const std::size_t end = std::min(text.find_first_of(ends, in + 4), line);
    loop.over = without_calls(std::string(text.substr(in + 4, end - in - 4)));
    return is_name(loop.over) ? std::optional(std::move(loop)) : std::nullopt;
}

// The nearest loop in whose block `at` is, or the comprehension in its line.
std::optional<Loop> loop_around(std::string_view text, std::size_t at) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    if (const std::size_t here = text.find(" for ", at); here < line_end)
        return loop_at(text, here + 1, "]}");
    constexpr int k_most_lines = 20;
    std::size_t begin = at;
    for (int lines = 0; lines < k_most_lines && begin > 0; ++lines) {
        const std::size_t before = begin < 2 ? npos : text.rfind('\n', begin - 2);
        const std::size_t next = before == npos ? 0 : before + 1;
        const std::size_t first = text.find_first_not_of(" \t", next);
        if (first != npos && text.substr(first, 4) == "for ") return loop_at(text, first, ":");
        begin = next;
    }
    return std::nullopt;
}

struct Item {
    std::vector<std::string> values;  // of a tuple, or one
    std::size_t begin = 0;
};

// (3, 7), "80", 80: from `at` up to the bracket that closes the list.
std::vector<Item> items_at(std::string_view text, std::size_t at) {
    std::vector<Item> items;
    std::string number;
    Item tuple;
    int depth = 0;
    const auto finish = [&] {
        if (number.empty()) return;
        if (depth > 0) {
            tuple.values.push_back(number);
        } else {
            items.push_back({{number}, at - number.size()});
        }
        number.clear();
    };
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (is_digit(c) || (c == '.' && !number.empty())) {
            number += c;
            continue;
        }
        finish();
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (c == '(') {
            if (depth++ == 0) tuple = {{}, at};
        } else if (c == ')') {
            if (depth == 0) break;  // of add(...)
            if (--depth == 0) items.push_back(std::move(tuple));
        } else if (c == ']' || c == '}') {
            break;
        } else if (std::string_view(" \t\r\n,'\"").find(c) == npos) {
            return {};  // a computation
        }
    }
    return items;
}

// NAME = [..], NAME = set([..]), NAME.append(..), NAME.add(..), outside of branches.
std::vector<Item> literal_items(std::string_view text, const std::string& name) {
    std::vector<Item> all;
    for (std::size_t at = text.find(name); at != npos; at = text.find(name, at + 1)) {
        if (at > 0 && text[at - 1] != '\n') continue;  // indented: in a branch or function
        std::size_t behind = at + name.size();
        std::size_t open = npos;
        for (const char* call : {".add(", ".append("})
            if (text.substr(behind, std::string_view(call).size()) == call)
                open = behind + std::string_view(call).size();
        const std::size_t equals = text.find_first_not_of(" ", behind);
        if (open == npos && equals != npos && text[equals] == '=' && text.substr(equals + 1, 1) != "=") {
            const std::size_t line = std::min(text.find('\n', equals), text.size());
            open = text.find_first_of("[{", equals);
            if (open == npos || open > line) continue;
            const std::string before = trim(text.substr(equals + 1, open - equals - 1));
            if (!before.empty() && before != "set(") continue;
            ++open;
        }
        if (open == npos) continue;
        for (Item& item : items_at(text, open)) all.push_back(std::move(item));
    }
    return all;
}

}  // namespace

std::vector<Written> flags_of_loop(const PlacedText& script, std::size_t begin, const std::string& text) {
    const auto loop = loop_around(script.text, begin);
    if (!loop || loop->names.empty()) return {};
    std::vector<Written> flags;
    for (const Item& item : literal_items(script.text, loop->over)) {
        if (item.values.size() != loop->names.size()) return {};
        std::string flag = text;
        for (std::size_t i = 0; i < loop->names.size(); ++i)
            flag = replace_all(std::move(flag), "{" + loop->names[i] + "}", item.values[i]);
        if (flag.find_first_of("{}.") != npos) return {};
        flags.push_back(script.written(item.begin, flag));
    }
    return flags;
}

}  // namespace ptxguard::recipes
