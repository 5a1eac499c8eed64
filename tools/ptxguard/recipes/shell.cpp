// Walks the syntax tree of a POSIX shell with the values of its variables.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/environments.hpp"
#include "recipes/shell_run.hpp"
#include "recipes/shell_wrappers.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_call{12, "calls of functions and shells in each other", "deeper ones"};
constexpr std::size_t k_deepest_container = 12;  // containers that are started in each other
constexpr Limit k_rounds{64, "rounds of a loop", "later rounds"};
constexpr Limit k_most_array_items{4096, "items of an array", "later items"};

class Walker {
public:
    Walker(const PlacedText& text, Shell& shell, std::size_t depth)
        : m_text(text), m_shell(shell), m_depth(depth) {}

    std::vector<Step> run(bool certain) {
        const ShellSyntax syntax = parse_shell(m_text.text);
        m_heredocs = &syntax.heredocs;
        report(syntax, 0);
        walk_list(syntax.list, certain);
        return std::move(m_steps);
    }

private:
    using Kind = ShellNode::Kind;

    bool exceeds(const Limit& limit, std::size_t count, const Written& at) {
        return m_shell.problems.exceeds(limit, count, at);
    }
    bool exceeds(const Limit& limit, std::size_t count, const ShellNode& node) {
        return m_shell.problems.exceeds(limit, count, [&] { return m_text.written(begin_of(node), ""); });
    }
    static std::size_t begin_of(const ShellNode& node) {
        const ShellNode* first = &node;
        while (first->words.empty() && !first->children.empty()) first = &first->children.front();
        return first->words.empty() ? 0 : first->words.front().begin;
    }

    // `begin`: of the parsed text.
    void report(const ShellSyntax& syntax, std::size_t begin) {
        const Written at = m_text.written(begin + syntax.problem_at, "");
        if (syntax.limit)
            m_shell.problems.push_back({at, syntax.limit->why(), false, syntax.limit->text()});
        else if (!syntax.problem.empty())
            m_shell.problems.push_back({at, "is read as shell text up to here: " + syntax.problem});
    }

    // `certain`: false in a branch that may not be executed.
    void walk_list(const ShellNode& list, bool certain) {
        bool sure = certain, last_was_test = false;
        Tested last;
        for (const ShellNode& node : list.children) {
            if (node.joined == Joined::after || node.joined == Joined::piped) {
                sure = certain;
            } else if (last_was_test) {
                const Answer wanted = node.joined == Joined::if_succeeds ? Answer::yes : Answer::no;
                if (last.answer != Answer::open && last.answer != wanted) continue;
                sure = sure && last.fixed && last.answer != Answer::open;
            } else if (node.joined == Joined::if_fails) {
                sure = false;
            }
            m_was_test = false;
            if (node.joined != Joined::piped) m_piped.clear();
            last = walk(node, sure);
            last_was_test = m_was_test;
            if (exceeds(k_most_steps, m_steps.size(), node)) return;
        }
    }

    Tested walk(const ShellNode& node, bool certain) {
        if (!spend(1, node)) return {};
        switch (node.kind) {
            case Kind::simple:
                return simple(node, certain);
            case Kind::list:
                walk_list(node, certain);
                break;
            case Kind::condition:
                condition(node, certain);
                break;
            case Kind::for_loop:
                for_loop(node, certain);
                break;
            case Kind::while_loop:
                walk_list(node.children[0], false);
                if (node.children.size() > 1) walk_list(node.children[1], false);
                break;
            case Kind::choice:
                choice(node, certain);
                break;
            case Kind::subshell:
                subshell(node, certain);
                break;
            case Kind::function:
                if (!node.words.empty() && !node.children.empty())
                    m_functions[std::string(node.words[0].of(m_text.text))] = &node.children[0];
                break;
        }
        m_was_test = false;
        return {};
    }

    // False: the run may not take more steps.
    bool spend(std::size_t steps, const ShellNode& node) {
        Budget& budget = m_shell.files.budget();
        return budget.spend(steps) || !budget.is_over_at(m_text.written(begin_of(node), ""));
    }

    void condition(const ShellNode& node, bool certain) {
        const std::size_t pairs = node.children.size() / 2;
        for (std::size_t i = 0; i < pairs; ++i) {
            const Tested tested = condition_of(node.children[2 * i], certain);
            const bool sure = certain && tested.fixed && tested.answer != Answer::open;
            if (tested.answer != Answer::no) walk_list(node.children[2 * i + 1], sure);
            if (tested.answer == Answer::yes) return;
            certain = sure;
        }
        if (node.children.size() % 2) walk_list(node.children.back(), certain);
    }

    // The test of `if`: the result of its only command.
    Tested condition_of(const ShellNode& list, bool certain) {
        Tested tested;
        if (list.children.size() == 1 && list.children[0].kind == Kind::simple)
            tested = simple(list.children[0], certain);
        else
            walk_list(list, certain);
        if (!m_was_test || list.children.size() != 1) tested = {};
        m_was_test = false;
        return tested;
    }

    void for_loop(const ShellNode& node, bool certain) {
        if (node.children.empty()) return;
        if (node.words.empty()) return walk_list(node.children[0], false);
        const std::string name(node.words[0].of(m_text.text));
        std::vector<Written> values;
        for (std::size_t i = 1; i < node.words.size(); ++i)
            for (Written& value : expanded(node.words[i])) values.push_back(value);
        spend(values.size() / 4, node);
        if (values.empty()) {
            m_shell.variables.erase(name);
            return walk_list(node.children[0], false);
        }
        std::size_t round = 0;
        for (const Written& value : values) {
            if (exceeds(k_rounds, ++round, value)) return;
            if (value.known)
                m_shell.variables.set(name, {value});
            else
                m_shell.variables.erase(name);
            walk_list(node.children[0], certain);
            if (exceeds(k_most_steps, m_steps.size(), node)) return;
        }
    }

    void choice(const ShellNode& node, bool certain) {
        Written subject;
        if (!node.words.empty()) subject = expanded_whole(node.words[0]);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            Tested best{Answer::no, true};
            spend(node.patterns[i].size() / 4, node);
            for (const Range& range : node.patterns[i]) {
                const Tested one = matches(subject, expanded_whole(range));
                if (best.answer != Answer::yes && one.answer != Answer::no) best = one;
                best.fixed = best.fixed && one.fixed;
            }
            const bool sure = certain && best.fixed && best.answer == Answer::yes;
            if (best.answer != Answer::no) walk_list(node.children[i], sure);
            if (best.answer == Answer::yes) return;
            if (best.answer == Answer::open || !best.fixed) certain = false;
        }
    }

    void subshell(const ShellNode& node, bool certain) {
        const Variables before = m_shell.variables;
        const std::string folder = m_shell.folder;
        walk_list(node, certain);
        m_shell.variables = before;
        m_shell.folder = folder;
    }

    std::vector<Written> expanded(Range word) {
        return expand(m_text, word, m_shell.variables, m_shell.problems);
    }
    Written expanded_whole(Range word) {
        return expand_whole(m_text, word, m_shell.variables, m_shell.problems);
    }

    Tested simple(const ShellNode& node, bool certain) {
        Command command;
        std::size_t i = 0;
        std::vector<SetVariable> assigned;
        for (; i < node.words.size(); ++i)
            if (!assignment(node.words[i], assigned)) break;
        const std::size_t first = i;
        std::vector<Range> sources;  // of each word
        for (; i < node.words.size(); ++i)
            for (Written& word : expanded(node.words[i])) {
                word.fixed = word.fixed && certain;
                command.words.push_back(std::move(word));
                sources.push_back(node.words[i]);
            }
        std::size_t bytes = 0;
        for (const Written& word : command.words) bytes += word.text.size();
        for (const SetVariable& one : assigned) bytes += one.value.text.size();
        spend(command.words.size() / 4 + bytes / 64, node);
        for (const Range& word : node.words) substitutions(word, certain);
        if (command.words.empty()) {
            for (SetVariable& one : assigned) set(one, false, certain);
            return {};
        }
        for (SetVariable& one : assigned) one.lasts = false;
        command.variables = std::move(assigned);
        return builtin(node, first, command, sources, certain);
    }

    // Assignments before the command, and arrays.
    bool assignment(Range range, std::vector<SetVariable>& assigned) {
        const std::string_view word = range.of(m_text.text);
        const std::size_t length = length_of_name(word);
        if (length == 0 || length >= word.size()) return false;
        const bool adds = word.substr(length, 2) == "+=";
        if (!adds && word[length] != '=') return false;
        const std::string name(word.substr(0, length));
        const std::size_t value_at = range.begin + length + (adds ? 2 : 1);
        if (value_at < range.end && m_text.text[value_at] == '(') {
            array(name, {value_at + 1, range.end - 1}, adds);
            return true;
        }
        SetVariable one;
        one.name = name;
        one.value = expanded_whole({value_at, range.end});
        if (one.value.text.empty()) one.value = m_text.written(range.begin, "");
        if (adds) append(m_shell.variables.find(name), one.value);
        assigned.push_back(std::move(one));
        return true;
    }

    // NAME+=VALUE
    void append(const Variable* before, Written& value) {
        if (!before) return;
        if (exceeds(k_longest_field, before->value.text.size() + value.text.size(), value))
            value.known = false;
        else
            value.text.insert(0, before->value.text);
    }

    void array(const std::string& name, Range inner, bool adds) {
        Variable variable;
        if (adds) variable = m_shell.variables.take(name);
        variable.is_array = true;
        variable.assigned_here = true;
        const ShellSyntax syntax = parse_shell(inner.of(m_text.text));
        if (syntax.limit) report(syntax, inner.begin);
        for (const ShellNode& line : syntax.list.children)
            for (const Range& word : line.words)
                for (Written& item : expanded({inner.begin + word.begin, inner.begin + word.end}))
                    if (!exceeds(k_most_array_items, variable.items.size() + 1, item))
                        variable.items.push_back(std::move(item));
        if (!variable.items.empty()) variable.value = variable.items.front();
        m_shell.variables.set(name, std::move(variable));
    }

    void set(const SetVariable& one, bool exports, bool certain) {
        const Variable* before = m_shell.variables.find(one.name);
        exports = exports || (before && before->exported);
        Variable variable{one.value};
        variable.value.fixed = one.value.fixed && certain;
        variable.exported = exports;
        variable.assigned_here = true;
        m_shell.variables.set(one.name, variable);
        follow_path(one.name, variable.value, join_path(m_shell.starts_in, m_shell.folder),
                    m_shell.variables);
        if (m_shell.is_script && exports) m_steps.push_back(SetVariable{one.name, variable.value});
        if (!one.value.known) m_shell.variables.erase(one.name);
    }

    Tested builtin(const ShellNode& node, std::size_t first, Command& command,
                   const std::vector<Range>& sources, bool certain) {
        const std::string& name = command.words[0].text;
        if (is_test(command.words)) {
            m_was_test = true;
            return test_result(command.words);
        }
        if (name == "export" || name == "declare" || name == "typeset" || name == "local" ||
            name == "readonly") {
            for (std::size_t i = first + 1; i < node.words.size(); ++i)
                exported(node.words[i], name == "export", certain);
            return {};
        }
        if (name == "unset") {
            for (const Written& word : command.words) m_shell.variables.erase(word.text);
            return {};
        }
        const auto function = m_functions.find(name);
        if (function != m_functions.end()) {
            call(*function->second, command, certain);
            return {};
        }
        if (name == "eval" && command.words.size() > 1) {
            evaluate(command, certain);
            return {};
        }
        if (const auto inside = container_command(command.words); inside && m_depth < k_deepest_container) {
            for (Step& step : run_in_container(command, *inside, m_shell)) m_steps.push_back(std::move(step));
            return {};
        }
        if (name == "xargs") command.words = words_of_xargs(command.words, m_piped);
        note_outputs(m_text, node, *m_heredocs, command, m_shell);
        const Wrapped inner = without_wrappers(command);
        if (inner.shell_text < command.words.size()) {
            const PlacedText text =
                unquoted(m_text, sources[inner.shell_text], m_shell.variables, m_shell.problems);
            spend(text.text.size() / 64, node);
            nested(text, command, inner.shell, certain);
            return {};
        }
        unwrap(command, inner);
        if (command.words.empty()) return {};
        const std::vector<std::size_t>& documents = node.heredocs;
        if (!documents.empty() && command.words.size() == 1 && is_posix_shell(command.words[0].text)) {
            const Range body = (*m_heredocs)[documents.back()].body;
            spend((body.end - body.begin) / 64, node);
            nested(m_text.part(body.begin, body.end), command, ShellKind::posix, certain);
            return {};
        }
        if (command.words[0].text == "cd") change_folder(command, m_shell);
        if (node.joined != Joined::piped) m_piped = command.words;
        emit(std::move(command), m_shell, m_steps);
        return {};
    }

    // What `$(pip install ...)` installs stays.
    void substitutions(Range word, bool certain) {
        const std::string_view text = word.of(m_text.text);
        for (std::size_t at = text.find("$("); at != npos; at = text.find("$(", at + 2)) {
            const Limit* reached = nullptr;
            const std::size_t end = text.substr(at, 3) == "$((" ? npos : end_of_dollar(text, at, reached);
            if (end == npos) continue;
            const std::string_view inner = text.substr(at + 2, end - at - 3);
            if (inner.find("install") == npos ||
                exceeds(k_deepest_call, m_depth + 1, m_text.written(word.begin, "")))
                continue;
            const Variables before = m_shell.variables;
            const PlacedText part = m_text.part(word.begin + at + 2, word.begin + end - 1);
            for (Step& step : Walker(part, m_shell, m_depth + 1).run(certain))
                m_steps.push_back(std::move(step));
            m_shell.variables = before;
        }
    }

    // eval "$COMMAND": its words are a text of this shell.
    void evaluate(const Command& command, bool certain) {
        Written all = command.words[1];
        for (std::size_t i = 2; i < command.words.size(); ++i) {
            all.text += " " + command.words[i].text;
            all.known = all.known && command.words[i].known;
        }
        if (!all.known || exceeds(k_deepest_call, m_depth + 1, all)) return;
        const PlacedText text(all);
        for (Step& step : Walker(text, m_shell, m_depth + 1).run(certain && all.fixed))
            m_steps.push_back(std::move(step));
    }

    // export NAME, export NAME=VALUE
    void exported(Range word, bool exports, bool certain) {
        std::vector<SetVariable> assigned;
        if (assignment(word, assigned)) {
            for (const SetVariable& one : assigned) set(one, exports, certain);
            return;
        }
        const std::string name(word.of(m_text.text));
        const Variable* found = m_shell.variables.find(name);
        if (!found || !exports || found->exported) return;
        Variable variable = *found;
        variable.exported = true;
        if (m_shell.is_script) m_steps.push_back(SetVariable{name, variable.value});
        m_shell.variables.set(name, std::move(variable));
    }

    void call(const ShellNode& body, const Command& command, bool certain) {
        if (exceeds(k_deepest_call, m_depth + 1, command.words[0])) return;
        ++m_depth;
        static constexpr const char* names[] = {"@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
        std::vector<std::pair<const char*, Variable>> before;
        for (const char* name : names)
            if (m_shell.variables.find(name)) before.emplace_back(name, m_shell.variables.take(name));
        Variable all;
        all.is_array = true;
        for (std::size_t i = 1; i < command.words.size(); ++i) {
            all.items.push_back(command.words[i]);
            if (i <= 9 && command.words[i].known)
                m_shell.variables.set(std::to_string(i), {command.words[i]});
        }
        m_shell.variables.set("@", all);
        m_shell.variables.set("*", std::move(all));
        walk(body, certain);
        for (const char* name : names) m_shell.variables.erase(name);
        for (auto& [name, variable] : before) m_shell.variables.set(name, std::move(variable));
        --m_depth;
    }

    // `bash -c TEXT`: a new shell with the exported variables.
    void nested(const PlacedText& text, const Command& command, ShellKind kind, bool certain) {
        if (exceeds(k_deepest_call, m_depth + 1, command.words[0])) return;
        Shell inner;
        inner.kind = kind;
        inner.files = m_shell.files;
        inner.folder = m_shell.folder;
        inner.starts_in = m_shell.starts_in;
        inner.written = m_shell.written;
        inner.checkouts = m_shell.checkouts;
        inner.variables = m_shell.variables.inherited();
        for (const SetVariable& one : command.variables) {
            Variable variable{one.value};
            variable.exported = variable.assigned_here = true;
            inner.variables.set(one.name, std::move(variable));
        }
        std::vector<Step> steps = kind == ShellKind::posix ? Walker(text, inner, m_depth + 1).run(certain)
                                                           : read_shell(text, inner);
        for (Step& step : steps) m_steps.push_back(std::move(step));
        m_shell.problems.take(inner.problems);
    }

    const PlacedText& m_text;
    Shell& m_shell;
    std::size_t m_depth;
    const std::vector<Heredoc>* m_heredocs = nullptr;
    std::map<std::string, const ShellNode*> m_functions;
    std::vector<Step> m_steps;
    std::vector<Written> m_piped;  // the first command of the pipeline
    bool m_was_test = false;
};

}  // namespace

std::vector<Step> read_shell(const PlacedText& text, Shell& shell) {
    if (shell.kind == ShellKind::cmd) return read_cmd(text, shell);
    if (shell.kind == ShellKind::powershell) return read_powershell(text, shell);
    return Walker(text, shell, 0).run(true);
}

}  // namespace ptxguard::recipes
