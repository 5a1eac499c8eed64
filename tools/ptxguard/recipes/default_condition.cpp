// SPDX-License-Identifier: Apache-2.0
#include "recipes/default_condition.hpp"

#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

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

Truth DefaultCondition::of(const std::vector<std::string>& arguments) const {
    std::vector<CMakeWord> words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool compared = is_compared(arguments, i);
        const bool has_next = i + 1 < arguments.size();
        // A target with "::" may be one of a package.
        if (arguments[i] == "TARGET" && has_next && arguments[i + 1].find_first_of(":$") == npos)
            words.push_back({targets.count(arguments[++i]) ? "ON" : "OFF"});
        else if (arguments[i] == "DEFINED" && has_next)
            words.push_back(variables.is_open(arguments[++i]) ? CMakeWord{"", false}
                            : is_defined(arguments[i])        ? CMakeWord{"ON"}
                                                              : CMakeWord{"OFF"});
        else
            words.push_back(compared ? compared_word(arguments[i]) : word_of(arguments[i]));
    }
    return cmake_condition(words, [this](const std::string& name) { return value(name); }).value;
}

CMakeWord DefaultCondition::word_of(const std::string& word) const {
    const std::string name = dereferenced(word);
    if (is_operator(word)) return {word};
    if (name.empty() && word.find('$') != npos) return {word, false};
    const auto known = value(name.empty() ? word : name);
    const bool is_constant = name.empty() && (word.empty() || is_digit(word[0]) ||
                                              is_one_of(lower(word), {"on", "true", "yes", "y"}));
    return known ? *known : is_constant ? CMakeWord{word} : CMakeWord{"OFF"};
}

CMakeWord DefaultCondition::compared_word(const std::string& word) const {
    const std::string name = dereferenced(word);
    if (!name.empty()) return value(name).value_or(CMakeWord{word, false});
    const bool may_be_variable = word.find('_') != npos || word.find('$') != npos;
    return {word, value(word).has_value() || !may_be_variable};
}

bool DefaultCondition::is_defined(const std::string& name) const {
    if (starts_with(name, "ENV{") && ends_with(name, "}"))
        return host.env(name.substr(4, name.size() - 5)).has_value();
    const auto known = value(name);
    return known && (variables.find(name) || known->text != "OFF");
}

std::optional<CMakeWord> DefaultCondition::value(const std::string& name) const {
    if (variables.is_open(name)) return CMakeWord{"", false};
    if (const std::string* known = variables.find(name)) return CMakeWord{*known, known->find('$') == npos};
    if (name == "CMAKE_CUDA_ARCHITECTURES") return CMakeWord{cuda && sets_archs ? "ON" : "OFF"};
    if (name == "CMAKE_CUDA_COMPILER_LOADED") return CMakeWord{cuda ? "ON" : "OFF"};
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
