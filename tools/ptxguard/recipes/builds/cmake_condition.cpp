// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_condition.hpp"

#include <cctype>
#include <cstdlib>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_syntax.hpp"

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

// A pattern that is a text.
bool is_plain(const std::string& pattern) {
    return all_of(pattern,
                  [](char c) { return c == '_' || c == '-' || std::isalnum(static_cast<unsigned char>(c)); });
}

// "11.0" as a number, like if(X GREATER 11.0).
std::optional<double> number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || *end ? std::nullopt : std::optional<double>(value);
}

using Word = CMakeCondition::Word;
using Lookup = std::function<std::optional<Word>(const std::string& name)>;

class ConditionParser {
public:
    ConditionParser(const std::vector<Word>& words, const Lookup& lookup)
        : m_words(words), m_lookup(lookup) {}

    Truth read() {
        const Truth value = joined();
        return m_at < m_words.size() ? Truth::unknown : value;
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
        const Word left = m_words[m_at++];
        if (m_at + 1 >= m_words.size()) return constant(left);
        const std::string op = m_words[m_at].text;
        const Word& right = m_words[m_at + 1];
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
    Word value_of(const Word& word) const {
        if (!word.known || word.text.empty() || is_digit(word.text[0])) return word;
        if (auto value = m_lookup(word.text)) return *value;
        Word open = word;
        open.known = false;
        return open;
    }

    Truth constant(const Word& word) const {
        if (!word.known) return Truth::unknown;
        const Word value = value_of(word);
        const std::string text = lower(value.known ? value.text : word.text);
        for (const char* yes : {"on", "yes", "true", "y", "1"})
            if (text == yes) return Truth::yes;
        for (const char* no : {"off", "no", "false", "n", "0", "ignore", "notfound", ""})
            if (text == no) return Truth::no;
        if (!value.known) return Truth::unknown;
        return truth(!ends_with(text, "-notfound"));
    }

    Truth compared(const Word& first, const std::string& comparison, bool versions, const Word& second) {
        const Word left = value_of(first), right = value_of(second);
        if (!left.known || !right.known) return Truth::unknown;
        if (versions) {
            const auto a = parse_version(left.text), b = parse_version(right.text);
            return a && b ? truth(order_fits(comparison, compare(*a, *b))) : Truth::unknown;
        }
        // A version with three numbers is no number: such a test is false.
        const auto a = number_of(left.text), b = number_of(right.text);
        if (!a || !b) return Truth::no;
        return truth(order_fits(comparison, *a < *b ? -1 : *a > *b ? 1 : 0));
    }

    Truth texts(const Word& first, const std::string& op, const Word& second) {
        const Word left = value_of(first);
        if (op == "IN_LIST") {
            const Word list = value_of(second);
            if (!left.known || !list.known) return Truth::unknown;
            const auto items = split(list.text, ";");
            return truth(contains(items, left.text));
        }
        if (!left.known || !second.known) return Truth::unknown;
        if (op == "MATCHES" && is_plain(second.text)) return truth(left.text.find(second.text) != npos);
        if (op != "STREQUAL") return Truth::unknown;
        const auto other = m_lookup(second.text);
        const std::string right = other && other->known ? other->text : second.text;
        return truth(left.text == right);
    }

    const std::vector<Word>& m_words;
    const Lookup& m_lookup;
    std::size_t m_at = 0;
    int m_depth = 0;
};

bool compares(const std::string& word) {
    return ends_with(word, "LESS") || ends_with(word, "GREATER") || ends_with(word, "EQUAL") ||
           word == "MATCHES" || word == "IN_LIST";
}

bool is_operator(const std::string& word) {
    return is_one_of(word, {"AND", "OR", "NOT", "(", ")", "EXISTS", "TARGET", "POLICY", "COMMAND", "TEST",
                            "DEFINED"}) ||
           compares(word);
}

bool is_compared(const std::vector<std::string>& words, std::size_t i) {
    return (i + 1 < words.size() && compares(words[i + 1])) || (i > 0 && compares(words[i - 1]));
}

}  // namespace

Truth CMakeCondition::of(const std::vector<std::string>& arguments) const {
    std::vector<Word> words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool compared = is_compared(arguments, i);
        const bool has_next = i + 1 < arguments.size(), denied = i > 0 && arguments[i - 1] == "NOT";
        // A target with "::" may be one of a package.
        if (arguments[i] == "TARGET" && has_next && arguments[i + 1].find_first_of(":$") == npos)
            words.push_back({targets.count(arguments[++i]) ? "ON" : "OFF"});
        else if (arguments[i] == "DEFINED" && has_next)
            words.push_back(defined_word(arguments[++i], denied));
        else
            words.push_back(compared ? compared_word(arguments[i]) : word_of(arguments[i], denied));
    }
    const Lookup lookup = [this](const std::string& name) { return value(name); };
    return ConditionParser(words, lookup).read();
}

// Where it is open what is set, "NOT DEFINED X" is where X gets its default.
Word CMakeCondition::defined_word(const std::string& name, bool denied) const {
    if (variables.is_open(name)) return {"", false};
    if (is_defined(name)) return {"ON"};
    return {"OFF", variables.is_by_default() || denied};
}

Word CMakeCondition::word_of(const std::string& word, bool denied) const {
    const std::string name = dereferenced(word);
    if (is_operator(word)) return {word};
    if (name.empty() && word.find('$') != npos) return {word, false};
    const auto known = value(name.empty() ? word : name);
    const bool is_constant = name.empty() && (word.empty() || is_digit(word[0]) ||
                                              is_one_of(lower(word), {"on", "true", "yes", "y"}));
    if (known || is_constant) return known ? *known : Word{word};
    return {"OFF", variables.is_by_default() || denied};
}

Word CMakeCondition::compared_word(const std::string& word) const {
    const std::string name = dereferenced(word);
    if (!name.empty()) return value(name).value_or(Word{word, false});
    if (word.find('$') != npos) {
        std::string text = variables.expanded(word);
        const bool known = text.find('$') == npos;
        return {std::move(text), known};
    }
    const bool may_be_variable = word.find('_') != npos;
    return {word, value(word).has_value() || !may_be_variable};
}

bool CMakeCondition::is_defined(const std::string& name) const {
    if (starts_with(name, "ENV{") && ends_with(name, "}"))
        return in_environment && in_environment(name.substr(4, name.size() - 5));
    const auto known = value(name);
    return known && (variables.find(name) || known->text != "OFF");
}

std::optional<Word> CMakeCondition::value(const std::string& name) const {
    if (auto known = variables.known(name)) return Word{std::move(*known)};
    if (variables.is_open(name) || variables.find(name)) return Word{"", false};
    if (name == "CMAKE_CUDA_ARCHITECTURES") return Word{cuda && sets_archs ? "ON" : "OFF"};
    if (name == "CMAKE_CUDA_COMPILER_LOADED") return Word{cuda ? "ON" : "OFF"};
    return std::nullopt;
}

std::vector<std::string> switches_of(const std::vector<std::string>& condition) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (is_compared(condition, i) || (i > 0 && condition[i - 1] == "NOT")) continue;
        const std::string inner = dereferenced(condition[i]), name = inner.empty() ? condition[i] : inner;
        if (is_name(name) && !is_operator(name)) names.push_back(name);
    }
    return names;
}

}  // namespace ptxguard::recipes
