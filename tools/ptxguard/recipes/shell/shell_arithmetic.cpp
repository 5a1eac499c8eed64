// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_arithmetic.hpp"

#include <cstdlib>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

constexpr long k_bound = 1'000'000'000;  // of versions, counts and what is computed from them
constexpr long k_bound_of_factor = 30'000;
constexpr int k_brackets = 20;  // more are no number of a recipe

struct Operator {
    std::string_view text;
    int level;
    long (*apply)(long, long);
};
constexpr Operator k_operators[] = {{"||", 0, [](long a, long b) -> long { return a || b; }},
                                    {"&&", 1, [](long a, long b) -> long { return a && b; }},
                                    {"==", 2, [](long a, long b) -> long { return a == b; }},
                                    {"!=", 2, [](long a, long b) -> long { return a != b; }},
                                    {"<=", 3, [](long a, long b) -> long { return a <= b; }},
                                    {">=", 3, [](long a, long b) -> long { return a >= b; }},
                                    {"<", 3, [](long a, long b) -> long { return a < b; }},
                                    {">", 3, [](long a, long b) -> long { return a > b; }},
                                    {"+", 4, [](long a, long b) { return a + b; }},
                                    {"-", 4, [](long a, long b) { return a - b; }},
                                    {"*", 5, [](long a, long b) { return a * b; }},
                                    {"/", 5, [](long a, long b) { return a / b; }},
                                    {"%", 5, [](long a, long b) { return a % b; }}};

class Arithmetic {
public:
    Arithmetic(std::string_view text, const Variables& variables, bool& fixed)
        : m_text(text), m_variables(variables), m_fixed(fixed) {}

    std::optional<long> read() {
        const long value = binary(0);
        skip_blanks();
        return m_valid && m_at == m_text.size() ? std::optional(value) : std::nullopt;
    }

private:
    void skip_blanks() { m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); }

    long fail() {
        m_valid = false;
        return 0;
    }

    // The operator here, of at least that level.
    const Operator* next_operator(int level) {
        skip_blanks();
        const Operator* found = first_where(
            k_operators, [&](const Operator& one) { return starts_with(m_text.substr(m_at), one.text); });
        return found && found->level >= level ? found : nullptr;
    }

    long binary(int level) {
        if (++m_depth > k_brackets) return fail();
        long left = operand();
        while (m_valid) {
            const Operator* found = next_operator(level);
            if (!found) break;
            m_at += found->text.size();
            left = applied(*found, left, binary(found->level + 1));
        }
        --m_depth;
        return left;
    }

    long applied(const Operator& by, long a, long b) {
        if (by.text == "*" && (a > k_bound_of_factor || b > k_bound_of_factor)) return fail();
        if ((by.text == "/" || by.text == "%") && b == 0) return fail();
        return bounded(by.apply(a, b));
    }

    long bounded(long value) { return value > k_bound || value < -k_bound ? fail() : value; }

    long operand() {
        skip_blanks();
        const char c = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (c == '!' || c == '-') {
            ++m_at;
            if (++m_depth > k_brackets) return fail();
            const long value = operand();
            --m_depth;
            return c == '!' ? !value : -value;
        }
        if (c == '(') {
            ++m_at;
            const long value = binary(0);
            skip_blanks();
            if (m_text.substr(m_at, 1) != ")") return fail();
            ++m_at;
            return value;
        }
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && is_digit(m_text[m_at])) ++m_at;
        if (m_at > begin) return number(m_text.substr(begin, m_at - begin));
        const std::size_t length = length_of_name(m_text.substr(m_at));
        const Variable* found = length ? m_variables.find(m_text.substr(m_at, length)) : nullptr;
        m_at += length;
        if (!found || !found->value.known) return fail();
        m_fixed = m_fixed && found->value.fixed;
        return number(found->value.text);
    }

    long number(std::string_view text) {
        if (text.empty() || text.size() > 9 || !all_digits(text)) return fail();
        return std::strtol(std::string(text).c_str(), nullptr, 10);
    }

    const std::string_view m_text;
    const Variables& m_variables;
    bool& m_fixed;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_valid = true;
};

}  // namespace

std::optional<long> arithmetic(std::string_view text, const Variables& variables, bool& fixed) {
    return Arithmetic(text, variables, fixed).read();
}

}  // namespace ptxguard::recipes
