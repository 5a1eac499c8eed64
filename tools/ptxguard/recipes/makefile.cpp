// Makefiles: variables, and the commands of each target as passed to its shell. Conditions and included files
// are not followed: conditional values are alternatives.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/job.hpp"
#include "recipes/scripts.hpp"
#include "recipes/shell.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_variable{10, "variables in variables", "deeper ones"};
constexpr Limit k_longest_value{1u << 16, "bytes of a value", "the rest of the value"};

class MakefileReader {
public:
    MakefileReader(const std::string& file, std::string_view text, const ReadFile& files,
                   const std::map<std::string, Written>& given)
        : m_lines(lines_of(text)), m_files(files), m_given(given), m_variables(given) {
        m_recipe.kind = RecipeKind::makefile;
        m_recipe.file = file;
    }

    Recipe read() {
        for (bool commands : {false, true}) {  // a variable may be set below its use
            m_stage = {};
            m_condition = 0;
            for (m_at = 0; m_at < m_lines.size();) line(commands);
            finish_target();
        }
        return std::move(m_recipe);
    }

private:
    void line(bool commands) {
        const std::size_t first = m_at;
        m_here = Written{"", m_recipe.file, static_cast<int>(m_at) + 1, 1};
        PlacedText text(m_recipe.file);
        const bool is_command = starts_with(m_lines[m_at], "\t");
        bool goes_on = true;
        for (bool begins = true; goes_on && m_at < m_lines.size(); ++m_at, begins = false) {
            std::string_view one = m_lines[m_at];
            goes_on = ends_with(one, "\\");
            if (goes_on) one.remove_suffix(1);
            // Within a command's continuation make removes the tab.
            const bool tab = is_command && starts_with(one, "\t");
            if (tab) one.remove_prefix(1);
            if (!begins && !is_command) text.append(" ", {static_cast<int>(m_at) + 1, 1});
            text.append(one, {static_cast<int>(m_at) + 1, tab ? 2 : 1});
        }
        if (!is_command) {
            definition(text, commands);
        } else if (commands && m_in_rule && m_lines[first].size() > 1) {
            command(text);
        }
    }

    void definition(const PlacedText& placed, bool commands) {
        std::string_view text = placed.text;
        text = text.substr(0, text.find('#'));
        const auto words = split(text, " \t");
        if (words.empty()) return;
        if (starts_with(words[0], "ifeq") || starts_with(words[0], "ifneq") ||
            starts_with(words[0], "ifdef") || starts_with(words[0], "ifndef")) {
            ++m_condition;
            return;
        }
        if (words[0] == "endif") {
            m_condition = std::max(0, m_condition - 1);
            return;
        }
        const std::size_t equals = text.find('=');
        const std::size_t colon = text.find(':');
        if (equals != npos && (colon == npos || colon + 1 == equals || colon + 2 == equals || equals < colon))
            return commands ? void() : variable(placed, text, equals);
        if (colon != npos && commands) rule(text, colon);
    }

    // NAME = VALUE, with :=, ::=, ?=, +=, and `export` in front
    void variable(const PlacedText& placed, std::string_view text, std::size_t equals) {
        std::size_t end = equals;
        while (end > 0 && std::string_view(":?+!").find(text[end - 1]) != npos) --end;
        const std::string op(text.substr(end, equals - end));
        auto words = split(text.substr(0, end), " \t");
        const bool exported = words.size() > 1 && words[0] == "export";
        if (words.empty() || words.size() > (exported ? 2u : 1u)) return;
        const std::size_t begin = std::min(text.find_first_not_of(" \t", equals + 1), text.size());
        Written value = placed.written(begin, std::string(trimmed(text.substr(begin))));
        value.fixed = op != "?" && m_condition == 0;
        const std::string& name = words.back();
        const auto before = m_variables.find(name);
        if (op == "?" && before != m_variables.end()) return;
        if (op == "+" && before != m_variables.end()) {
            value.text = before->second.text + " " + value.text;
            value.fixed = value.fixed && before->second.fixed;
        }
        if (m_recipe.problems.exceeds(k_longest_value, value.text.size(), value)) return;
        if (m_given.count(name) != 0) return;
        if (exported) m_exported[name] = true;
        m_variables[name] = std::move(value);
    }

    void rule(std::string_view text, std::size_t colon) {
        finish_target();
        m_in_rule = true;
        bool fixed = true;
        const std::string targets = expanded(text.substr(0, colon), fixed, 0);
        const auto needs = split(expanded(text.substr(std::min(colon + 1, text.size())), fixed, 0), " \t:");
        const auto names = split(targets, " \t");
        m_target = names.empty() ? "" : names.front();
        m_automatic.clear();
        m_automatic["@"] = m_target;
        m_automatic["<"] = needs.empty() ? "" : needs.front();
        std::string all;
        for (const std::string& need : needs) all += (all.empty() ? "" : " ") + need;
        m_automatic["^"] = m_automatic["+"] = all;
        m_stage.name = "target " + m_target;
    }

    void finish_target() {
        if (m_in_rule && !m_stage.steps.empty()) m_recipe.stages.push_back(std::move(m_stage));
        m_stage = {};
        m_in_rule = false;
    }

    // The value of "$(NAME)" without the brackets.
    std::string value_of(const std::string& name, std::string_view as_written, bool& fixed,
                         std::size_t depth) {
        const auto automatic = m_automatic.find(name);
        const auto found = m_variables.find(name);
        m_uses_automatic = m_uses_automatic || automatic != m_automatic.end();
        const std::string* text = automatic != m_automatic.end() ? &automatic->second
                                  : found != m_variables.end()   ? &found->second.text
                                                                 : nullptr;
        // `A = $(A) b` names the value before it.
        const bool is_open = std::find(m_open.begin(), m_open.end(), name) != m_open.end();
        if (!text || is_open || !spend(text->size())) return std::string(as_written);
        if (automatic != m_automatic.end()) return *text;
        if (m_recipe.problems.exceeds(k_deepest_variable, depth + 1, m_here)) return std::string(as_written);
        fixed = fixed && found->second.fixed;
        m_open.push_back(name);
        std::string value = expanded(found->second.text, fixed, depth + 1);
        m_open.pop_back();
        return value;
    }

    // False: the run may not take more steps.
    bool spend(std::size_t bytes) { return m_files.budget().spend_at(m_here, 1, bytes); }

    // The end of the reference at `at` ("$(X)", "$@"); its name.
    static std::size_t reference(std::string_view text, std::size_t at, std::string& name) {
        const char open = at + 1 < text.size() ? text[at + 1] : '\0';
        if (open != '(' && open != '{') {
            name = open ? std::string(1, open) : "";
            return std::min(at + 2, text.size());
        }
        int level = 0;
        for (std::size_t i = at + 1; i < text.size(); ++i) {
            if (text[i] == open) ++level;
            if (text[i] == (open == '(' ? ')' : '}') && --level == 0) {
                name = text.substr(at + 2, i - at - 2);
                return i + 1;
            }
        }
        return text.size();
    }

    std::string expanded(std::string_view text, bool& fixed, std::size_t depth) {
        std::string result;
        for (std::size_t i = 0; i < text.size();) {
            if (m_recipe.problems.exceeds(k_longest_value, result.size(), m_here)) break;
            if (text[i] != '$') {
                result += text[i++];
                continue;
            }
            std::string name;
            const std::size_t end = reference(text, i, name);
            if (name == "$")
                result += "$";
            else
                result += value_of(name, text.substr(i, end - i), fixed, depth);
            i = end;
        }
        return result;
    }

    void command(const PlacedText& line) {
        const std::string_view text = line.text;
        std::size_t i = std::min(text.find_first_not_of("@-+ \t"), text.size());
        PlacedText placed(m_recipe.file);
        bool fixed = m_condition == 0;
        while (i < text.size() && !m_recipe.problems.exceeds(k_longest_value, placed.text.size(), m_here)) {
            std::size_t end = std::min(text.find('$', i), text.size());
            placed.append(text.substr(i, end - i), line.place(i));
            if (end == text.size()) break;
            std::string name;
            const std::size_t behind = reference(text, end, name);
            placed.append(name == "$" ? "$" : value_of(name, text.substr(end, behind - end), fixed, 0),
                          line.place(end));
            i = behind;
        }
        Shell shell;
        shell.files = m_files;
        shell.variables = exports();
        for (Step& step : read_shell(placed, shell)) {
            if (!fixed) make_open(step);
            m_stage.steps.push_back(std::move(step));
        }
        m_recipe.problems.take(shell.problems);
    }

    void add_export(const std::string& name, Variables& exports) {
        Variable variable{m_variables.at(name)};
        variable.value.text = expanded(variable.value.text, variable.value.fixed, 0);
        variable.exported = variable.assigned_here = true;
        exports.set(name, std::move(variable));
    }

    // Most are the same for all commands; those with "$@" and the like depend on the target.
    Variables exports() {
        for (; !m_exports_known; m_exports_known = true)
            for (const auto& [name, yes] : m_exported) {
                m_uses_automatic = false;
                add_export(name, m_exports);
                if (m_uses_automatic) m_exports_of_target.push_back(name);
            }
        Variables all = m_exports;
        for (const std::string& name : m_exports_of_target) add_export(name, all);
        return all;
    }

    const std::vector<std::string_view> m_lines;
    const ReadFile& m_files;
    const std::map<std::string, Written>& m_given;  // they override those of the file
    Recipe m_recipe;
    std::size_t m_at = 0;
    int m_condition = 0;
    Written m_here;                   // the current line
    std::vector<std::string> m_open;  // variables that are being expanded
    std::map<std::string, Written> m_variables;
    std::map<std::string, bool> m_exported;
    bool m_exports_known = false;
    Variables m_exports;
    std::vector<std::string> m_exports_of_target;
    bool m_uses_automatic = false;  // the last expansion did
    bool m_in_rule = false;
    std::string m_target;
    std::map<std::string, std::string> m_automatic;
    Stage m_stage;
};

}  // namespace

Recipe read_makefile(const std::string& file, std::string_view text, const ReadFile& files,
                     const std::map<std::string, Written>& given) {
    return MakefileReader(file, text, files, given).read();
}

}  // namespace ptxguard::recipes
