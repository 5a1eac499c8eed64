// SPDX-License-Identifier: Apache-2.0
#include "recipes/expressions.hpp"

#include <cctype>

#include "model/text.hpp"
#include "recipes/template_text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::string_view k_open = "${{";

// Position of an operator outside of quotes and parentheses; npos = none.
std::size_t find_operator(std::string_view text, std::string_view sign) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\'') quoted = !quoted;
        if (quoted) continue;
        if (text[at] == '(') ++depth;
        if (text[at] == ')') --depth;
        if (depth == 0 && text.substr(at, sign.size()) == sign) return at;
    }
    return text.npos;
}

std::string_view without_parentheses(std::string_view text) {
    text = trimmed(text);
    while (text.size() > 1 && text.front() == '(' && text.back() == ')' &&
           find_operator(text.substr(1, text.size() - 2), ")") == text.npos)
        text = trimmed(text.substr(1, text.size() - 2));
    return text;
}

// "cuda", "config.cuda", "config['cuda']" below "matrix.".
std::optional<std::string> matrix_value(std::string_view path, const MatrixRow* row) {
    const Tree* at = nullptr;
    bool first = true;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find_first_of(".["), path.size());
        std::string name(path.substr(0, end));
        if (end == 0 && path[0] == '[') {
            const std::size_t close = path.find(']');
            if (close == path.npos || close < 3) return std::nullopt;
            name = std::string(path.substr(2, close - 3));
            path = path.substr(close + 1);
        } else {
            path = path.substr(end);
        }
        at = first ? (row ? row->find(name) : nullptr) : at->find(name);
        first = false;
        if (!at) return row && !row->values.empty() ? std::optional(std::string()) : std::nullopt;
        if (!path.empty() && path[0] == '.') path.remove_prefix(1);
    }
    if (!at || !at->is_scalar() || at->text.find(k_open) != std::string::npos) return std::nullopt;
    return at->text;
}

constexpr Limit k_deepest_expression{32, "operators in an expression", "the expression"};
constexpr Limit k_longest_expression{2000, "bytes of an expression", "the expression"};

std::optional<std::string> value_at(std::string_view expression, const Scope& scope, const Written& place,
                                    std::size_t depth) {
    expression = without_parentheses(expression);
    if (expression.empty() || scope.problems.exceeds(k_deepest_expression, depth, place)) return std::nullopt;
    if (const std::size_t at = find_operator(expression, "||"); at != expression.npos) {
        const auto first = value_at(expression.substr(0, at), scope, place, depth + 1);
        if (!first) return std::nullopt;
        return first->empty() || *first == "false"
                   ? value_at(expression.substr(at + 2), scope, place, depth + 1)
                   : first;
    }
    if (const std::size_t at = find_operator(expression, "&&"); at != expression.npos) {
        const Truth first = condition(expression.substr(0, at), scope, place);
        if (first == Truth::unknown) return std::nullopt;
        return first == Truth::yes ? value_at(expression.substr(at + 2), scope, place, depth + 1)
                                   : std::optional(std::string());
    }
    if (expression.front() == '\'' && expression.size() > 1 && expression.back() == '\'')
        return std::string(expression.substr(1, expression.size() - 2));
    if (expression.find_first_not_of("0123456789.") == expression.npos || expression == "true" ||
        expression == "false")
        return std::string(expression);
    const std::size_t dot = expression.find('.');
    const std::string_view context = expression.substr(0, dot);
    const std::string_view name = dot == expression.npos ? std::string_view{} : expression.substr(dot + 1);
    if (context == "matrix") return matrix_value(name, scope.row);
    if (context == "env") {
        const std::string* found = scope.variables.find(name);
        return found ? std::optional(*found) : std::nullopt;
    }
    if (context == "inputs") {
        const auto found = scope.inputs.find(std::string(name));
        return found == scope.inputs.end() ? std::nullopt : std::optional(found->second);
    }
    if (expression == "github.event.inputs") return std::nullopt;
    if (expression == "runner.os" && !scope.runner.empty()) return scope.runner;
    return std::nullopt;
}

TemplateValue values_in(const Scope& scope, const Written& at) {
    return [&](std::string_view expression) { return value_of(expression, scope, at); };
}

}  // namespace

std::optional<std::string> value_of(std::string_view expression, const Scope& scope, const Written& at) {
    if (scope.problems.exceeds(k_longest_expression, expression.size(), at)) return std::nullopt;
    return value_at(expression, scope, at, 0);
}

Truth condition(std::string_view expression, const Scope& scope, const Written& place) {
    expression = trimmed(expression);
    if (scope.problems.exceeds(k_longest_expression, expression.size(), place)) return Truth::unknown;
    if (starts_with(expression, k_open) && ends_with(expression, "}}"))
        expression = expression.substr(k_open.size(), expression.size() - k_open.size() - 2);
    expression = without_parentheses(expression);
    if (expression.empty()) return Truth::yes;
    if (const std::size_t at = find_operator(expression, "||"); at != expression.npos) {
        const Truth a = condition(expression.substr(0, at), scope, place);
        return either(a, condition(expression.substr(at + 2), scope, place));
    }
    if (const std::size_t at = find_operator(expression, "&&"); at != expression.npos) {
        const Truth a = condition(expression.substr(0, at), scope, place);
        return both(a, condition(expression.substr(at + 2), scope, place));
    }
    for (const bool equal : {true, false}) {
        const std::size_t at = find_operator(expression, equal ? "==" : "!=");
        if (at == expression.npos) continue;
        const auto a = value_of(expression.substr(0, at), scope, place),
                   b = value_of(expression.substr(at + 2), scope, place);
        if (!a || !b) return Truth::unknown;
        return truth((lower(*a) == lower(*b)) == equal);  // GitHub ignores case
    }
    if (expression.front() == '!') return opposite(condition(expression.substr(1), scope, place));
    const auto value = value_of(expression, scope, place);
    return value ? truth(!value->empty() && *value != "false" && *value != "0") : Truth::unknown;
}

Written filled(const Tree& value, const std::string& file, const Scope& scope) {
    Written result = written(value, file);
    const Written at = result;
    result.text = filled(value.text, k_open, values_in(scope, at), at, scope.problems, result.known);
    return result;
}

PlacedText script(const Tree& value, const std::string& file, const Scope& scope) {
    const Written whole = shell_text(value, file);
    PlacedText result(file);
    int line = whole.line;
    std::size_t grown = 0;
    std::string_view rest = whole.text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view text = rest.substr(0, end == rest.npos ? end : end + 1);
        rest.remove_prefix(text.size());
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t begin = std::min(text.find(k_open, at), text.size());
            const Place place{line, whole.column + static_cast<int>(at)};
            result.append(text.substr(at, begin - at), place);
            if (begin == text.size()) break;
            const std::size_t close = std::min(text.find("}}", begin), text.size());
            const std::string_view expression = trimmed(text.substr(begin + 3, close - begin - 3));
            std::string found = "${";
            const Written here{"", file, line};
            const auto known = value_of(expression, scope, here);
            if (known && !scope.problems.exceeds(k_most_filled, grown += known->size(), here)) {
                found = *known;
            } else {
                for (const char c : expression)
                    found += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                found += '}';
            }
            result.append(found, {line, whole.column + static_cast<int>(begin)});
            at = std::min(close + 2, text.size());
        }
        ++line;
    }
    return result;
}

}  // namespace ptxguard::recipes
