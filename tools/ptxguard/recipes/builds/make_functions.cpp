// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/make_functions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t k_bytes_of_result = 1u << 18;  // a larger one is not known

Words words_in(const std::string& text) { return split(text, " \t\n"); }

// "%.o" and "a.o": the text for "%"; nothing if it does not match.
std::optional<std::string> stem_of(const std::string& word, const std::string& pattern) {
    const std::size_t sign = pattern.find('%');
    if (sign == npos) return word == pattern ? std::optional<std::string>("") : std::nullopt;
    const std::string_view start = std::string_view(pattern).substr(0, sign),
                           end = std::string_view(pattern).substr(sign + 1);
    if (word.size() < start.size() + end.size() || !starts_with(word, start) || !ends_with(word, end))
        return std::nullopt;
    return word.substr(start.size(), word.size() - start.size() - end.size());
}

std::string with_stem(const std::string& pattern, const std::string& stem) {
    const std::size_t sign = pattern.find('%');
    return sign == npos ? pattern : pattern.substr(0, sign) + stem + pattern.substr(sign + 1);
}

std::string substituted(const std::string& text, const std::string& from, const std::string& to) {
    Words all = words_in(text);
    for (std::string& word : all)
        if (const auto stem = stem_of(word, from)) word = with_stem(to, *stem);
    return joined(all, " ");
}

std::string filtered(const std::string& patterns, const std::string& text, bool keeps) {
    const Words all = words_in(patterns);
    Words kept;
    for (const std::string& word : words_in(text)) {
        const bool matches =
            any_of(all, [&](const std::string& one) { return stem_of(word, one).has_value(); });
        if (matches == keeps) kept.push_back(word);
    }
    return joined(kept, " ");
}

// The words [first, last], counted from 1.
std::string words_between(const std::string& text, std::size_t first, std::size_t last) {
    const Words all = words_in(text);
    Words some;
    for (std::size_t i = std::max<std::size_t>(first, 1); i <= std::min(last, all.size()); ++i)
        some.push_back(all[i - 1]);
    return joined(some, " ");
}

std::size_t count_of_word(const std::string& text) {
    const std::string number = trim(text);
    return all_digits(number) && number.size() < 6 ? std::stoul(number) : 0;
}

struct MakeFunction {
    const char* name;
    std::size_t arguments;
    std::string (*value)(const Words& given);
};

std::string each_word(const std::string& text, const std::string& before, const std::string& behind) {
    Words all = words_in(text);
    for (std::string& word : all) word = before + word + behind;
    return joined(all, " ");
}

constexpr MakeFunction k_functions[] = {
    {"subst", 3, [](const Words& a) { return a[0].empty() ? a[2] : replace_all(a[2], a[0], a[1]); }},
    {"patsubst", 3, [](const Words& a) { return substituted(a[2], trim(a[0]), trim(a[1])); }},
    {"strip", 1, [](const Words& a) { return joined(words_in(a[0]), " "); }},
    {"word", 2, [](const Words& a) { return words_between(a[1], count_of_word(a[0]), count_of_word(a[0])); }},
    {"wordlist", 3,
     [](const Words& a) { return words_between(a[2], count_of_word(a[0]), count_of_word(a[1])); }},
    {"sort", 1,
     [](const Words& a) {
         Words all = words_in(a[0]);
         std::sort(all.begin(), all.end());
         all.erase(std::unique(all.begin(), all.end()), all.end());
         return joined(all, " ");
     }},
    {"firstword", 1, [](const Words& a) { return words_between(a[0], 1, 1); }},
    {"lastword", 1,
     [](const Words& a) {
         const std::size_t count = words_in(a[0]).size();
         return words_between(a[0], count, count);
     }},
    {"addprefix", 2, [](const Words& a) { return each_word(a[1], trim(a[0]), ""); }},
    {"addsuffix", 2, [](const Words& a) { return each_word(a[1], "", trim(a[0])); }},
    {"filter", 2, [](const Words& a) { return filtered(a[0], a[1], true); }},
    {"filter-out", 2, [](const Words& a) { return filtered(a[0], a[1], false); }},
    {"findstring", 2, [](const Words& a) { return a[1].find(a[0]) == npos ? std::string() : a[0]; }},
    {"if", 3, [](const Words& a) { return trim(a[0]).empty() ? a[2] : a[1]; }},
    {"notdir", 1, [](const Words& a) { return file_name(trim(a[0])); }},
};

}  // namespace

std::size_t make_reference(std::string_view text, std::size_t at, std::string& name) {
    const char open = at + 1 < text.size() ? text[at + 1] : '\0';
    if (open != '(' && open != '{') {
        name = open ? std::string(1, open) : "";
        return std::min(at + 2, text.size());
    }
    int level = 0;
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] == open) ++level;
        if (text[i] == (open == '(' ? ')' : '}') && --level == 0) {
            name = text.substr(at + 2, i - at - 2);
            return i + 1;
        }
    }
    return text.size();
}

std::size_t comment_of_make(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '#') return i;
        if (text[i] == '$')
            i = make_reference(text, i, name);
        else
            i += text[i] == '\\' ? 2 : 1;
    }
    return text.size();
}

bool is_make_command(std::string_view line) {
    if (!starts_with(line, "\t")) return false;
    line = trimmed(line);
    return !is_one_of(line.substr(0, line.find_first_of(" \t(#")),
                      {"ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"});
}

std::string shell_text_of(std::string_view name, std::string_view written) {
    const std::size_t blank = name.find_first_of(" \t");
    if (blank == npos) return std::string(written);
    return "$(" + std::string(name.substr(0, blank)) + ")";
}

std::vector<std::string> make_arguments(std::string_view text, std::size_t most) {
    Words all;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size() && all.size() + 1 < most; ++i) {
        if (text[i] == '(' || text[i] == '{') ++depth;
        if (text[i] == ')' || text[i] == '}') --depth;
        if (text[i] != ',' || depth > 0) continue;
        all.emplace_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    all.emplace_back(text.substr(begin));
    return all;
}

// The sides of "(a,b)", "'a' 'b'"; nothing for another form.
std::optional<std::pair<std::string, std::string>> sides_of_condition(std::string_view text) {
    text = trimmed(text);
    if (text.size() < 2) return std::nullopt;
    if (text.front() != '(') {
        const std::size_t close = text.find(text.front(), 1);
        if (close == npos) return std::nullopt;
        const std::string_view second = trimmed(text.substr(close + 1));
        if (second.size() < 2) return std::nullopt;
        return std::pair(std::string(text.substr(1, close - 1)),
                         std::string(second.substr(1, second.find(second.front(), 1) - 1)));
    }
    const auto parts = make_arguments(text.substr(1, text.size() - 2), 2);
    if (parts.size() < 2 || text.back() != ')') return std::nullopt;
    return std::pair(trim(parts[0]), trim(parts[1]));
}

std::size_t end_of_name(std::string_view text, std::size_t equals) {
    while (equals > 0 && std::string_view(":?+!").find(text[equals - 1]) != npos) --equals;
    return equals;
}

std::optional<MakeAssignment> make_assignment(std::string_view left) {
    const std::size_t end = end_of_name(left, left.size());
    const Words words = split(left.substr(0, end), " \t");
    const bool exported = words.size() > 1 && words[0] == "export";
    const bool marked = exported || (words.size() > 1 && words[0] == "override");
    if (words.empty() || words.size() > (marked ? 2u : 1u)) return std::nullopt;
    return MakeAssignment{words.back(), std::string(left.substr(end)), exported};
}

std::vector<std::string> names_of_targets(const std::string& text) {
    std::vector<std::string> names;
    std::string name;
    int brackets = 0;
    for (const char c : text + " ") {
        brackets += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
        if (brackets > 0 || std::string_view(" \t:").find(c) == npos)
            name += c;
        else if (!name.empty())
            names.push_back(std::exchange(name, ""));
    }
    if (!name.empty()) names.push_back(std::move(name));
    return names;
}

std::optional<std::string> value_of_make_call(std::string_view call, const ExpandMake& expand) {
    if (call == "shell pwd") return ".";
    if (starts_with(call, "shell "))
        return "$(" + expand(call.substr(6)) + ")";  // what a shell reads follows it
    const std::size_t blank = call.find_first_of(" \t");
    for (const MakeFunction& one : k_functions) {
        if (blank == npos || call.substr(0, blank) != one.name) continue;
        const std::size_t begin = call.find_first_not_of(" \t", blank);
        Words given = make_arguments(begin == npos ? "" : call.substr(begin), one.arguments);
        if (given.size() < one.arguments && given.size() + 1 == one.arguments &&
            one.name == std::string("if"))
            given.emplace_back();
        if (given.size() != one.arguments) return std::nullopt;
        std::size_t product = 1;  // of the bytes: what it gives is not larger
        for (std::string& text : given) {
            text = expand(text);
            product *= text.size() + 1;
            if (text.find('$') != npos || product > k_bytes_of_result) return std::nullopt;
        }
        return one.value(given);
    }
    // $(NAME:.cu=.o), $(NAME:%.cu=%.o)
    const std::size_t colon = call.find(':'), equals = call.find('=', std::min(colon, call.size()));
    if (blank != npos || equals == npos) return std::nullopt;
    const std::string text = expand("$(" + std::string(call.substr(0, colon)) + ")");
    std::string from(call.substr(colon + 1, equals - colon - 1)), to(call.substr(equals + 1));
    if (text.find('$') != npos) return std::nullopt;
    if (from.find('%') == npos) from.insert(0, "%"), to.insert(0, "%");
    return substituted(text, from, to);
}

std::string shell_as_text(std::string_view condition) {
    return replace_all(std::string(condition), "$(shell ", "(shell ");
}

bool asks_nvcc(const std::string& condition) {
    const std::string all = lower(condition);
    const bool of_release =
        all.find("version") != npos || all.find("release") != npos || all.find("sort -v") != npos;
    return of_release && all.find("(shell ") != npos &&
           (all.find("nvcc") != npos || all.find("cuda") != npos);
}

}  // namespace ptxguard::recipes
