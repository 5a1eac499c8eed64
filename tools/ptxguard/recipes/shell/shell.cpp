// The control flow of a shell text: which of its commands run.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/shell/shell_walker.hpp"

namespace ptxguard::recipes {
namespace {

// A of "$A", "${A}", 1 of "$1"; empty = something else.
std::string name_of_value(std::string_view text) {
    const std::string value = without_quotes_and_braces(text);
    const std::string name = value.substr(std::min<std::size_t>(1, value.size()));
    const bool argument = name.size() == 1 && name[0] >= '1' && name[0] <= '9';
    return !value.empty() && value[0] == '$' && (argument || is_name(name)) ? name : "";
}

// A && B: `deciding` is no, which each of them decides; A || B: yes.
Tested of_both(const Tested& before, const Tested& last, Answer deciding) {
    if (last.answer == deciding || before.answer == Answer::open)
        return last.answer == deciding ? last : Tested{};
    return {last.answer, last.fixed && before.fixed};
}

// `! { A; }`
Tested result_of(const ShellNode& node, const Tested& tested) {
    return node.negated ? negated(tested) : tested;
}

}  // namespace

ShellWalker::ShellWalker(std::shared_ptr<const ParsedShell> parsed, Shell& shell)
    : m_parsed(std::move(parsed)), m_text(m_parsed->text), m_shell(shell) {
    m_source.printed = [this](const PlacedText& text, Range inner) { return output_of(text, inner); };
    m_source.file = [this](const Written& path) -> std::optional<FileText> {
        if (const FileText* written = m_shell.written->find(path.text)) return *written;
        return file_now(m_shell, folder_below(m_shell.folder, path.text), path);
    };
    m_source.absolute = [this](const std::string& path) { return absolute_path(path, m_shell); };
}

std::vector<Step> ShellWalker::run(bool certain) {
    report(m_parsed->syntax, 0);
    walk_list(m_parsed->syntax.list, certain);
    return std::move(m_steps);
}

std::size_t ShellWalker::begin_of(const ShellNode& node) {
    const ShellNode* first = &node;
    while (first->words.empty() && !first->children.empty()) first = &first->children.front();
    return first->words.empty() ? 0 : first->words.front().begin;
}

void ShellWalker::report(const ShellSyntax& syntax, std::size_t begin) {
    const Written at = m_text.written(begin + syntax.problem_at, "");
    if (syntax.limit)
        m_shell.problems.push_back({at, syntax.limit->why(), false, syntax.limit->text()});
    else if (!syntax.problem.empty() && chooses_packages(m_text.text))
        m_shell.problems.push_back({at, "is read as shell text up to here: " + syntax.problem});
}

struct ShellWalker::Chain {
    bool certain;
    std::set<std::string> tested;  // around the list
    bool sure = certain, open = false, was_test = false;
    Tested last = {};
};

// False: it is not executed.
bool ShellWalker::joins(const ShellNode& list, std::size_t i, Chain& chain) {
    const Joined joined = list.children[i].joined;
    const bool is_open = chain.last.answer == Answer::open;
    if (joined == Joined::after || joined == Joined::piped) {
        chain.sure = chain.certain;
        chain.open = joined == Joined::piped;  // in a process of its own
        m_shell.tested = chain.tested;
    } else if (chain.was_test) {
        const Answer wanted = joined == Joined::if_succeeds ? Answer::yes : Answer::no;
        if (!is_open && chain.last.answer != wanted) return false;
        chain.sure = chain.sure && chain.last.fixed && !is_open;
        chain.open = chain.open || is_open;
        if (is_open && wanted == Answer::yes) m_shell.tested.insert(tested_file(list.children[i - 1]));
    } else {
        chain.sure = chain.sure && joined != Joined::if_fails;
        chain.open = true;
    }
    return true;
}

Tested ShellWalker::walk_list(const ShellNode& list, bool certain) {
    Chain chain{certain, m_shell.tested};
    m_was_test = false;
    for (std::size_t i = 0; i < list.children.size(); ++i) {
        const ShellNode& node = list.children[i];
        if (!joins(list, i, chain)) continue;
        const Tested before = std::exchange(chain.was_test, false) ? chain.last : Tested{};
        m_was_test = false;
        m_read = std::exchange(m_flowing, std::nullopt);
        if (node.joined != Joined::piped) m_piped.clear(), m_read.reset();
        if (m_printed && print_pipeline(list, i, i, chain.sure)) continue;
        m_open += chain.open;
        chain.last = walk(node, chain.sure);
        m_open -= chain.open;
        if (std::exchange(m_list_ends, false) && node.joined == Joined::after) break;
        chain.was_test = m_was_test;
        if (node.joined == Joined::if_succeeds) chain.last = of_both(before, chain.last, Answer::no);
        if (node.joined == Joined::if_fails) chain.last = of_both(before, chain.last, Answer::yes);
        if (m_flow != Flow::goes_on || exceeds(k_most_steps, m_steps.size(), node)) break;
    }
    m_was_test = chain.was_test;
    m_shell.tested = chain.tested;
    return chain.last;
}

void ShellWalker::branch(const ShellNode& list, bool certain, bool open) {
    m_open += open ? 1 : 0;
    walk_list(list, certain);
    m_open -= open ? 1 : 0;
}

Tested ShellWalker::walk(const ShellNode& node, bool certain) {
    if (!spend(1, node)) return {};
    if (node.kind == Kind::simple) return walk_inside(node, certain);
    const std::shared_ptr<ShellInput> around = m_input;
    m_input = input_of_group(node, certain);
    const Tested tested = node.outputs.empty() ? walk_inside(node, certain) : group(node, certain);
    m_input = around;
    return tested;
}

Tested ShellWalker::group(const ShellNode& node, bool certain) {
    std::vector<ShellNode::Output> outputs = node.outputs;
    for (ShellNode::Output& one : outputs) {
        const Written to = expanded_whole(one.file);
        if (!one.appends && to.known) m_shell.written->write(to.text, FileText{});
        one.appends = true;
    }
    const std::vector<ShellNode::Output>* around = std::exchange(m_outputs, &outputs);
    const Tested tested = walk_inside(node, certain);
    m_outputs = around;
    return tested;
}

Tested ShellWalker::walk_inside(const ShellNode& node, bool certain) {
    switch (node.kind) {
        case Kind::simple: return simple(node, certain);
        case Kind::list: return result_of(node, walk_list(node, certain));
        case Kind::condition: condition(node, certain); break;
        case Kind::for_loop: for_loop(node, certain); break;
        case Kind::while_loop: while_loop(node, certain); break;
        case Kind::choice: choice(node, certain); break;
        case Kind::subshell: return subshell(node, certain);
        case Kind::function:
            if (!node.words.empty() && !node.children.empty())
                m_shell.functions[std::string(node.words[0].of(m_text.text))] = {m_parsed, &node.children[0]};
            break;
    }
    m_was_test = false;
    return {};
}

bool ShellWalker::spend(std::size_t steps, const ShellNode& node) {
    Budget& budget = m_shell.files.budget();
    return budget.spend(steps) || !budget.is_over_at(m_text.written(begin_of(node), ""));
}

void ShellWalker::condition(const ShellNode& node, bool certain) {
    const std::size_t pairs = node.children.size() / 2;
    if (const auto own = own_branch(node)) return branch(node.children[*own], false, true);
    bool open = note_open_chain(node);
    if (open) certain = false;
    for (std::size_t i = open ? pairs : 0; i < pairs; ++i) {
        const Tested tested = condition_of(node.children[2 * i], certain);
        const bool sure = certain && tested.fixed && tested.answer != Answer::open;
        open = open || tested.answer == Answer::open;
        if (m_flow != Flow::goes_on) return;
        if (tested.answer == Answer::open)
            open_branch(node, i, sure);
        else if (tested.answer == Answer::yes)
            branch(node.children[2 * i + 1], sure, open);
        if (tested.answer == Answer::yes || m_flow != Flow::goes_on) return;
        certain = sure;
    }
    if (node.children.size() % 2) branch(node.children.back(), certain, open);
}

// The branch `i`, which may not run.
void ShellWalker::open_branch(const ShellNode& node, std::size_t i, bool certain) {
    if (i == 0) note_open_branches(node);
    const std::set<std::string> around = m_shell.tested;
    m_shell.tested.insert(tested_file(node.children[2 * i]));
    branch(node.children[2 * i + 1], certain, true);
    m_shell.tested = around;
}

Tested ShellWalker::condition_of(const ShellNode& list, bool certain) {
    Tested tested;
    if (list.children.size() == 1 && list.children[0].kind == Kind::simple)
        tested = simple(list.children[0], certain);
    else
        tested = walk_list(list, certain);
    if (!m_was_test) tested = {};
    m_was_test = false;
    return tested;
}

void ShellWalker::for_loop(const ShellNode& node, bool certain) {
    if (node.children.empty()) return;
    if (node.words.empty()) return void(round_of_loop(node.children[0], false, true));
    const std::string name(node.words[0].of(m_text.text));
    std::vector<Written> values;
    for (std::size_t i = 1; i < node.words.size(); ++i)
        for (Written& value : expanded(node.words[i])) values.push_back(value);
    spend(values.size() / 4, node);
    if (values.empty()) {
        m_shell.variables.erase(name);
        return void(round_of_loop(node.children[0], false, true));
    }
    std::size_t round = 0;
    for (const Written& value : values) {
        if (exceeds(k_most_values, ++round, value)) return;
        if (value.known)
            m_shell.variables.set(name, {value});
        else
            m_shell.variables.erase(name);
        if (!round_of_loop(node.children[0], certain, false)) return;
        if (exceeds(k_most_steps, m_steps.size(), node)) return;
    }
}

Tested ShellWalker::matches_one(const Written& subject, const std::vector<Range>& patterns) {
    Tested best{Answer::no, true};
    for (const Range& range : patterns) {
        const Tested one = matches(subject, expanded_whole(range));
        if (best.answer != Answer::yes && one.answer != Answer::no) best = one;
        best.fixed = best.fixed && one.fixed;
    }
    return best;
}

void ShellWalker::choice(const ShellNode& node, bool certain) {
    Written subject;
    if (!node.words.empty()) subject = expanded_whole(node.words[0]);
    const bool noted = !subject.known && note_open_case(node) && m_open_loops == 0;
    bool open = false;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (noted && has_own_run(node.patterns[i])) {
            open = true;
            certain = false;
            continue;
        }
        spend(node.patterns[i].size() / 4, node);
        const Tested best = matches_one(subject, node.patterns[i]);
        const bool sure = certain && best.fixed && best.answer == Answer::yes;
        open = open || best.answer == Answer::open;
        if (best.answer != Answer::no) branch(node.children[i], sure, open);
        if (best.answer == Answer::yes || m_flow != Flow::goes_on) return;
        if (best.answer == Answer::open || !best.fixed) certain = false;
    }
}

// Of a case whose values are noted: the script is read once more for each, so that what its branches set is
// not mixed.
bool ShellWalker::has_own_run(const std::vector<Range>& patterns) const {
    const std::vector<Written>& values = m_shell.open_case->values;
    return all_of(patterns, [&](const Range& pattern) {
        const Written at = m_text.written(pattern.begin, "");
        return any_of(values, [&](const Written& one) {
            return one.file == at.file && one.line == at.line && one.column == at.column;
        });
    });
}

// False: another one is noted, or this one has no values.
bool ShellWalker::note_open_case(const ShellNode& node) {
    if (!m_shell.open_case || !m_shell.open_case->name.empty()) return false;
    const std::string name = name_of_value(node.words[0].of(m_text.text));
    if (name.empty()) return false;
    OpenCase& open = *m_shell.open_case;
    for (std::size_t i = 0; i < node.patterns.size(); ++i)
        for (const Range& range : node.patterns[i]) {
            Written value = m_text.written(range.begin, without_quotes_and_braces(range.of(m_text.text)));
            if (value.text.empty() || value.text.find_first_of(k_not_literal) != npos) continue;
            // --verbose, --prefix: the whole script again for what chooses no package.
            const std::size_t next = i + 1 < node.patterns.size() && !node.patterns[i + 1].empty()
                                         ? node.patterns[i + 1].front().begin
                                         : m_text.text.find('\n', range.end);
            if (value.text[0] == '-' &&
                !chooses_packages(m_text.text.substr(range.begin, next - range.begin)))
                continue;
            open.values.push_back(std::move(value));
        }
    if (!open.values.empty()) open.name = name;
    return !open.values.empty();
}

// The variable that `[ "$A" = x ]`, `[[ $A == x ]]` or `test "$A" = x` compares, and with what.
std::string ShellWalker::compared_name(const ShellNode& test, Written& value) const {
    if (test.children.size() != 1 || test.children[0].kind != Kind::simple) return "";
    const std::vector<Range>& words = test.children[0].words;
    const auto word = [&](std::size_t i) { return words[i].of(m_text.text); };
    if (test.children[0].negated || words.size() < 4 || words.size() > 5 ||
        !is_one_of(word(0), {"[", "[[", "test"}) || !is_one_of(word(2), {"=", "=="}))
        return "";
    value = m_text.written(words[3].begin, without_quotes_and_braces(word(3)));
    return value.text.empty() || value.text.find_first_of(k_not_literal) != npos ? ""
                                                                                 : name_of_value(word(1));
}

bool ShellWalker::note_open_chain(const ShellNode& node) {
    if (!m_shell.open_case || m_open_loops > 0) return false;
    std::string name;
    std::vector<Written> values;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
        Written value;
        const std::string compared = compared_name(node.children[i], value);
        if (compared.empty() || (!name.empty() && compared != name)) return false;
        name = compared;
        values.push_back(std::move(value));
    }
    OpenCase& open = *m_shell.open_case;
    const auto is_noted = [&](const Written& value) {
        return any_of(open.values, [&](const Written& one) { return one.text == value.text; });
    };
    if (m_shell.variables.find(name) || name.empty()) return false;
    if (!open.name.empty()) return open.name == name && all_of(values, is_noted);
    if (values.size() < 2) return false;
    open.name = name;
    open.values = std::move(values);
    return true;
}

Tested ShellWalker::subshell(const ShellNode& node, bool certain) {
    const Variables before = m_shell.variables;
    const std::string folder = m_shell.folder;
    const std::vector<std::string> folders = m_shell.folders;
    const Tested tested = walk_list(node, certain);
    if (m_flow != Flow::goes_on) m_was_test = false;  // `( exit 1 )`
    m_flow = Flow::goes_on;
    m_shell.variables = before;
    m_shell.folder = folder;
    m_shell.folders = folders;
    return result_of(node, tested);
}

std::vector<Step> read_shell(const PlacedText& text, Shell& shell) {
    if (shell.kind == ShellKind::cmd) return read_cmd(text, shell);
    if (shell.kind == ShellKind::powershell) return read_powershell(text, shell);
    return ShellWalker(text, shell).run(true);
}

std::vector<Step> run_nested(const NestedText& nested, Shell& shell) {
    Shell inner;
    inner.kind = nested.kind;
    inner.files = shell.files;
    inner.in_image = shell.in_image;
    inner.switches = shell.switches;
    inner.folder = shell.folder;
    inner.starts_in = shell.starts_in;
    inner.written = shell.written;
    inner.checkouts = shell.checkouts;
    inner.settings = shell.settings;
    inner.depth = shell.depth + 1;
    inner.variables = shell.variables.inherited();
    for (const SetVariable& one : nested.variables) {
        Variable variable{one.value};
        variable.exported = variable.assigned_here = true;
        inner.variables.set(one.name, std::move(variable));
    }
    if (nested.arguments) set_arguments(*nested.arguments, inner.variables);
    if (!nested.path.empty()) set_path_of_script(nested.path, inner.variables);
    std::vector<Step> steps =
        nested.kind == ShellKind::posix
            ? ShellWalker(nested.parsed ? nested.parsed : std::make_shared<const ParsedShell>(nested.text),
                          inner)
                  .run(nested.certain)
            : read_shell(nested.text, inner);
    if (nested.kind != ShellKind::posix && !nested.certain)
        std::for_each(steps.begin(), steps.end(), make_open);
    shell.problems.take(inner.problems);
    return steps;
}

}  // namespace ptxguard::recipes
