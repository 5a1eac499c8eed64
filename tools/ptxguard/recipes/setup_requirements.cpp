// SPDX-License-Identifier: Apache-2.0
#include "recipes/setup_requirements.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "recipes/requirements.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// The '[' of NAME = [...] at the start of a line, for install_requires=NAME.
std::size_t opened_by_name(std::string_view text, std::string_view name, char opening) {
    for (std::size_t at = text.find(name); at != npos; at = text.find(name, at + 1)) {
        if (at > 0 && text[at - 1] != '\n') continue;
        const std::size_t equals = text.find_first_not_of(" \t", at + name.size());
        const std::size_t open =
            equals == npos || text[equals] != '=' ? npos : text.find_first_not_of(" \t", equals + 1);
        if (open != npos && text[open] == opening) return open;
    }
    return npos;
}

// The strings between two places, each a requirement.
void add_strings(const PlacedText& text, const std::vector<Quoted>& quoted, std::size_t begin,
                 std::size_t end, std::vector<WrittenRequirement>& into) {
    for (auto one = first_from(quoted, begin); one != quoted.end() && one->begin <= end; ++one) {
        if (one->formatted) continue;
        const Written word = text.written(one->begin, one->end);
        if (!word.text.empty()) into.push_back(read_requirement(word));
    }
}

// Where the list that opens at `open` ends: "uvicorn[standard]" has a bracket inside of a string.
std::size_t end_of_list(std::string_view all, const std::vector<Quoted>& quoted, std::size_t open) {
    const char closing = all[open] == '[' ? ']' : ')';
    std::size_t from = open + 1;
    for (auto item = first_from(quoted, from); item != quoted.end(); ++item) {
        const std::size_t bracket = all.substr(from, item->begin - from).find(closing);
        if (bracket != npos) return from + bracket;
        from = item->end;
    }
    return std::min(all.find(closing, from), all.size());
}

// The strings in the list after `install_requires=[`, or in the list that it names.
void add_required(const PlacedText& text, const std::vector<Quoted>& quoted,
                  std::vector<WrittenRequirement>& into) {
    const std::string_view all = text.text;
    bool named = false;  // one search: setup() is called once
    for (std::size_t at = all.find("install_requires"); at != npos;
         at = all.find("install_requires", at + 1)) {
        std::size_t open = all.find_first_not_of(" \t=", at + 16);
        if (open == npos) continue;
        const std::size_t after = all.find_first_not_of(k_of_names, open);
        const bool passed = all[at + 16] == '=' || all[at + 16] == ' ';
        if (!named && after > open && passed && after != npos && (all[after] == ',' || all[after] == ')')) {
            named = true;
            open = opened_by_name(all, all.substr(open, after - open), '[');
        }
        if (open == npos || all[open] != '[') continue;
        const std::size_t close = end_of_list(all, quoted, open);
        add_strings(text, quoted, open, close, into);
        at = std::max(at, std::min(close, all.size() - 1));
    }
}

// extras_require={"gpu": ["torch==2.0.1"], ...}: names with a list of strings; others are computed.
void add_extras(const PlacedText& text, const std::vector<Quoted>& quoted, SetupRequirements& required) {
    const std::string_view all = text.text, key = "extras_require";
    const std::size_t at = all.find(key);
    std::size_t open = at == npos ? npos : all.find_first_not_of(" \t\n=", at + key.size());
    if (open == npos) return;
    const std::size_t after = all.find_first_not_of(k_of_names, open);
    if (after > open && after != npos && (all[after] == ',' || all[after] == ')'))
        open = opened_by_name(all, all.substr(open, after - open), '{');
    if (open == npos || all[open] != '{') return;
    std::size_t from = open + 1;
    for (auto one = first_from(quoted, from); one != quoted.end(); one = first_from(quoted, from)) {
        if (all.substr(from, one->begin - from).find('}') != npos) return;
        from = one->end + 1;
        const std::size_t colon = all.find_first_not_of(" \t\n", from);
        if (colon == npos || all[colon] != ':') continue;
        const std::size_t list = all.find_first_not_of(" \t\n", colon + 1);
        if (list == npos || (all[list] != '[' && all[list] != '(')) continue;
        const std::size_t close = end_of_list(all, quoted, list);
        std::vector<WrittenRequirement> more;
        add_strings(text, quoted, list, close, more);
        if (!more.empty())
            required.extras.emplace_back(all.substr(one->begin, one->end - one->begin), std::move(more));
        from = close;
    }
}

}  // namespace

std::vector<Quoted> quoted_texts(std::string_view text) {
    std::vector<Quoted> all;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
        } else if (c != '"' && c != '\'') {
            ++i;
        } else if (text.substr(i, 3) == std::string(3, c)) {
            const std::size_t end = text.find(std::string(3, c), i + 3);
            i = end == npos ? text.size() : end + 3;
        } else {
            Quoted one;
            one.begin = i + 1;
            one.formatted = i > 0 && (text[i - 1] == 'f' || text[i - 1] == 'F');
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
                if (text[i] == '\\') ++i;
            one.end = std::min(i, text.size());
            all.push_back(one);
            if (i < text.size()) ++i;
        }
    }
    return all;
}

std::vector<Quoted>::const_iterator first_from(const std::vector<Quoted>& quoted, std::size_t at) {
    return std::lower_bound(quoted.begin(), quoted.end(), at,
                            [](const Quoted& one, std::size_t offset) { return one.begin < offset; });
}

SetupRequirements requirements_of_script(const PlacedText& text, const std::vector<Quoted>& quoted) {
    SetupRequirements required;
    add_required(text, quoted, required.always);
    add_extras(text, quoted, required);
    return required;
}

// `install_requires =` and, in [options.extras_require], `gpu =`, each with its indented lines.
SetupRequirements requirements_of_cfg(const PlacedText& text) {
    SetupRequirements required;
    std::size_t begin = 0;
    bool of_extras = false;
    std::vector<WrittenRequirement>* into = nullptr;
    const auto add = [&](std::string_view line, std::string_view content) {
        const std::size_t at = begin + static_cast<std::size_t>(content.data() - line.data());
        into->push_back(read_requirement(text.written(at, at + content.size())));
    };
    for (const std::string_view line : lines_of(text.text)) {
        const std::string_view content = trimmed(line);
        const bool indented = !line.empty() && (line.front() == ' ' || line.front() == '\t');
        const std::size_t equals = content.find('=');
        if (content.empty() || content.front() == '#') {
            // between the lines of a list
        } else if (content.front() == '[' && !indented) {
            of_extras = content == "[options.extras_require]";
            into = nullptr;
        } else if (!indented && equals != npos) {
            const std::string_view name = trimmed(content.substr(0, equals));
            into = nullptr;
            if (name == "install_requires") into = &required.always;
            if (of_extras)
                into = &required.extras.emplace_back(std::string(name), std::vector<WrittenRequirement>{})
                            .second;
            const std::string_view value = trimmed(content.substr(equals + 1));
            if (into && !value.empty()) add(line, value);
        } else if (indented && into) {
            add(line, content);
        }
        begin = std::min(text.text.find('\n', begin), text.text.size() - 1) + 1;
    }
    auto& extras = required.extras;
    extras.erase(
        std::remove_if(extras.begin(), extras.end(), [](const auto& one) { return one.second.empty(); }),
        extras.end());
    return required;
}

}  // namespace ptxguard::recipes
