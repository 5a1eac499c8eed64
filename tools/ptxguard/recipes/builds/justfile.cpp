// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/justfile.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formats/text_lines.hpp"
#include "model/text.hpp"
#include "recipes/base/env_files.hpp"
#include "recipes/shell/shell.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

class JustfileReader {
public:
    JustfileReader(const std::string& file, std::string_view text, const ReadFile& files)
        : m_lines(lines_of(text)), m_files(files) {
        m_recipe.kind = RecipeKind::justfile;
        m_recipe.file = file;
    }

    Recipe read() {
        // A variable may be set below its use.
        for (m_at = 0; m_at < m_lines.size(); ++m_at) variable(m_lines[m_at]);
        for (m_at = 0; m_at < m_lines.size(); ++m_at) setting(m_lines[m_at]);
        for (m_at = 0; m_at < m_lines.size();) {
            const std::string_view line = m_lines[m_at];
            const std::size_t colon = end_of_head(line);
            if (colon == npos)
                ++m_at;
            else
                recipe(line.substr(0, colon));
        }
        return std::move(m_recipe);
    }

private:
    static bool is_indented(std::string_view line) {
        return !line.empty() && (line[0] == ' ' || line[0] == '\t');
    }
    Written place(std::size_t column) const {
        return {"", m_recipe.file, static_cast<int>(m_at) + 1, static_cast<int>(column) + 1};
    }

    // The colon of "build cuda='12.4': deps"; npos = another line.
    static std::size_t end_of_head(std::string_view line) {
        if (is_indented(line) || line.empty() || line[0] == '#' || line[0] == '[') return npos;
        char quote = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (quote) {
                if (line[i] == quote) quote = 0;
            } else if (line[i] == '"' || line[i] == '\'') {
                quote = line[i];
            } else if (line[i] == ':') {
                return line.substr(i + 1, 1) == "=" ? npos : i;
            }
        }
        return npos;
    }

    // NAME := EXPRESSION
    void variable(std::string_view line) {
        if (is_indented(line)) return;
        const std::size_t sign = line.find(":=");
        if (sign == npos) return;
        auto words = split(line.substr(0, sign), " \t");
        if (!words.empty() && words.front() == "export") words.erase(words.begin());
        if (words.size() != 1 || !is_name(words[0])) return;
        if (auto found = value(line, sign + 2, line.size())) m_variables[words[0]] = std::move(*found);
    }

    // set dotenv-load, set dotenv-filename := "NAME"
    void setting(std::string_view line) {
        const auto words = split(line, " \t\r");
        if (words.size() < 2 || words[0] != "set" || !starts_with(words[1], "dotenv-") ||
            words.back() == "false")
            return;
        const std::size_t sign = line.find(":=");
        auto name = sign == npos ? std::nullopt : value(line, sign + 2, line.size());
        if (words[1] == "dotenv-load") name = place(0), name->text = ".env";
        const auto file = name && m_files ? m_files(name->text, *name) : std::nullopt;
        if (!file) return;
        for (SetVariable& one : variables_in(*file)) m_environment.push_back(std::move(one));
    }

    // 'a' + b / "c", env_var_or_default('X', 'y'); nothing if it is not known.
    std::optional<Written> value(std::string_view line, std::size_t begin, std::size_t end) const {
        Written all = place(std::min(line.find_first_not_of(" \t", begin), line.size()));
        for (std::size_t i = begin; i < end;) {
            const char c = line[i];
            if (c == ' ' || c == '\t' || c == '+') {
                ++i;
            } else if (c == '/') {
                all.text += c, ++i;
            } else if (c == '#') {
                break;
            } else if (c == '"' || c == '\'') {
                const std::size_t close = line.find(c, i + 1);
                if (close == npos || close >= end) return std::nullopt;
                all.text += line.substr(i + 1, close - i - 1);
                i = close + 1;
            } else {
                const std::size_t length = name_length(line, i);
                const std::string name(line.substr(i, length));
                i += length;
                if (length == 0) return std::nullopt;
                if (i < end && line[i] == '(') {
                    const auto otherwise = default_of_call(name, line, i, end);
                    if (!otherwise) return std::nullopt;
                    all.text += *otherwise;
                    all.fixed = false;
                    continue;
                }
                const auto found = m_variables.find(name);
                if (found == m_variables.end()) return std::nullopt;
                all.text += found->second.text;
                all.fixed = all.fixed && found->second.fixed;
            }
        }
        return all;
    }

    static std::size_t name_length(std::string_view line, std::size_t at) {
        std::size_t end = at;
        while (end < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_' || line[end] == '-'))
            ++end;
        return end - at;
    }

    // env_var_or_default("X", "y"), env("X", "y")
    static std::optional<std::string> default_of_call(const std::string& name, std::string_view line,
                                                      std::size_t& at, std::size_t end) {
        const std::size_t close = line.find(')', at);
        if (close == npos || close >= end || (name != "env_var_or_default" && name != "env"))
            return std::nullopt;
        const std::string_view inside = line.substr(at + 1, close - at - 1);
        at = close + 1;
        const std::size_t comma = inside.find(',');
        const std::string_view second = comma == npos ? "" : trimmed(inside.substr(comma + 1));
        if (second.size() < 2 || (second.front() != '"' && second.front() != '\'')) return std::nullopt;
        return std::string(second.substr(1, second.size() - 2));
    }

    void recipe(std::string_view head) {
        std::vector<std::pair<std::string, std::optional<Written>>> before;
        parameters(head, before);
        const auto words = split(head, " \t");
        ++m_at;
        PlacedText body(m_recipe.file);
        m_shell = {};
        m_shell.files = m_files;
        for (const SetVariable& one : m_environment)
            m_shell.variables.set(one.name, {one.value, {}, false, true, true});
        m_count = 0;
        for (; m_at < m_lines.size() && (is_indented(m_lines[m_at]) || trimmed(m_lines[m_at]).empty());
             ++m_at)
            line(m_lines[m_at], body);
        Stage stage;
        stage.name = "recipe " + (words.empty() ? "" : words[0]);
        const std::string program = program_of_script(trimmed(body.text));
        if (program.empty() || is_posix_shell(program)) stage.steps = read_shell(body, m_shell);
        m_recipe.problems.take(m_shell.problems);
        if (!stage.steps.empty()) m_recipe.stages.push_back(std::move(stage));
        for (auto& [name, value] : before)
            if (value)
                m_variables[name] = std::move(*value);
            else
                m_variables.erase(name);
    }

    // build cuda="12.4" +args: the defaults, which others override.
    // `before`: the variables that they hide.
    void parameters(std::string_view head,
                    std::vector<std::pair<std::string, std::optional<Written>>>& before) {
        for (std::size_t i = 0; i < head.size();) {
            const std::size_t equals = head.find('=', i);
            if (equals == npos) return;
            const std::size_t blank = head.find_last_of(" \t+*$", equals);
            const std::string name(head.substr(blank + 1, equals - blank - 1));
            const bool quoted = head.substr(equals + 1, 1) == "\"" || head.substr(equals + 1, 1) == "'";
            const std::size_t close = quoted ? head.find(head[equals + 1], equals + 2)
                                             : std::min(head.find_first_of(" \t", equals), head.size()) - 1;
            i = std::min(close, head.size() - 1) + 1;
            if (close == npos) return;
            const auto hidden = m_variables.find(name);
            before.emplace_back(name,
                                hidden == m_variables.end() ? std::nullopt : std::optional(hidden->second));
            if (auto given = value(head, equals + 1, i)) {
                given->fixed = false;
                m_variables[name] = std::move(*given);
            } else {
                m_variables.erase(name);
            }
        }
    }

    // "{{cuda}}" and "{{ 'a' + b }}" are replaced; what is not known becomes a variable that nothing sets.
    void line(std::string_view text, PlacedText& body) {
        std::size_t i = std::min(text.find_first_not_of(" \t@-"), text.size());
        while (i < text.size()) {
            const std::size_t open = std::min(text.find("{{", i), text.size());
            body.append(text.substr(i, open - i), {static_cast<int>(m_at) + 1, static_cast<int>(i) + 1});
            if (open == text.size()) break;
            const std::size_t close = std::min(text.find("}}", open), text.size());
            const auto found = value(text, open + 2, close);
            // One that others override becomes a variable of the shell.
            const bool pasted = found && found->fixed;
            const std::string name = "JUST_" + std::to_string(m_count++);
            if (found && !pasted) m_shell.variables.set(name, {*found});
            body.append(pasted ? found->text : "${" + name + "}",
                        {static_cast<int>(m_at) + 1, static_cast<int>(open) + 1});
            i = std::min(close + 2, text.size());
        }
        body.append("\n", {static_cast<int>(m_at) + 1, static_cast<int>(text.size()) + 1});
    }

    const std::vector<std::string_view> m_lines;
    const ReadFile& m_files;
    Recipe m_recipe;
    std::size_t m_at = 0;
    std::map<std::string, Written> m_variables;
    std::vector<SetVariable> m_environment;  // of all recipes
    Shell m_shell;                           // of the recipe that is read
    std::size_t m_count = 0;                 // of its variables
};

}  // namespace

Recipe read_justfile(const std::string& file, std::string_view text, const ReadFile& files) {
    return JustfileReader(file, without_mark(text), files).read();
}

}  // namespace ptxguard::recipes
