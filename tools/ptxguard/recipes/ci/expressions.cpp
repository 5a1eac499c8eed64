// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/expressions.hpp"

#include <cctype>
#include <cstdlib>

#include "formats/yaml.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/shell/shell.hpp"
#include "recipes/shell/shell_syntax.hpp"

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

// The first name of "cuda", "config.cuda" or "['config'].cuda", which it takes away; nothing: a quote or
// bracket that is not closed.
std::optional<std::string> take_name(std::string_view& path) {
    const bool quoted = path.front() == '[';
    const std::size_t close = quoted ? path.find(']') : std::min(path.find_first_of(".["), path.size());
    if (quoted && (close == path.npos || close < 3)) return std::nullopt;
    std::string name(quoted ? path.substr(2, close - 3) : path.substr(0, close));
    path.remove_prefix(close + (quoted ? 1 : 0));
    if (!path.empty() && path[0] == '.') path.remove_prefix(1);
    return name;
}

bool is_open(const Tree& value) { return value.is_scalar() && value.text.find(k_open) != std::string::npos; }

// What follows "matrix.".
std::optional<std::string> matrix_value(std::string_view path, const MatrixRow* row) {
    const Tree* at = nullptr;
    for (bool first = true; !path.empty(); first = false) {
        const auto name = take_name(path);
        if (!name || (!first && is_open(*at))) return std::nullopt;
        const Tree* of_row = first && row ? row->find(*name) : nullptr;
        at = first ? of_row : at->find(*name);
        if (!at)
            return row && !row->values.empty() && !row->open ? std::optional(std::string()) : std::nullopt;
    }
    if (at && at->kind == Tree::Kind::none) return std::string();  // null
    return at && at->is_scalar() && !is_open(*at) ? std::optional(at->text) : std::nullopt;
}

constexpr Limit k_deepest_expression{32, "operators in an expression", "the expression"};
constexpr Limit k_longest_expression{2000, "bytes of an expression", "the expression"};

std::optional<std::string> value_at(std::string_view expression, const Scope& scope, const Written& place,
                                    std::size_t depth);

std::string text_of_truth(bool yes) { return yes ? "true" : "false"; }

std::optional<std::string> text_of(Truth holds) {
    return holds == Truth::unknown ? std::nullopt : std::optional(text_of_truth(holds == Truth::yes));
}

// "'a', matrix.b" split at its commas.
std::vector<std::string_view> arguments_in(std::string_view list) {
    std::vector<std::string_view> parts;
    while (!trimmed(list).empty()) {
        const std::size_t comma = std::min(find_operator(list, ","), list.size());
        parts.push_back(trimmed(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return parts;
}

// format('{0}-{1}', a, b)
std::optional<std::string> value_of_format(const std::vector<std::string>& values) {
    std::string result;
    const std::string& pattern = values[0];
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool place = pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}';
        if (!place) {
            result += pattern[i];
            continue;
        }
        const auto number = static_cast<std::size_t>(pattern[i + 1] - '0') + 1;
        if (number >= values.size()) return std::nullopt;
        result += values[number];
        i += 2;
    }
    return result;
}

// fromJSON('["a", "b"]') has the value
std::optional<std::string> json_list_has(const std::string& json, const std::string& value) {
    const auto documents = read_yaml(json, "");
    if (!documents || documents->empty() || !documents->front().is_list()) return std::nullopt;
    for (const Tree& item : documents->front().items)
        if (lower(item.text) == lower(value)) return text_of_truth(true);
    return text_of_truth(false);
}

// Azure's and(a, b), or(a, b), not(a).
std::optional<std::string> logical_value(const std::string& name, std::string_view list, const Scope& scope,
                                         const Written& place, std::size_t depth) {
    Truth all = name == "and" ? Truth::yes : Truth::no;
    for (const std::string_view part : arguments_in(list)) {
        const auto value = value_at(part, scope, place, depth + 1);
        const Truth one = value ? truth(!value->empty() && lower(*value) != "false") : Truth::unknown;
        all = name == "and" ? both(all, one) : either(all, one);
    }
    return text_of(name == "not" ? opposite(all) : all);
}

// Of a job in which nothing failed.
std::optional<std::string> value_of_status(const std::string& name) {
    const bool good = is_one_of(name, {"always", "success", "succeeded", "succeededorfailed"});
    const bool bad = is_one_of(name, {"failure", "failed", "cancelled", "canceled"});
    return good || bad ? std::optional(text_of_truth(good)) : std::nullopt;
}

// eq, ne, startsWith, endsWith, contains; `list`: as written.
std::optional<std::string> value_of_comparison(const std::string& name,
                                               const std::vector<std::string>& values,
                                               std::string_view list) {
    const std::string whole = lower(values[0]), one = lower(values[1]);
    if (name == "eq" || name == "ne") return text_of_truth((whole == one) == (name == "eq"));
    if (name == "startswith") return text_of_truth(starts_with(whole, one));
    if (name == "endswith") return text_of_truth(ends_with(whole, one));
    if (name != "contains") return std::nullopt;
    return starts_with(lower(std::string(trimmed(list))), "fromjson")
               ? json_list_has(values[0], values[1])
               : text_of_truth(whole.find(one) != npos);
}

std::optional<std::string> value_of_call(const std::string& name, std::string_view list, const Scope& scope,
                                         const Written& place, std::size_t depth) {
    if (auto status = value_of_status(name)) return status;
    if (is_one_of(name, {"and", "or", "not"})) return logical_value(name, list, scope, place, depth);
    std::vector<std::string> values;
    for (const std::string_view part : arguments_in(list)) {
        const auto value = value_at(part, scope, place, depth + 1);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    if (values.size() == 1 && name == "fromjson") return values[0];
    if (values.size() > 1 && name == "format") return value_of_format(values);
    return values.size() == 2 ? value_of_comparison(name, values, list) : std::nullopt;
}

std::optional<std::string> found_in(const std::map<std::string, std::string>& values, std::string_view name) {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

// "matrix.cuda", "env.CUDA_VERSION", "needs.setup.outputs.cuda"
std::optional<std::string> value_of_name(std::string_view expression, const Scope& scope) {
    if (starts_with(expression, "github.event.inputs.")) expression.remove_prefix(13);
    const std::size_t dot = expression.find('.');
    const std::string_view context = expression.substr(0, dot);
    const std::string_view name = dot == expression.npos ? std::string_view{} : expression.substr(dot + 1);
    if (context == "matrix") return matrix_value(name, scope.row);
    const auto variable = [&](std::string_view own) {
        const std::string* found = scope.variables.find(own);
        return found ? std::optional(*found) : std::nullopt;
    };
    if (context == "env") return variable(name);
    if (context == "variables") return variable(lower(std::string(name)));  // Azure
    if (starts_with(expression, "variables['"))
        return variable(lower(std::string(expression.substr(11, expression.find('\'', 11) - 11))));
    if (const auto round = scope.loop.find(std::string(expression)); round != scope.loop.end())
        return round->second;
    if (context == "inputs" || context == "parameters") return found_in(scope.inputs, name);
    if (context == "steps" || context == "needs") return found_in(scope.outputs, expression);
    if (expression == "github.workspace") return std::string(k_workspace);
    if (expression == "runner.os" && !scope.runner.empty()) return scope.runner;
    return std::nullopt;
}

// a || b, a && b: one of both, as it is.
std::optional<std::string> value_of_either(std::string_view a, std::string_view b, const Scope& scope,
                                           const Written& place, std::size_t depth) {
    const auto first = value_at(a, scope, place, depth + 1);
    const bool takes_first = !first || (!first->empty() && *first != "false");
    return takes_first ? first : value_at(b, scope, place, depth + 1);
}

std::optional<std::string> value_of_both(std::string_view a, std::string_view b, const Scope& scope,
                                         const Written& place, std::size_t depth) {
    const Truth first = condition(a, scope, place);
    if (first == Truth::yes) return value_at(b, scope, place, depth + 1);
    return first == Truth::no ? std::optional(std::string()) : std::nullopt;
}

// 'text', 12.4, true
std::optional<std::string> value_of_literal(std::string_view expression) {
    const bool quoted = expression.size() > 1 && expression.front() == '\'' && expression.back() == '\'';
    if (quoted) return std::string(expression.substr(1, expression.size() - 2));
    if (expression == "null") return std::string();
    const bool plain = expression.find_first_not_of("0123456789.") == expression.npos ||
                       expression == "true" || expression == "false";
    return plain ? std::optional(std::string(expression)) : std::nullopt;
}

// "<" and the like, where one of both is a number: then GitHub compares numbers.
struct Order {
    std::string_view sign, left, right;
};
std::optional<Order> order_in(std::string_view expression) {
    for (const std::string_view sign : {"<=", ">=", "<", ">"}) {
        const std::size_t at = find_operator(expression, sign);
        if (at == npos) continue;
        return Order{sign, trimmed(expression.substr(0, at)), trimmed(expression.substr(at + sign.size()))};
    }
    return std::nullopt;
}
bool is_number(std::string_view expression) {
    const bool literal = !expression.empty() && expression.find_first_not_of("0123456789.") == npos;
    return literal || starts_with(lower(std::string(expression)), "fromjson(");
}

Truth compared(const Order& order, const Scope& scope, const Written& place) {
    if (!is_number(order.left) && !is_number(order.right)) return Truth::unknown;
    const auto left = value_of(order.left, scope, place), right = value_of(order.right, scope, place);
    if (!left || !right) return Truth::unknown;
    char *left_end = nullptr, *right_end = nullptr;
    const double a = std::strtod(left->c_str(), &left_end), b = std::strtod(right->c_str(), &right_end);
    if (left->empty() || right->empty() || *left_end || *right_end) return Truth::unknown;
    const bool equal = a >= b && a <= b;
    return truth((equal && order.sign.size() == 2) || (order.sign[0] == '<' ? a < b : a > b));
}

std::optional<std::string> value_at(std::string_view expression, const Scope& scope, const Written& place,
                                    std::size_t depth) {
    expression = without_parentheses(expression);
    if (expression.empty() || scope.problems.exceeds(k_deepest_expression, depth, place)) return std::nullopt;
    for (const bool either : {true, false})
        if (const std::size_t at = find_operator(expression, either ? "||" : "&&"); at != npos)
            return (either ? value_of_either : value_of_both)(expression.substr(0, at),
                                                              expression.substr(at + 2), scope, place, depth);
    if (find_operator(expression, "==") != npos || find_operator(expression, "!=") != npos ||
        order_in(expression) || expression.front() == '!')
        return text_of(condition(expression, scope, place));
    if (const std::size_t open = expression.find('(');
        open != npos && expression.back() == ')' && is_name(expression.substr(0, open)))
        return value_of_call(lower(std::string(expression.substr(0, open))),
                             expression.substr(open + 1, expression.size() - open - 2), scope, place, depth);
    const auto literal = value_of_literal(expression);
    return literal ? literal : value_of_name(expression, scope);
}

// GitHub ignores case.
Truth compared(const std::optional<std::string>& a, const std::optional<std::string>& b, bool equal) {
    return a && b ? truth((lower(*a) == lower(*b)) == equal) : Truth::unknown;
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
    for (const bool equal : {true, false})
        if (const std::size_t at = find_operator(expression, equal ? "==" : "!="); at != npos)
            return compared(value_of(expression.substr(0, at), scope, place),
                            value_of(expression.substr(at + 2), scope, place), equal);
    if (const auto order = order_in(expression)) return compared(*order, scope, place);
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
    return filled_lines(
        shell_text(value, file), k_open, "}}",
        [&](std::string_view expression, const Written& at) { return value_of(expression, scope, at); },
        [](std::string_view expression) {
            std::string name = "${";
            for (const char c : expression) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
            return name + '}';
        },
        scope.problems);
}

}  // namespace ptxguard::recipes
