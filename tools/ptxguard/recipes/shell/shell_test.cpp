// `[ a = b ]` if both sides are known, so that only the executed branch is read.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_arithmetic.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

// -1, 0, 1; nothing where one of them is no number.
std::optional<int> compared(const std::string& a, const std::string& b) {
    if (!all_digits(a) || !all_digits(b) || a.size() > 9 || b.size() > 9) return std::nullopt;
    const int left = std::atoi(a.c_str()), right = std::atoi(b.c_str());
    return left < right ? -1 : left > right;
}

std::optional<bool> compared_by(const std::string& op, const std::string& a, const std::string& b) {
    static constexpr std::string_view k_operators[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    const auto found = std::find(std::begin(k_operators), std::end(k_operators), op);
    const auto order = compared(a, b);
    if (found == std::end(k_operators) || !order) return std::nullopt;
    const bool results[] = {*order == 0, *order != 0, *order<0, *order <= 0, *order> 0, *order >= 0};
    return results[found - std::begin(k_operators)];
}

// `=~` where the expression is a text: "." is any character. Nothing for others.
std::optional<bool> has_match(const std::string& text, const std::string& expression) {
    if (expression.find_first_of("^$*+?()[]{}|\\") != npos) return std::nullopt;
    const auto same = [](char a, char b) { return a == b || b == '.'; };
    return std::search(text.begin(), text.end(), expression.begin(), expression.end(), same) != text.end() ||
           expression.empty();
}

// "X = Y"; nothing for other operators.
std::optional<bool> compared_by(const std::string& op, const std::string& a, const std::string& b,
                                bool patterns) {
    const auto answer = op == "=~" ? has_match(a, b) : compared_by(op, a, b);
    if (answer) return answer;
    const bool equal = patterns ? matches_pattern(a, b) : a == b;
    if (is_one_of(op, {"=", "==", "-eq"})) return equal;
    return is_one_of(op, {"!=", "-ne"}) ? std::optional(!equal) : std::nullopt;
}

// One test without `-a`, `-o`, parentheses: "-n X", "X = Y".
Tested simple_test(std::vector<Written> words, bool patterns) {
    bool negated = false;
    for (; !words.empty() && words.front().text == "!"; words.erase(words.begin())) negated = !negated;
    if (words.empty() || words.size() > 3 || !words.back().known) return {};
    const Written &first = words.front(), &last = words.back();
    std::optional<bool> answer;
    bool fixed = last.fixed;
    if (words.size() == 3) {
        if (first.known) answer = compared_by(words[1].text, first.text, last.text, patterns);
        fixed = fixed && first.fixed;
    } else if (words.size() == 1 || is_one_of(first.text, {"-n", "-z"})) {
        answer = last.text.empty() == (words.size() == 2 && first.text == "-z");
    }
    return answer ? decided(*answer != negated, fixed) : Tested{};
}

// `a || b`: the first that succeeds decides; `a && b`: the first that fails.
Tested joined_tests(const std::vector<Written>& words, bool patterns, bool alternatives) {
    const Answer decides = alternatives ? Answer::yes : Answer::no;
    Tested all = decided(!alternatives, true);
    for (auto begin = words.begin(), end = begin;; begin = end + 1) {
        end = std::find_if(begin, words.end(), [&](const Written& word) {
            return alternatives ? word.text == "||" || word.text == "-o"
                                : word.text == "&&" || word.text == "-a";
        });
        const std::vector<Written> part(begin, end);
        const Tested one = alternatives ? joined_tests(part, patterns, false) : simple_test(part, patterns);
        if (one.answer == decides) return one;
        if (one.answer == Answer::open) all.answer = Answer::open;
        all.fixed = all.fixed && one.fixed;
        if (end == words.end()) return all;
    }
}

}  // namespace

std::string without_quotes_and_braces(std::string_view text) {
    std::string result(text);
    erase_if(result, [](char c) { return std::string_view("\"'{}").find(c) != npos; });
    return result;
}

bool is_test(const std::vector<Written>& words) {
    return !words.empty() &&
           (is_one_of(words[0].text, {"[", "[[", "test"}) || starts_with(words[0].text, "(("));
}

Tested test_result(const std::vector<Written>& words, const Variables& variables) {
    if (starts_with(words[0].text, "((")) {
        const std::string_view whole = words[0].text;
        bool fixed = words[0].fixed;
        const auto value =
            words[0].known ? arithmetic(whole.substr(1, whole.size() - 2), variables, fixed) : std::nullopt;
        return value ? decided(*value != 0, fixed) : Tested{};
    }
    std::vector<Written> inner(words.begin() + 1, words.end());
    if (words[0].text != "test") {
        if (inner.empty()) return {};
        inner.pop_back();
    }
    for (const Written& word : inner)
        if (word.text == "(") return {};
    return joined_tests(inner, words[0].text == "[[", true);
}

namespace {

bool is_on(const std::string& text) { return is_one_of(lower(text), {"true", "yes", "on"}); }
bool is_off(const std::string& text) { return is_one_of(lower(text), {"false", "no", "off"}); }
}  // namespace

bool turns(const Variable* before, const Written& value) {
    if (!value.known) return false;
    if (!before) return is_off(value.text);
    return is_on(value.text) ? is_off(before->value.text) : is_off(value.text) && is_on(before->value.text);
}

void note_switch(const std::vector<std::string_view>& words, const Written& at, Shell& shell) {
    if (!shell.switches || words.size() < 4 || (words[2] != "=" && words[2] != "==")) return;
    std::string name, value;
    for (const std::string_view side : {words[1], words[3]}) {
        const std::string text = without_quotes_and_braces(side);
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
