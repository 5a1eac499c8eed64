// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_expressions.hpp"
#include "model/ranges.hpp"

#include <algorithm>

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;

// The colon, "!" or "=" that ends the expression of "{x!r:>10}".
std::string_view expression_in(std::string_view field) {
    int depth = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
        const char c = field[i];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        const bool compares = field.substr(i + 1, 1) == "=";
        if (depth == 0 && (c == ':' || (c == '!' && !compares))) return field.substr(0, i);
    }
    return field;
}

std::size_t end_of_field(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}' && --depth == 0) return i;
    }
    return text.size();
}

}  // namespace

bool PythonExpression::take(std::string_view text) {
    if (!here(text)) return false;
    ++m_at;
    return true;
}

Written PythonExpression::place() const {
    const Place at = m_tokens.empty() ? Place{} : m_tokens[std::min(m_at, m_tokens.size() - 1)].at;
    return {"", m_scope.file, at.line, at.column};
}

PythonValue PythonExpression::value() {
    const Written at = place();
    PythonValue first = ternary();
    if (!here(",")) return first;
    std::vector<PythonValue> items = {std::move(first)};
    while (take(",") && m_at < m_end && !here("=") && !here(")")) items.push_back(ternary());
    return PythonValue::of_items(Kind::list, at, std::move(items));
}

PythonValue PythonExpression::ternary() {
    const Written at = place();
    if (m_scope.is_too_deep(at, ++m_depth) || !m_scope.spend(at)) {
        m_at = m_end;
        return {};
    }
    PythonValue first = any();
    if (take("if")) {
        const PythonValue condition = any();
        PythonValue other;
        if (take("else")) other = ternary();
        const Truth which = truth_of(condition);
        const bool fixed = which != Truth::unknown && is_fixed(condition);
        if (which == Truth::no) first = std::move(other);
        if (!fixed) first = opened(std::move(first));
        if (which == Truth::unknown && m_scope.only_certain) first = unknown(std::move(first));
    }
    --m_depth;
    return first;
}

PythonValue PythonExpression::any() {
    PythonValue first = all();
    while (take("or")) {
        PythonValue next = all();
        const Truth which = truth_of(first);
        if (which == Truth::unknown || (which == Truth::no && !is_fixed(first)))
            next = opened(std::move(next));
        if (which == Truth::unknown && next.kind == Kind::number && truth_of(next) == Truth::no) next = {};
        if (which != Truth::yes) first = std::move(next);
    }
    return first;
}

PythonValue PythonExpression::all() {
    PythonValue first = negated();
    while (take("and")) {
        PythonValue next = negated();
        const Truth which = truth_of(first);
        if (which == Truth::unknown && truth_of(next) != Truth::no) next = {};
        if (which != Truth::no) first = std::move(next);
    }
    return first;
}

PythonValue PythonExpression::negated() {
    if (!take("not")) return comparison();
    const PythonValue value = negated();
    const Truth which = truth_of(value);
    return which == Truth::unknown ? PythonValue{} : PythonValue::of_truth(value.text, which == Truth::no);
}

PythonValue PythonExpression::comparison() {
    PythonValue left = sum();
    for (;;) {
        std::string sign;
        for (const char* one : {"==", "!=", "<=", ">=", "<", ">", "in", "is", "not"})
            if (here(one)) sign = one;
        if (sign.empty()) return left;
        ++m_at;
        if (sign == "not" && take("in")) sign = "not in";
        if (sign == "is" && take("not")) sign = "is not";
        PythonValue right = sum();
        if (right.kind == Kind::environment) {  // "NAME" in os.environ
            left = m_scope.call({"os.getenv", {left}, {}, place()});
            right = PythonValue::of_number(left.text, "None");
            sign = sign == "in" ? "is not" : "is";
        }
        left = compared(left, sign, right);
    }
}

PythonValue PythonExpression::sum() {
    PythonValue left = product();
    for (;;) {
        if (take("+"))
            left = sum_of(left, product());
        else if (take("-") || take("|") || take("&"))
            product(), left = {};
        else
            return left;
    }
}

PythonValue PythonExpression::product() {
    PythonValue left = postfix();
    for (;;) {
        if (take("%"))
            left = formatted_by_percent(left, postfix());
        else if (take("/"))  // Path("a") / "b"
            left = sum_of(sum_of(left, PythonValue::of_word("/")), postfix());
        else if (take("*") || take("//") || take("**"))
            postfix(), left = {};
        else
            return left;
    }
}

PythonValue PythonExpression::postfix() {
    if (take("-") || take("+")) {
        const PythonValue value = postfix();
        return value.kind == Kind::number ? PythonValue::of_number(value.text, "-" + value.text.text)
                                          : PythonValue{};
    }
    if (take("*") || take("await")) return postfix();
    if (here("lambda")) {
        m_at = m_end;
        return {};
    }
    std::string path;
    PythonValue value = atom(path);
    while (m_at < m_end) {
        if (here(".") && m_at + 1 < m_end) {
            path += (path.empty() ? "" : ".") + m_tokens[m_at + 1].text;
            m_at += 2;
            if (here("(")) continue;
            // An attribute of what is known is another value.
            const auto of_path = attribute_of_path(value, m_tokens[m_at - 1].text);
            value = of_path ? *of_path : named(path);
        } else if (take("(")) {
            value = called(value, std::exchange(path, "()"));
        } else if (take("[")) {
            path = "[]";
            value = subscript(value);
        } else {
            break;
        }
    }
    return value;
}

PythonValue PythonExpression::named(const std::string& path) const {
    for (auto one = m_bound.rbegin(); one != m_bound.rend(); ++one)
        if (one->first == path) return one->second;
    return m_scope.variable(path);
}

PythonValue PythonExpression::atom(std::string& path) {
    if (m_at >= m_end) return {};
    const PythonToken& token = m_tokens[m_at];
    if (token.kind == PythonToken::Kind::text) return text();
    const Written at = place();
    ++m_at;
    if (token.kind == PythonToken::Kind::number) return PythonValue::of_number(at, token.text);
    if (token.kind == PythonToken::Kind::name) {
        if (token.text == "True" || token.text == "False" || token.text == "None")
            return PythonValue::of_number(at, token.text);
        path = token.text;
        return here("(") ? PythonValue{} : named(path);
    }
    bool single = false;
    if (token.text == "(") {
        PythonValue inner = bracketed(")", Kind::list, single);
        return single ? inner.items.front() : inner;
    }
    if (token.text == "[") return bracketed("]", Kind::list, single);
    if (token.text == "{") return bracketed("}", Kind::table, single);
    m_at = m_end;  // not an expression
    return {};
}

PythonValue PythonExpression::text() {
    PythonValue whole = PythonValue::of_text(place());
    for (; m_at < m_end && m_tokens[m_at].kind == PythonToken::Kind::text; ++m_at) {
        const PythonToken& token = m_tokens[m_at];
        whole.text.text += token.formatted ? formatted(token, whole) : token.text;
    }
    return whole;
}

std::string PythonExpression::formatted(const PythonToken& token, PythonValue& whole) {
    std::string all;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
        const char c = token.text[i];
        const bool twice = token.text.substr(i + 1, 1) == std::string(1, c);
        if (c != '{' && c != '}') {
            all += c;
        } else if (twice) {
            all += c, ++i;
        } else if (c == '{') {
            const std::size_t close = end_of_field(token.text, i);
            const std::string field = token.text.substr(i + 1, close - i - 1);
            const auto tokens = python_tokens(expression_in(field), token.at);
            PythonExpression inner(tokens, 0, tokens.size(), m_scope, m_depth);
            inner.m_bound = m_bound;
            PythonValue value = inner.value();
            whole.text.fixed = whole.text.fixed && is_fixed(value);
            all += inner.at() == tokens.size() ? text_in(value) : std::string(k_open_part);
            if (value.is_known()) whole.items.push_back(std::move(value));
            i = close;
        }
    }
    return all;
}

void PythonExpression::skip_to(std::string_view close) {
    int depth = 0;
    for (; m_at < m_end; ++m_at) {
        if (depth == 0 && here(close)) return;
        if (here("(") || here("[") || here("{")) ++depth;
        if (here(")") || here("]") || here("}")) --depth;
    }
}

namespace {

void add_element(PythonValue item, bool spread, std::vector<PythonValue>& items) {
    if (spread && item.is_list())
        append(items, item.items);
    else
        items.push_back(std::move(item));
}

}  // namespace

// (a), (a, b), [a, *b], {"k": v}, and comprehensions. `single`: one value without a comma.
PythonValue PythonExpression::bracketed(std::string_view close, Kind kind, bool& single) {
    const Written at = place();
    std::vector<PythonValue> items;
    bool comma = false, keyed = false;
    while (m_at < m_end && !here(close)) {
        const std::size_t begin = m_at;
        const bool spread = take("*");
        if (here("*") || here("**")) ++m_at;
        PythonValue item = ternary();
        if (here("for")) {
            PythonValue all = comprehension(begin, close);
            take(close);
            return all;
        }
        if (kind == Kind::table && take(":")) {
            keyed = true;
            items.push_back(std::move(item));
            item = ternary();
        }
        add_element(std::move(item), spread, items);
        if (here(close)) break;
        if (!take(",")) {
            skip_to(close);
            take(close);
            return {};
        }
        comma = true;
    }
    take(close);
    single = items.size() == 1 && !comma;
    return PythonValue::of_items(kind == Kind::table && (keyed || items.empty()) ? kind : Kind::list, at,
                                 std::move(items));
}

// [f(x) for x in LIST if ...]: the element at `begin` is evaluated for each item.
PythonValue PythonExpression::comprehension(std::size_t begin, std::string_view close) {
    const Written at = place();
    take("for");
    std::vector<std::string> names;
    while (m_at < m_end && !here("in"))
        if (m_tokens[m_at++].kind == PythonToken::Kind::name) names.push_back(m_tokens[m_at - 1].text);
    take("in");
    const PythonValue over = any();
    const std::size_t condition = here("if") ? m_at + 1 : m_end;
    const bool nested = here("for");
    skip_to(close);
    const std::size_t behind = m_at;
    if (!over.is_list() || names.empty() || nested) return {};
    std::vector<PythonValue> items;
    for (const PythonValue& item : over.items) {
        const std::size_t before = m_bound.size();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const PythonValue* part = unpacked(item, i, names.size());
            m_bound.emplace_back(names[i], part ? *part : PythonValue{});
        }
        m_at = condition;
        const Truth wanted = condition < behind ? truth_of(any()) : Truth::yes;
        m_at = begin;
        if (wanted == Truth::yes) items.push_back(ternary());
        m_bound.resize(before);
        if (wanted == Truth::unknown || !m_scope.spend(at)) {
            m_at = behind;
            return {};
        }
    }
    m_at = behind;
    return PythonValue::of_items(Kind::list, at, std::move(items));
}

PythonValue PythonExpression::subscript(const PythonValue& value) {
    PythonValue begin, end;
    bool has_begin = false, has_end = false, slice = false;
    if (!here(":")) begin = this->value(), has_begin = true;
    if (take(":")) {
        slice = true;
        if (!here("]") && !here(":")) end = ternary(), has_end = true;
    }
    skip_to("]");
    take("]");
    if (slice) return slice_of(value, has_begin ? &begin : nullptr, has_end ? &end : nullptr);
    if (value.kind != Kind::environment) return item_of(value, begin);
    PythonCall call{"os.getenv", {begin}, {}, place()};
    return m_scope.call(call);
}

PythonValue PythonExpression::called(const PythonValue& value, std::string path) {
    PythonCall call;
    call.at = place();
    if (m_at > 1)
        call.last = {m_tokens[m_at - 2].text, m_scope.file, m_tokens[m_at - 2].at.line,
                     m_tokens[m_at - 2].at.column};
    while (m_at < m_end && !here(")")) {
        const std::size_t begin = m_at;
        const bool spread = take("*");
        if (!spread && take("**")) {
            ternary();
        } else if (m_at + 1 < m_end && m_tokens[m_at].kind == PythonToken::Kind::name &&
                   m_tokens[m_at + 1].is("=")) {
            const std::string name = m_tokens[m_at].text;
            m_at += 2;
            call.named.emplace_back(name, ternary());
        } else {
            PythonValue item = ternary();
            if (here("for")) item = comprehension(begin, ")");
            if (spread && item.is_list())
                append(call.given, item.items);
            else
                call.given.push_back(std::move(item));
        }
        if (!take(",")) break;
    }
    skip_to(")");
    take(")");
    call.path = std::move(path);
    const std::size_t dot = call.path.rfind('.');
    const std::string name = dot == npos ? call.path : call.path.substr(dot + 1);
    if (auto result = method_of(value, name, call.given, call.named)) return std::move(*result);
    call.object = value;
    return m_scope.call(call);
}

}  // namespace ptxguard::recipes
