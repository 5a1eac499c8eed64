// Line by line, so that each value keeps its line.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/conda_template.hpp"

#include <map>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/template_text.hpp"
#include "recipes/installers/match_spec.hpp"

namespace ptxguard::recipes {
namespace {

// The same for a line with a selector.
constexpr std::string_view k_selected = "\xE2\x80\x8B";  // U+200B
constexpr Limit k_most_variables{1000, "variables of a template", "later ones"};
constexpr std::size_t k_most_rendered = 16u << 20;  // more than is read as YAML

enum class Selected { yes, no, open };

// "linux and not aarch64", "win", "cuda_compiler_version != 'None'": for Linux only parts that name a system.
Selected selected(std::string_view selector) {
    bool any_no = false, any_yes = false, open = false, negated = false;
    for (const std::string& word : split(selector, " ()")) {
        if (word == "not") {
            negated = true;
            continue;
        }
        if (word == "or" || word == "and") {
            open = open || (word == "or" && any_no);
            continue;
        }
        const bool other = is_one_of(word, {"win", "win32", "win64", "osx", "arm64", "osx64"});
        const bool linux_ = is_one_of(word, {"linux", "unix"});
        if (!other && !linux_)
            open = true;
        else if (other != negated)
            any_no = true;
        else
            any_yes = true;
        negated = false;
    }
    if (any_no && !any_yes && !(open && selector.find(" or ") != selector.npos)) return Selected::no;
    return open ? Selected::open : Selected::yes;
}

// The selector at the end of a line, and the line without it.
std::string_view take_selector(std::string_view& line) {
    const std::string_view end = trimmed(line);
    if (end.empty() || end.back() != ']') return {};
    const std::size_t hash = line.rfind('#');
    if (hash == line.npos) return {};
    const std::string_view comment = trimmed(line.substr(hash + 1));
    if (comment.empty() || comment.front() != '[') return {};
    line = line.substr(0, hash);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    return comment.substr(1, comment.size() - 2);
}

// "cuda"; nothing for an expression that only begins with a literal: "cuda" if cuda != "None" else "cpu".
std::optional<std::string> literal(std::string_view text) {
    const std::size_t end = text.find(text.front(), 1);
    return end == text.size() - 1 ? std::optional(std::string(text.substr(1, end - 1))) : std::nullopt;
}

std::optional<std::string> result_of(std::string_view function, std::string argument,
                                     const std::function<const std::string*(std::string_view)>& variable) {
    if (is_one_of(function, {"compiler", "stdlib"})) return std::string(function) + "_" + argument;
    if (function == "pin_compatible") return argument;
    if (function != "pin_subpackage") return std::nullopt;
    const std::string* value = variable(argument);
    return value ? *value : argument;
}

}  // namespace

std::optional<std::string> conda_value(std::string_view expression,
                                       const std::function<const std::string*(std::string_view)>& variable) {
    expression = trimmed(expression);
    const std::size_t filter = expression.find('|');
    if (filter != expression.npos) {
        const std::string name(trimmed(expression.substr(filter + 1)));
        const auto value = conda_value(expression.substr(0, filter), variable);
        if (value && name == "lower") return lower(*value);
        if (value && (name == "string" || name == "trim")) return value;
        return std::nullopt;
    }
    const std::size_t open = expression.find('(');
    if (open == expression.npos) {
        if (!expression.empty() && (expression.front() == '"' || expression.front() == '\''))
            return literal(expression);
        const std::string* value = variable(expression);
        return value ? std::optional(*value) : std::nullopt;
    }
    std::string argument = without_quotes(expression.substr(
        open + 1, std::min(expression.find_first_of(",)", open), expression.size()) - open - 1));
    return result_of(trimmed(expression.substr(0, open)), std::move(argument), variable);
}

namespace {

class CondaRenderer {
public:
    CondaRenderer(const std::string& file, Problems& problems) : m_file(file), m_problems(problems) {}

    std::string rendered(std::string_view text) {
        std::string result;
        for (const std::string_view line : lines_of(text)) {
            ++m_number;
            if (result.size() > k_most_rendered) break;  // the reader of the result reports it
            const std::string_view statement = trimmed(line);
            if (!m_open.empty() || starts_with(statement, "{%") || starts_with(statement, "{#"))
                take(statement);  // the lines between other statements are kept
            else
                result += shown(line, statement);
            result += '\n';
        }
        return result;
    }

private:
    Written here() const { return Written{"", m_file, m_number, 1}; }
    const std::string* variable(std::string_view name) const {
        const auto found = m_values.find(name);
        return found == m_values.end() ? nullptr : &found->second;
    }
    std::optional<std::string> computed(std::string_view expression) const {
        return conda_value(expression, [this](std::string_view name) { return variable(name); });
    }

    // A statement or comment, which may have several lines.
    void take(std::string_view line) {
        m_open += (m_open.empty() ? "" : " ") + std::string(line);
        const bool comment = m_open[1] == '#';
        if (line.find(comment ? "#}" : "%}") == npos) return;
        if (!comment) set(m_open);
        m_open.clear();
    }

    // {% set version = "1.0" %}
    void set(std::string_view statement) {
        const std::size_t set = statement.find("set ");
        const std::size_t equals = statement.find('='), end = statement.rfind("%}");
        if (set == statement.npos || equals == statement.npos || end == statement.npos || equals >= end ||
            m_problems.exceeds(k_most_variables, m_values.size() + 1, here()))
            return;
        std::string_view given = trimmed(statement.substr(equals + 1, end - equals - 1));
        if (!given.empty() && given.back() == '-') given = trimmed(given.substr(0, given.size() - 1));
        const bool number = !given.empty() && given.find_first_not_of("0123456789.") == given.npos;
        const auto value = number ? std::optional(std::string(given)) : computed(given);
        const std::string name(trimmed(statement.substr(set + 4, equals - set - 4)));
        if (value) m_values[name] = *value;
    }

    // Empty where a selector excludes the line.
    std::string shown(std::string_view line, std::string_view statement) {
        const std::string_view selector = take_selector(line);
        const Selected choice = selector.empty() ? Selected::yes : selected(selector);
        if (choice == Selected::no) return "";
        bool known = true;
        const auto value = [&](std::string_view expression) -> std::optional<std::string> {
            const auto found = computed(expression);
            return found ? found : std::optional(std::string(k_unknown_value));
        };
        std::string text = filled(line.substr(0, line.find("{#")), "{{", value, here(), m_problems, known);
        const bool item =
            statement.size() > 1 && statement[0] == '-' && statement.find(": ") == statement.npos;
        return choice == Selected::open && item ? text + std::string(k_selected) : text;
    }

    const std::string& m_file;
    Problems& m_problems;
    std::map<std::string, std::string, std::less<>> m_values;
    int m_number = 0;
    std::string m_open;  // what begun so far, without its end
};

}  // namespace

std::string render_conda(std::string_view text, const std::string& file, Problems& problems) {
    if (text.find("{{") == text.npos && text.find("{%") == text.npos && text.find("{#") == text.npos &&
        text.find("# [") == text.npos && text.find("#[") == text.npos)
        return std::string(text);
    return CondaRenderer(file, problems).rendered(text);
}

Written marked(Written value) {
    if (std::size_t at = value.text.find(k_selected); at != std::string::npos) {
        std::string kept;
        std::size_t done = 0;
        for (; at != std::string::npos; at = value.text.find(k_selected, done)) {
            kept.append(value.text, done, at - done);
            done = at + k_selected.size();
        }
        value.text = kept.append(value.text, done, std::string::npos);
        value.fixed = false;
    }
    if (value.text.find(k_unknown_value) != std::string::npos) value.known = false;
    return value;
}

}  // namespace ptxguard::recipes
