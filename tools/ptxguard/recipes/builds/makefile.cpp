// Makefiles: variables, and the commands of each target as passed to its shell. Where a condition is not
// known, its values are alternatives.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/branches.hpp"
#include "recipes/builds/make_functions.hpp"
#include "recipes/shell/job.hpp"
#include "recipes/shell/scripts.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_variable{10, "variables in variables", "deeper ones"};
constexpr Limit k_longest_value{1u << 16, "bytes of a value", "the rest of the value"};
constexpr Limit k_deepest_include{10, "Makefiles that include each other", "deeper ones"};

class MakefileReader {
public:
    MakefileReader(const std::string& file, std::string_view text, const ReadFile& files,
                   const std::map<std::string, Written>& given)
        : m_lines(lines_of(text)), m_file(file), m_files(files), m_given(given), m_variables(given) {
        m_recipe.kind = RecipeKind::makefile;
        m_recipe.file = file;
    }

    Makefile read() {
        for (bool commands : {false, true}) {  // a variable may be set below its use
            m_stage = {};
            m_branches.clear();
            m_conditions = 0;
            lines(commands);
            finish_target();
        }
        return std::move(m_recipe);
    }

private:
    struct MakeBranch : Branch {
        bool fixed = true;     // no value of its condition may be overridden
        bool by_nvcc = false;  // what nvcc prints decides
    };

    void lines(bool commands) {
        m_recipe_follows = false;
        for (m_at = 0; m_at < m_lines.size();) line(commands);
    }

    bool certain() const {
        return active(m_branches) == Truth::yes &&
               all_of(m_branches, [](const MakeBranch& one) { return one.fixed; });
    }

    void line(bool commands) {
        const std::size_t first = m_at;
        m_here = Written{"", m_file, static_cast<int>(m_at) + 1, 1};
        PlacedText text(m_file);
        const bool is_command = m_recipe_follows && is_make_command(m_lines[m_at]);
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
        } else if (commands && m_in_rule && m_lines[first].size() > 1 && active(m_branches) != Truth::no) {
            command(text);
        }
    }

    void definition(const PlacedText& placed, bool commands) {
        std::string_view text = placed.text;
        text = text.substr(0, comment_of_make(text));
        const auto words = split(text, " \t(");
        if (words.empty() || condition(words, text) || active(m_branches) == Truth::no) return;
        if (words[0] == "define") {
            while (m_at < m_lines.size() && trimmed(m_lines[m_at]) != "endef") ++m_at;
            return;
        }
        if (is_one_of(words[0], {"include", "-include", "sinclude"})) return include(text, commands);
        m_recipe_follows = false;
        bool open = true;
        std::string call;
        if (text[0] == '$' && make_reference(text, 0, call) == trim(text).size())
            return commands ? void() : void(expanded(text, open, 0));
        assignment_or_rule(placed, text, commands);
    }

    void assignment_or_rule(const PlacedText& placed, std::string_view text, bool commands) {
        const std::size_t equals = text.find('=');
        const std::size_t colon = text.find(':');
        if (equals != npos && (colon == npos || colon + 1 == equals || colon + 2 == equals || equals < colon))
            return commands ? void() : variable(placed, text.substr(0, equals), equals, "");
        if (colon == npos) return;
        m_recipe_follows = true;
        if (equals == npos) return commands ? rule(text, colon) : void();
        // build: CUDA ?= 12.4
        const std::string_view left = text.substr(colon + 1, end_of_name(text, equals) - colon - 1);
        if (split(left, " \t").size() != 1) return commands ? rule(text, colon) : void();
        if (commands) return;
        bool fixed = true;
        for (const std::string& target : split(expanded(text.substr(0, colon), fixed, 0), " \t"))
            variable(placed, text.substr(colon + 1, equals - colon - 1), equals, target);
    }

    // ifeq, else, endif; each is evaluated once, with the values so far.
    bool condition(const std::vector<std::string>& words, std::string_view text) {
        const bool begins = is_one_of(words[0], {"ifeq", "ifneq", "ifdef", "ifndef"});
        if (!begins && words[0] != "else" && words[0] != "endif") return false;
        if (words[0] == "endif") {
            if (!m_branches.empty()) m_branches.pop_back();
            return true;
        }
        if (begins) m_branches.push_back({begun_in(m_branches)});
        if (m_branches.empty() || !m_branches.back().next()) return true;
        const std::size_t word = begins ? 0 : 1;
        Truth own = Truth::yes;
        if (words.size() > word + 1) {
            const std::size_t number = m_conditions++;
            if (number == m_truths.size()) m_truths.push_back(compared(words, word, text));
            own = m_truths[number].first;
            m_branches.back().fixed = m_branches.back().fixed && m_truths[number].second;
            m_branches.back().by_nvcc = asks_nvcc(expanded(shell_as_text(text), m_branches.back().fixed, 0));
        }
        m_branches.back().run_if(own);
        return true;
    }

    // Whether the condition holds, and whether nobody may override that.
    std::pair<Truth, bool> compared(const std::vector<std::string>& words, std::size_t at,
                                    std::string_view text) {
        bool fixed = true;
        const std::string& verb = words[at];
        const bool negated = verb == "ifneq" || verb == "ifndef";
        if (verb == "ifdef" || verb == "ifndef") {
            const auto found = m_variables.find(words[at + 1]);
            if (found == m_variables.end()) return {Truth::unknown, false};
            return {truth(negated == found->second.text.empty()), found->second.fixed};
        }
        const auto sides = sides_of_condition(text.substr(text.find(verb) + verb.size()));
        if (!sides) return {Truth::unknown, false};
        const std::string left = expanded(sides->first, fixed, 0), right = expanded(sides->second, fixed, 0);
        if ((left + right).find('$') != npos) return {Truth::unknown, false};
        return {truth((left == right) != negated), fixed};
    }

    // Its variables and rules are those of this file.
    void include(std::string_view text, bool commands) {
        bool fixed = true;
        const std::string paths = expanded(text.substr(text.find("include") + 7), fixed, 0);
        for (const std::string& path : split(paths, " \t")) {
            if (!m_files || path.find('$') != npos) continue;
            if (m_recipe.problems.exceeds(k_deepest_include, m_including + 1, m_here)) return;
            const auto file = m_files(normal_path(path, System::linux_), m_here);
            if (!file || !m_files.budget().spend_at(m_here, 1, file->text.size())) continue;
            if (!commands && file->file != m_recipe.file) add_once(m_recipe.parts, file->file);
            m_texts.push_back(file->text);
            auto outer = std::exchange(m_lines, lines_of(m_texts.back()));
            const std::string outer_file = std::exchange(m_file, file->file);
            const std::size_t outer_at = m_at;
            ++m_including;
            lines(commands);
            --m_including;
            m_lines = std::move(outer);
            m_file = outer_file;
            m_at = outer_at;
        }
    }

    // NAME = VALUE, with :=, ::=, ?=, +=, and `export` in front; `target`: only for its commands.
    void variable(const PlacedText& placed, std::string_view left, std::size_t equals,
                  const std::string& target) {
        const std::string_view text = placed.text;
        const auto assigned = make_assignment(left);
        if (!assigned || any_of(m_branches, [](const auto& one) { return one.by_nvcc; })) return;
        const auto& [name, op, exported] = *assigned;
        const std::string_view all = text.substr(0, comment_of_make(text));
        const std::size_t begin = std::min(all.find_first_not_of(" \t", equals + 1), all.size());
        Written value = placed.written(begin, std::string(trimmed(all.substr(begin))));
        value.fixed = op != "?" && certain() && m_eval_fixed;
        if (m_given.count(name) != 0) return;
        auto& into = target.empty() ? m_variables : m_of_target[target];
        const auto before = m_variables.find(name);
        if (op == "?" && before != m_variables.end()) return;
        if (op == "!") value.text = "$(shell " + value.text + ")";
        if (op == "+" && before != m_variables.end()) {
            value.text = before->second.text + " " + value.text;
            value.fixed = value.fixed && before->second.fixed;
        }
        if (m_recipe.problems.exceeds(k_longest_value, value.text.size(), value)) return;
        if (exported && target.empty()) m_exported[name] = true;
        into[name] = std::move(value);
    }

    void rule(std::string_view text, std::size_t colon) {
        finish_target();
        m_in_rule = true;
        bool fixed = true;
        const auto names = names_of_targets(expanded(text.substr(0, colon), fixed, 0));
        const auto needs =
            names_of_targets(expanded(text.substr(std::min(colon + 1, text.size())), fixed, 0));
        m_target = names.empty() ? "" : names.front();
        if (m_recipe.first.empty() && !starts_with(m_target, ".")) m_recipe.first = m_target;
        for (const std::string& name : names)
            for (const std::string& need : needs) m_recipe.needs[name].push_back(need);
        m_automatic.clear();
        m_automatic["@"] = m_target;
        m_automatic["<"] = needs.empty() ? "" : needs.front();
        m_automatic["^"] = m_automatic["+"] = joined(needs, " ");
        m_stage.name = "target " + m_target;
    }

    void finish_target() {
        if (m_in_rule && !m_stage.steps.empty()) m_recipe.stages.push_back(std::move(m_stage));
        m_stage = {};
        m_in_rule = false;
    }

    const Written* variable_named(const std::string& name) const {
        const auto target = m_in_rule ? m_of_target.find(m_target) : m_of_target.end();
        if (target != m_of_target.end())
            if (const auto own = target->second.find(name); own != target->second.end()) return &own->second;
        const auto found = m_variables.find(name);
        return found != m_variables.end() ? &found->second : nullptr;
    }

    // The value of "$(NAME)" without the brackets.
    std::string value_of(const std::string& name, std::string_view as_written, bool& fixed,
                         std::size_t depth) {
        if (name == "CURDIR") return ".";
        if (const auto automatic = m_automatic.find(name); automatic != m_automatic.end()) {
            m_uses_automatic = true;
            return spend(automatic->second.size()) ? automatic->second : std::string(as_written);
        }
        const Written* found = variable_named(name);
        if (!found) return value_of_call(name, as_written, fixed, depth);
        // `A = $(A) b` names the value before it.
        if (contains(m_open, name) || !spend(found->text.size())) return std::string(as_written);
        if (m_recipe.problems.exceeds(k_deepest_variable, depth + 1, m_here)) return std::string(as_written);
        fixed = fixed && found->fixed;
        m_open.push_back(name);
        std::string value = expanded(found->text, fixed, depth + 1);
        m_open.pop_back();
        return value;
    }

    std::string value_of_call(const std::string& call, std::string_view as_written, bool& fixed,
                              std::size_t depth) {
        if (starts_with(call, "foreach ") || starts_with(call, "eval "))
            return depth < 8 ? repeated(call, fixed, depth + 1) : std::string(as_written);
        if (contains(m_open, call) || call.find_first_of(" :") == npos) return std::string(as_written);
        const auto expand = [&](std::string_view inner) { return expanded(inner, fixed, depth + 1); };
        return value_of_make_call(call, expand).value_or(std::string(as_written));
    }

    // $(foreach a,80 90,-arch=sm_$(a)), $(eval FLAGS += -arch=sm_$(a))
    std::string repeated(const std::string& call, bool& fixed, std::size_t depth) {
        if (starts_with(call, "eval ")) {
            const std::string text = expanded(std::string_view(call).substr(5), fixed, depth);
            PlacedText placed(m_file);
            placed.append(text, {m_here.line, 1});
            const std::size_t equals = text.find('=');
            m_eval_fixed = fixed;
            if (equals != npos) variable(placed, std::string_view(text).substr(0, equals), equals, "");
            m_eval_fixed = true;
            return "";
        }
        const auto parts = make_arguments(std::string_view(call).substr(8), 3);
        if (parts.size() != 3) return "$(" + call + ")";
        const std::string name = trim(parts[0]), words = expanded(parts[1], fixed, depth);
        const Written before = m_variables[name];
        std::string all;
        for (const std::string& word : split(words, " \t")) {
            if (!spend(word.size()) || m_recipe.problems.exceeds(k_longest_value, all.size(), m_here)) break;
            m_variables[name] = m_here;
            m_variables[name].text = word;
            all += (all.empty() ? "" : " ") + expanded(parts[2], fixed, depth);
        }
        m_variables[name] = before;
        return all;
    }

    // False: the run may not take more steps.
    bool spend(std::size_t bytes) { return m_files.budget().spend_at(m_here, 1, bytes); }

    std::string expanded(std::string_view text, bool& fixed, std::size_t depth) {
        std::string result;
        for (std::size_t i = 0; i < text.size();) {
            if (m_recipe.problems.exceeds(k_longest_value, result.size(), m_here)) break;
            if (text[i] != '$') {
                result += text[i++];
                continue;
            }
            std::string name;
            const std::size_t end = make_reference(text, i, name);
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
        PlacedText placed(m_file);
        bool fixed = certain();
        while (i < text.size() && !m_recipe.problems.exceeds(k_longest_value, placed.text.size(), m_here)) {
            std::size_t end = std::min(text.find('$', i), text.size());
            placed.append(text.substr(i, end - i), line.place(i));
            if (end == text.size()) break;
            std::string name;
            const std::size_t behind = make_reference(text, end, name);
            const std::string_view written = text.substr(end, behind - end);
            placed.append(name == "$" ? "$" : value_of(name, shell_text_of(name, written), fixed, 0),
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

    std::vector<std::string_view> m_lines;
    std::string m_file;               // of the lines
    std::deque<std::string> m_texts;  // of included files
    std::size_t m_including = 0;
    const ReadFile& m_files;
    const std::map<std::string, Written>& m_given;  // they override those of the file
    Makefile m_recipe;
    std::size_t m_at = 0;
    std::vector<MakeBranch> m_branches;
    bool m_eval_fixed = true;                      // what is evaluated as a definition
    std::size_t m_conditions = 0;                  // so far
    std::vector<std::pair<Truth, bool>> m_truths;  // of each of them
    Written m_here;                                // the current line
    std::vector<std::string> m_open;               // variables that are being expanded
    std::map<std::string, Written> m_variables = {};
    std::map<std::string, std::map<std::string, Written>> m_of_target;
    std::map<std::string, bool> m_exported;
    bool m_exports_known = false;
    Variables m_exports;
    std::vector<std::string> m_exports_of_target;
    bool m_uses_automatic = false;  // the last expansion did
    bool m_in_rule = false;
    bool m_recipe_follows = false;  // a line with a tab is a command; elsewhere the tab is a blank
    std::string m_target;
    std::map<std::string, std::string> m_automatic;
    Stage m_stage;
};

}  // namespace

Makefile read_makefile(const std::string& file, std::string_view text, const ReadFile& files,
                       const std::map<std::string, Written>& given) {
    return MakefileReader(file, text, files, given).read();
}

}  // namespace ptxguard::recipes
