// `[ a = b ]` if both sides are known, so that only the executed branch is read.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/questions.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

Tested decided(bool yes, bool fixed) { return {yes ? Answer::yes : Answer::no, fixed}; }

// One test without `-a`, `-o`, parentheses: "-n X", "X = Y".
Tested simple_test(std::vector<Written> words, bool patterns) {
    bool negated = false;
    while (!words.empty() && words.front().text == "!") {
        negated = !negated;
        words.erase(words.begin());
    }
    Tested result;
    const auto said = [&](bool yes, bool fixed) { return decided(yes != negated, fixed); };
    if (words.size() == 2 && words[1].known) {
        if (words[0].text == "-n") return said(!words[1].text.empty(), words[1].fixed);
        if (words[0].text == "-z") return said(words[1].text.empty(), words[1].fixed);
    }
    if (words.size() == 3 && words[0].known && words[2].known) {
        const std::string& op = words[1].text;
        const bool fixed = words[0].fixed && words[2].fixed;
        const bool equal =
            patterns ? matches_pattern(words[0].text, words[2].text) : words[0].text == words[2].text;
        if (op == "=" || op == "==" || op == "-eq") return said(equal, fixed);
        if (op == "!=" || op == "-ne") return said(!equal, fixed);
    }
    return result;
}

}  // namespace

bool is_test(const std::vector<Written>& words) {
    return !words.empty() && (words[0].text == "[" || words[0].text == "[[" || words[0].text == "test");
}

Tested test_result(const std::vector<Written>& words) {
    std::vector<Written> inner(words.begin() + 1, words.end());
    if (words[0].text != "test") {
        if (inner.empty()) return {};
        inner.pop_back();
    }
    for (const Written& word : inner)
        if (word.text == "-a" || word.text == "-o" || word.text == "&&" || word.text == "||" ||
            word.text == "(")
            return {};
    return simple_test(std::move(inner), words[0].text == "[[");
}

void note_switch(const std::vector<std::string_view>& words, const Written& at, Shell& shell) {
    if (!shell.switches || words.size() < 4 || (words[2] != "=" && words[2] != "==")) return;
    std::string name, value;
    for (const std::string_view side : {words[1], words[3]}) {
        std::string text(side);
        text.erase(std::remove_if(text.begin(), text.end(),
                                  [](char c) { return c == '"' || c == '\'' || c == '{' || c == '}'; }),
                   text.end());
        if (text.size() > 1 && text[0] == '$' && is_name(std::string_view(text).substr(1)))
            name = text.substr(1);
        else
            value = text;
    }
    if (name.empty() || !is_one_of(lower(value), {"true", "1", "yes", "on"})) return;
    Written on = at;
    on.text = value;
    on.fixed = false;
    shell.switches->emplace(name, std::move(on));
}

Tested matches(const Written& subject, const Written& pattern) {
    if (!pattern.known) return {};
    if (pattern.text == "*") return {Answer::yes, true};
    if (!subject.known) return {};
    return decided(matches_pattern(subject.text, pattern.text), subject.fixed && pattern.fixed);
}

}  // namespace ptxguard::recipes
