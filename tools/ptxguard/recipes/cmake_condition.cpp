// SPDX-License-Identifier: Apache-2.0
#include "recipes/cmake_condition.hpp"

#include <algorithm>
#include <cstdlib>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard::recipes {
namespace {

// "VERSION_GREATER_EQUAL" -> "GREATER_EQUAL"; empty if the word is no comparison of numbers.
std::string comparison_of(const std::string& word) {
    const std::string name = starts_with(word, "VERSION_") ? word.substr(8) : word;
    for (const char* one : {"LESS", "GREATER", "EQUAL", "LESS_EQUAL", "GREATER_EQUAL"})
        if (name == one) return name;
    return "";
}

bool order_fits(const std::string& comparison, int order) {
    if (comparison == "LESS") return order < 0;
    if (comparison == "GREATER") return order > 0;
    if (comparison == "LESS_EQUAL") return order <= 0;
    return comparison == "EQUAL" ? order == 0 : order >= 0;
}

// "11.0" as a number, like if(X GREATER 11.0).
std::optional<double> number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || *end ? std::nullopt : std::optional<double>(value);
}

class ConditionParser {
public:
    ConditionParser(const std::vector<CMakeWord>& words, const CMakeLookup& lookup)
        : m_words(words), m_lookup(lookup) {}

    CMakeTruth read() {
        const Truth value = joined();
        return {m_at < m_words.size() ? Truth::unknown : value, m_of_release};
    }

private:
    bool is(const char* word) const { return m_at < m_words.size() && m_words[m_at].text == word; }
    bool take(const char* word) {
        if (!is(word)) return false;
        ++m_at;
        return true;
    }

    // From left to right: neither binds closer.
    Truth joined() {
        Truth value = one();
        for (;;) {
            if (take("AND"))
                value = both(value, one());
            else if (take("OR"))
                value = either(value, one());
            else
                return value;
        }
    }

    Truth one() {
        constexpr int k_deepest = 100;  // deeper ones decide nothing
        if (++m_depth > k_deepest) return m_at = m_words.size(), Truth::unknown;
        const Truth value = operand();
        --m_depth;
        return value;
    }

    Truth operand() {
        if (take("NOT")) return opposite(one());
        if (take("(")) {
            const Truth inside = joined();
            take(")");
            return inside;
        }
        for (const char* test : {"DEFINED", "EXISTS", "TARGET", "POLICY", "COMMAND", "TEST", "IS_DIRECTORY"})
            if (is(test) && m_at + 1 < m_words.size()) return question(test);
        if (m_at >= m_words.size()) return Truth::unknown;
        const CMakeWord left = m_words[m_at++];
        if (m_at + 1 >= m_words.size()) return constant(left);
        const std::string op = m_words[m_at].text;
        const CMakeWord& right = m_words[m_at + 1];
        if (const std::string comparison = comparison_of(op); !comparison.empty()) {
            m_at += 2;
            return compared(left, comparison, starts_with(op, "VERSION_"), right);
        }
        if (op == "STREQUAL" || op == "MATCHES" || op == "IN_LIST" || op == "PATH_EQUAL" || op == "STRLESS" ||
            op == "STRGREATER") {
            m_at += 2;
            return texts(left, op, right);
        }
        return constant(left);
    }

    Truth question(const std::string& test) {
        const std::string name = m_words[m_at + 1].text;
        m_at += 2;
        return test == "DEFINED" && m_lookup(name) ? Truth::yes : Truth::unknown;
    }

    // A bare word stands for the variable of that name.
    CMakeWord value_of(const CMakeWord& word) const {
        if (!word.known || word.text.empty() || is_digit(word.text[0])) return word;
        if (auto value = m_lookup(word.text)) return *value;
        CMakeWord open = word;
        open.known = false;
        return open;
    }

    Truth constant(const CMakeWord& word) const {
        if (!word.known) return Truth::unknown;
        const CMakeWord value = value_of(word);
        const std::string text = lower(value.known ? value.text : word.text);
        for (const char* yes : {"on", "yes", "true", "y", "1"})
            if (text == yes) return Truth::yes;
        for (const char* no : {"off", "no", "false", "n", "0", "ignore", "notfound", ""})
            if (text == no) return Truth::no;
        if (!value.known) return Truth::unknown;
        return truth(!ends_with(text, "-notfound"));
    }

    Truth compared(const CMakeWord& first, const std::string& comparison, bool versions,
                   const CMakeWord& second) {
        const CMakeWord left = value_of(first), right = value_of(second);
        if (!left.known || !right.known) return Truth::unknown;
        m_of_release = m_of_release || left.of_release || right.of_release;
        if (versions) {
            const auto a = parse_version(left.text), b = parse_version(right.text);
            return a && b ? truth(order_fits(comparison, compare(*a, *b))) : Truth::unknown;
        }
        // A version with three numbers is no number: such a test is false.
        const auto a = number_of(left.text), b = number_of(right.text);
        if (!a || !b) return Truth::no;
        return truth(order_fits(comparison, *a < *b ? -1 : *a > *b ? 1 : 0));
    }

    Truth texts(const CMakeWord& first, const std::string& op, const CMakeWord& second) {
        const CMakeWord left = value_of(first);
        if (op == "IN_LIST") {
            const CMakeWord list = value_of(second);
            if (!left.known || !list.known) return Truth::unknown;
            const auto items = split(list.text, ";");
            return truth(std::find(items.begin(), items.end(), left.text) != items.end());
        }
        if (op != "STREQUAL" || !left.known || !second.known) return Truth::unknown;
        const auto other = m_lookup(second.text);
        const std::string right = other && other->known ? other->text : second.text;
        m_of_release = m_of_release || left.of_release;
        return truth(left.text == right);
    }

    const std::vector<CMakeWord>& m_words;
    const CMakeLookup& m_lookup;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_of_release = false;
};

}  // namespace

CMakeTruth cmake_condition(const std::vector<CMakeWord>& words, const CMakeLookup& lookup) {
    return ConditionParser(words, lookup).read();
}

}  // namespace ptxguard::recipes
