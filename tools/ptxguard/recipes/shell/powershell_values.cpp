// Expressions of PowerShell whose value follows from the text.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_syntax.hpp"
#include "recipes/shell/shell_windows_text.hpp"
#include "recipes/shell/shell_windows_values.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_bytes_of_plain_value = 1u << 12;  // no name, tag or URL is longer
constexpr std::size_t k_bytes_of_part = 256;              // of what -f fills in
constexpr std::size_t k_bytes_of_table = 1u << 13;        // it is read for each use

// What a pattern of -replace matches, if it has no sign of a regular expression: "\." is ".".
std::optional<std::string> literal_of_pattern(const std::string& pattern) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.compare(i, 3, "[.]") == 0) {
            text += '.', i += 2;
            continue;
        }
        if (std::string_view("[](){}*+?|^$.").find(pattern[i]) != npos) return std::nullopt;
        if (pattern[i] == '\\') {
            if (++i == pattern.size() || std::isalnum(static_cast<unsigned char>(pattern[i])))
                return std::nullopt;
        }
        text += pattern[i];
    }
    return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::size_t> number_in(const std::string& text) {
    return all_digits(text) && text.size() < 6 ? std::optional<std::size_t>(std::stoul(text)) : std::nullopt;
}

// The table that a variable holds (powershell_literal). Nothing for another value.
std::optional<Json> table_in(const PowerShellValue& value) {
    if (!value.known || value.text.size() > k_bytes_of_table || value.text.substr(0, 1) != "{")
        return std::nullopt;
    const auto table = parse_json(value.text, "");
    return table && table->is_object() ? std::optional(*table) : std::nullopt;
}

// Null without one. Capitals do not count.
const Json* member_of(const Json& table, const std::string& key) {
    for (const auto& [name, value] : table.members())
        if (lower(name) == lower(key)) return &value;
    return nullptr;
}

class PowerShellReader {
public:
    PowerShellReader(std::string_view text, std::size_t begin, const PowerShellVariable& variable)
        : m_text(text), m_at(begin), m_variable(variable) {}

    std::optional<PowerShellValue> read() {
        PowerShellValue value = expression(0);
        if (m_failed || !value.known || value.text.size() > k_bytes_of_plain_value) return std::nullopt;
        value.end = m_at;
        return value;
    }

private:
    static constexpr int k_deepest = 10;

    char here(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    void blanks() {
        while (here() == ' ' || here() == '\t' || here() == '\r') ++m_at;
    }
    bool take(std::string_view sign) {
        const std::size_t before = m_at;
        blanks();
        const bool found = lower(m_text.substr(m_at, sign.size())) == sign;
        m_at = found ? m_at + sign.size() : before;
        return found;
    }
    PowerShellValue fail() {
        m_failed = true;
        return {};
    }
    static void join(PowerShellValue& value, const PowerShellValue& other) {
        value.known = value.known && other.known;
        value.fixed = value.fixed && other.fixed;
    }

    PowerShellValue expression(int depth) {
        if (depth > k_deepest) return fail();
        PowerShellValue value = operand(depth);
        while (!m_failed && value.text.size() <= k_bytes_of_plain_value) {
            if (take("-replace ") || take("-creplace ") || take("-ireplace ")) {
                const PowerShellValue pattern = operand(depth);
                const PowerShellValue by = take(",") ? operand(depth) : PowerShellValue{};
                replace(value, literal_of_pattern(pattern.text), by);
                join(value, pattern);
            } else if (take("-f ")) {
                fill(value, depth);
            } else if (take("+ ") || take("+")) {
                const PowerShellValue more = operand(depth);
                join(value, more);
                value.text += more.text;
            } else {
                break;
            }
        }
        return value;
    }

    void replace(PowerShellValue& value, const std::optional<std::string>& from, const PowerShellValue& by) {
        join(value, by);
        if (!from || by.text.find('$') != npos)
            value.known = false;
        else if (by.text.size() < k_bytes_of_part)
            value.text = replace_all(value.text, *from, by.text);
    }

    // "{0}-{1}" -f $a, $b
    void fill(PowerShellValue& value, int depth) {
        for (std::size_t number = 0;; ++number) {
            const PowerShellValue one = operand(depth);
            join(value, one);
            if (m_failed || one.text.size() > k_bytes_of_part) return;
            value.text = replace_all(value.text, "{" + std::to_string(number) + "}", one.text);
            if (!take(",")) break;
        }
        value.known = value.known && value.text.find('{') == npos;
    }

    PowerShellValue operand(int depth) {
        blanks();
        PowerShellValue value;
        if (take("(")) {
            value = expression(depth + 1);
            if (!take(")")) return fail();
        } else if (here() == '\'' || here() == '"') {
            value = quoted();
        } else if (here() == '$') {
            value = named();
        } else if (is_digit(here())) {
            const std::size_t end = std::min(m_text.find_first_not_of("0123456789.", m_at), m_text.size());
            value.text = m_text.substr(m_at, end - m_at);
            m_at = end;
        } else if (is_letter(here())) {
            value = content_of_file(depth);
        } else {
            return fail();
        }
        while (!m_failed && (here() == '.' || here() == '[')) member(value, depth);
        return value;
    }

    std::string bare_word() {
        const std::size_t end = std::min(m_text.find_first_of(" \t\r\n);|,", m_at), m_text.size());
        std::string word(m_text.substr(m_at, end - m_at));
        m_at = end;
        return word;
    }

    // Get-Content PATH -Raw | ConvertFrom-Json: a table is its JSON.
    PowerShellValue content_of_file(int depth) {
        if (!contains(k_readers_of_files, lower(bare_word())) || !m_variable.file) return fail();
        PowerShellValue path;
        for (blanks(); !m_failed && std::string_view(")|;\n").find(here()) == npos && here(); blanks()) {
            if (here() == '"' || here() == '\'' || here() == '$') {
                path = operand(depth + 1);
                continue;
            }
            const std::string word = bare_word();
            if (is_one_of(lower(word), {"-encoding", "-erroraction"}))
                blanks(), bare_word();
            else if (word.empty())
                fail();
            else if (word[0] != '-')
                path.text = word;
            else if (!is_one_of(lower(word), {"-path", "-literalpath", "-raw"}))
                fail();
        }
        auto value = m_failed || path.text.empty() || !path.known ? std::nullopt : m_variable.file(path.text);
        if (!value) return fail();
        while (take("| convertfrom-json") || take("| out-string")) {
        }
        return std::move(*value);
    }

    // .Replace('.', ''), .Split('.')[0], .Substring(0, 4), .Remove(4), .IndexOf('.'), .Trim()
    void member(PowerShellValue& value, int depth) {
        const std::optional<Json> table = table_in(value);
        if (here() == '[') return table ? element_of(*table, value, depth) : void(fail());
        ++m_at;
        const std::size_t length = length_of_name(m_text.substr(m_at));
        const std::string name = lower(m_text.substr(m_at, length));
        m_at += length;
        if (here() != '(') {
            take_member(table, name, value);
            if (length == 0) fail();
            return;
        }
        ++m_at;
        std::vector<PowerShellValue> given;
        while (!m_failed && !take(")")) {
            given.push_back(expression(depth + 1));
            join(value, given.back());
            if (!take(",") && (blanks(), here() != ')')) fail();
        }
        if (table && given.size() == 1 && (name == "containskey" || name == "contains"))
            value.text = member_of(*table, given[0].text) ? "True" : "False";
        else
            apply(name, given, value);
    }

    // $table["12.4"], $table[$cuda]
    void element_of(const Json& table, PowerShellValue& value, int depth) {
        ++m_at;
        const PowerShellValue key = expression(depth + 1);
        join(value, key);
        if (!take("]")) fail();
        take_member(table, key.text, value);
    }

    static void take_member(const std::optional<Json>& table, const std::string& name,
                            PowerShellValue& value) {
        const Json* member = table ? member_of(*table, name) : nullptr;
        value.known = value.known && member && (member->is_string() || member->is_object());
        if (value.known) value.text = member->is_string() ? member->as_string() : to_text(*member);
    }

    void apply(const std::string& name, const std::vector<PowerShellValue>& given, PowerShellValue& value) {
        if (name == "trim" || name == "tostring")
            value.text = trim(value.text);
        else if (name == "tolower")
            value.text = lower(value.text);
        else if (given.empty())
            value.known = false;
        else if (name == "substring" || name == "remove")
            cut(name == "remove", given, value);
        else if (given.size() == 1)
            search(name, given[0].text, value);
        else if (name == "replace" && given.size() == 2 && !given[0].text.empty() &&
                 given[1].text.size() < k_bytes_of_part)
            value.text = replace_all(value.text, given[0].text, given[1].text);
        else
            value.known = false;
    }

    // .Substring(FIRST, COUNT), .Remove(FIRST, COUNT): without COUNT to the end.
    static void cut(bool removes, const std::vector<PowerShellValue>& given, PowerShellValue& value) {
        const auto first = number_in(given[0].text);
        const auto count = given.size() > 1 ? number_in(given[1].text) : std::optional(npos);
        value.known = value.known && first && count && *first <= value.text.size();
        if (!value.known) return;
        if (removes)
            value.text.erase(*first, *count);
        else
            value.text = value.text.substr(*first, *count);
    }

    // Methods with one argument: a text to be found.
    void search(const std::string& name, const std::string& wanted, PowerShellValue& value) {
        if (name == "indexof" || name == "lastindexof") {
            const std::size_t at = name == "indexof" ? value.text.find(wanted) : value.text.rfind(wanted);
            value.known = value.known && at != npos;
            value.text = std::to_string(at);
        } else if (name == "contains" || name == "startswith") {
            const std::size_t at = value.text.find(wanted);
            value.text = (name == "contains" ? at != npos : at == 0) ? "True" : "False";
        } else if (name == "split" && wanted.size() == 1 && here() == '[') {
            element(split_fields(value.text, wanted[0]), value);
        } else {
            value.known = false;
        }
    }

    // [0] behind .Split('.')
    void element(const std::vector<std::string>& parts, PowerShellValue& value) {
        const std::size_t close = m_text.find(']', m_at);
        const auto number =
            close == npos ? std::nullopt : number_in(std::string(m_text.substr(m_at + 1, close - m_at - 1)));
        value.known = value.known && number && *number < parts.size();
        if (value.known) value.text = parts[*number];
        m_at = close == npos ? m_text.size() : close + 1;
    }

    PowerShellValue named() {
        const bool braces = here(1) == '{';
        std::size_t begin = m_at + 1 + braces;
        if (lower(m_text.substr(begin, 4)) == "env:") begin += 4;
        const std::size_t length = length_of_name(m_text.substr(begin));
        m_at = begin + length + (braces ? 1 : 0);
        if (length == 0 || m_at > m_text.size()) return fail();
        auto value = m_variable(m_text.substr(begin, length));
        if (value) return std::move(*value);
        PowerShellValue open;
        open.known = false;
        return open;
    }

    PowerShellValue quoted() {
        const char quote = here();
        PowerShellValue value;
        for (++m_at; m_at < m_text.size() && here() != quote;) {
            if (here() == '\n') return fail();
            if (quote == '"' && (here() == '`' || (here() == '$' && here(1) == '('))) return fail();
            if (quote == '"' && here() == '$' &&
                (here(1) == '{' || length_of_name(m_text.substr(m_at + 1)) > 0)) {
                const PowerShellValue part = named();
                join(value, part);
                value.text += part.text;
            } else {
                value.text += m_text[m_at++];
            }
        }
        if (m_at >= m_text.size()) return fail();  // the text ends in it
        ++m_at;
        return value;
    }

    std::string_view m_text;
    std::size_t m_at;
    const PowerShellVariable& m_variable;
    bool m_failed = false;
};

// "a", 'b'): the quoted texts up to the bracket.
std::vector<std::pair<std::size_t, std::string>> values_of_set(std::string_view text, std::size_t at) {
    std::vector<std::pair<std::size_t, std::string>> values;
    const std::size_t end = std::min(text.find(')', at), text.size());
    while ((at = text.find_first_of("\"'", at)) < end) {
        const std::size_t close = std::min(text.find(text[at], at + 1), end);
        values.emplace_back(at + 1, std::string(text.substr(at + 1, close - at - 1)));
        at = close + 1;
    }
    return values;
}

}  // namespace

std::optional<PowerShellValue> powershell_value(std::string_view text, std::size_t begin,
                                                const PowerShellVariable& variable) {
    return PowerShellReader(text, begin, variable).read();
}

std::optional<PowerShellParameters> powershell_parameters(std::string_view text, std::size_t begin,
                                                          const PowerShellVariable& variable) {
    const std::size_t open = std::min(text.find_first_not_of(" \t\r\n", begin + 5), text.size());
    if (lower(text.substr(begin, 5)) != "param" || text.substr(open, 1) != "(") return std::nullopt;
    PowerShellParameters all;
    std::vector<std::pair<std::size_t, std::string>> choice;
    int depth = 0;
    for (std::size_t k = open; k < text.size(); ++k) {
        if (text[k] == '\'' || text[k] == '"') k = std::min(text.find(text[k], k + 1), text.size() - 1);
        depth += (text[k] == '(') - (text[k] == ')');
        all.end = k + 1;
        if (depth == 0) return all;
        const std::size_t length = text[k] == '$' ? length_of_name(text.substr(k + 1)) : 0;
        constexpr std::string_view k_set = "validateset(";
        if (lower(text.substr(k, k_set.size())) == k_set) choice = values_of_set(text, k + k_set.size());
        if (length > 0 && depth == 1) {
            all.names.emplace_back(text.substr(k + 1, length));
            if (!choice.empty()) all.choices.push_back({all.names.back(), std::exchange(choice, {})});
        }
        const std::size_t sign = std::min(text.find_first_not_of(" \t", k + 1 + length), text.size());
        if (length == 0 || text.substr(sign, 1) != "=") continue;
        const std::size_t first = std::min(text.find_first_not_of(" \t", sign + 1), text.size());
        auto value = powershell_value(text, first, variable);
        if (!value) continue;
        value->fixed = false;
        const std::size_t end = value->end;
        all.defaults.push_back({std::string(text.substr(k + 1, length)), first, std::move(*value)});
        k = end - 1;
    }
    return std::nullopt;
}

}  // namespace ptxguard::recipes
