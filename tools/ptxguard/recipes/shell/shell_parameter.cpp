// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_parameter.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/text.hpp"
#include "recipes/shell/shell_arithmetic.hpp"
#include "recipes/shell/shell_pattern.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_compared{65536, "comparisons with a pattern", "the value"};

// "${NAME:OFFSET:LENGTH}"
bool substring(std::string& value, const std::string& numbers) {
    if (numbers.empty() || numbers.find_first_not_of("0123456789-: ") != npos) return false;
    const std::size_t colon = numbers.find(':');
    const long size = static_cast<long>(value.size());
    long begin = std::strtol(numbers.c_str(), nullptr, 10);
    long length = colon == npos ? size : std::strtol(numbers.c_str() + colon + 1, nullptr, 10);
    if (begin < 0) begin += size;
    if (begin < 0 || begin > size) begin = size;
    length = length < 0 ? std::max(0L, size + length - begin) : std::min(length, size - begin);
    value = value.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
    return true;
}

class ParameterReader {
public:
    ParameterReader(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                    const ExpandRules& rules)
        : m_text(text), m_range(range), m_variables(variables), m_problems(problems), m_rules(rules) {}

    Parameter read() {
        const std::string_view whole = m_range.of(m_text.text);
        if (whole[1] != '{') return named(whole.substr(1));
        if (whole.size() < 4 || whole.back() != '}') return unknown();
        m_at = m_range.begin + 2;
        m_end = m_range.end - 1;
        const char sign = m_at + 1 < m_end ? m_text.text[m_at] : '\0';
        const bool length = sign == '#', indirect = sign == '!';
        if (length || indirect) ++m_at;
        const bool special = rest().substr(0, 1).find_first_of("@*#0123456789") != npos;
        const std::string name(rest().substr(0, special ? 1 : length_of_name(rest())));
        if (name.empty()) return unknown();
        m_at += name.size();
        std::string index;
        if (rest().substr(0, 1) == "[") {
            const std::size_t close = rest().find(']');
            if (close == npos) return unknown();
            const Written inside = inner({m_at + 1, m_at + close});
            index = inside.known ? inside.text : "?";
            m_at += close + 1;
        }
        Parameter parameter = indirect ? indirect_value(name, index) : value_of(name, index);
        if (length) return length_of(std::move(parameter));
        return rest().empty() ? parameter : changed(std::move(parameter));
    }

private:
    std::string_view rest() const { return std::string_view(m_text.text).substr(m_at, m_end - m_at); }

    Parameter unknown() const {
        Parameter parameter;
        parameter.value = m_text.written(m_range.begin, m_range.end);
        parameter.value.known = false;
        return parameter;
    }

    Parameter named(std::string_view name) const {
        if (name == "@" || name == "*") return value_of(std::string(name), "@");
        return value_of(std::string(name), "");
    }

    Parameter value_of(const std::string& name, const std::string& index) const {
        const Variable* found = m_variables.find(name);
        if (!found) return is_missing(name) ? missing() : unknown();
        const Variable& variable = *found;
        Parameter parameter;
        parameter.value = variable.value;
        if (!variable.is_array) return parameter;
        parameter.items = &variable.items;
        parameter.several = index == "@" || index == "*";
        if (parameter.several) return parameter;
        if (!variable.keys.empty()) {
            for (std::size_t i = variable.keys.size(); i > 0; --i) {  // the last one counts
                if (variable.keys[i - 1].text != index) continue;
                parameter.value = variable.items[i - 1];
                return parameter;
            }
            return unknown();
        }
        if (index.find_first_not_of("0123456789") != npos) return unknown();
        const auto number = static_cast<std::size_t>(std::strtoul(index.c_str(), nullptr, 10));
        if (number >= variable.items.size()) return unknown();
        parameter.value = variable.items[number];
        return parameter;
    }

    // "$3" of a script that gets two arguments.
    bool is_missing(const std::string& name) const {
        const Variable* count = m_variables.find("#");
        return count && count->value.known && name.size() == 1 && name[0] > '0' && name[0] <= '9' &&
               name[0] - '0' > std::atoi(count->value.text.c_str());
    }
    Parameter missing() const {
        Parameter parameter;
        parameter.value = m_text.written(m_range.begin, "");
        parameter.missing = true;
        return parameter;
    }

    // "${!ARRAY[@]}": its keys; "${!NAME}": the variable that NAME names.
    Parameter indirect_value(const std::string& name, const std::string& index) const {
        const Variable* found = m_variables.find(name);
        if (!found) return unknown();
        if (index.empty()) return found->value.known ? value_of(found->value.text, "") : unknown();
        if (found->keys.empty()) return unknown();
        Parameter parameter;
        parameter.value = found->value;
        parameter.items = &found->keys;
        parameter.several = true;
        return parameter;
    }

    Parameter length_of(Parameter parameter) const {
        if (!parameter.value.known && !parameter.several) return unknown();
        const std::size_t size = parameter.several ? parameter.items->size() : parameter.value.text.size();
        parameter.value.text = std::to_string(size);
        parameter.several = false;
        return parameter;
    }

    Written operand(std::size_t skip) const { return inner({std::min(m_at + skip, m_end), m_end}); }
    Written inner(Range range) const {
        return expand_whole(m_text, range, m_variables, m_problems, m_rules.escape, m_rules.source);
    }

    // ":-", "-", ":=", "=", ":+", "+", ":?", "?"
    Parameter with_default(Parameter parameter, char op, bool colon) const {
        const bool set = is_set(parameter) && !(colon && parameter.value.text.empty());
        const Written other = operand(colon ? 2 : 1);
        const bool decided = parameter.value.known;  // others may set a variable of the environment
        if (op == '?') return parameter;
        if (op == '+') {
            if (set)
                parameter.value = other;
            else
                parameter.value.text.clear();
        } else if (!set) {
            parameter.value = other;
        } else {
            return parameter;
        }
        parameter.several = false;
        if (!decided) parameter.value.fixed = false;
        if (!decided && op == '+') parameter.value.known = true;
        return parameter;
    }
    static bool is_set(const Parameter& parameter) {
        return (parameter.value.known && !parameter.missing) || parameter.several;
    }

    // Each character is compared with each place of the pattern.
    bool is_too_long(const std::string& text, const Written& pattern) const {
        return m_problems.exceeds(k_most_compared, text.size() * pattern.text.size(),
                                  m_text.written(m_range.begin, ""));
    }

    Parameter changed(Parameter parameter) const {
        constexpr std::string_view k_defaults = "-=+?";
        const std::string_view op = rest();
        const bool colon = op[0] == ':' && op.find_first_of(k_defaults, 1) == 1;
        if (colon || k_defaults.find(op[0]) != npos)
            return with_default(std::move(parameter), op[colon], colon);
        std::string& text = parameter.value.text;
        if (!parameter.value.known || parameter.several) return unknown();
        if (op[0] == ',') text = lower(text);
        if (op[0] == ',' || (op[0] == ':' && substring(text, operand(1).text))) return parameter;
        return std::string_view("#%/").find(op[0]) == npos ? unknown() : without(std::move(parameter));
    }

    // Without a pattern, or with another text for it: "#", "##", "%", "%%", "/", "//".
    Parameter without(Parameter parameter) const {
        const std::string_view op = rest();
        std::string& text = parameter.value.text;
        const bool twice = op.size() > 1 && op[1] == op[0];
        const std::size_t slash = op[0] == '/' ? op.find('/', 1 + twice) : npos;
        const Written pattern = inner({m_at + 1 + twice, slash == npos ? m_end : m_at + slash});
        const Written by = slash == npos ? Written{} : operand(slash + 1);
        if (is_too_long(text, pattern) || !pattern.known || !by.known) return unknown();
        text = op[0] == '/' ? replaced(text, pattern.text, by.text, twice)
                            : cut(text, pattern.text, op[0] == '%', twice);
        parameter.value.fixed = parameter.value.fixed && pattern.fixed;
        return parameter;
    }

    const PlacedText& m_text;
    const Range m_range;
    const Variables& m_variables;
    Problems& m_problems;
    const ExpandRules& m_rules;
    std::size_t m_at = 0, m_end = 0;
};

}  // namespace

Parameter parameter_at(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                       const ExpandRules& rules) {
    const std::string_view whole = range.of(text.text);
    if (whole.size() > 1 && whole[1] != '(')
        return ParameterReader(text, range, variables, problems, rules).read();
    Parameter parameter;
    parameter.value = text.written(range.begin, range.end);
    parameter.value.known = false;
    if (starts_with(whole, "$((") && ends_with(whole, "))")) {
        Written inner = expand_whole(text, {range.begin + 3, range.end - 2}, variables, problems,
                                     rules.escape, rules.source);
        const auto number = inner.known ? arithmetic(inner.text, variables, inner.fixed) : std::nullopt;
        if (number) parameter.value = std::move(inner), parameter.value.text = std::to_string(*number);
    }
    return parameter;
}

}  // namespace ptxguard::recipes
