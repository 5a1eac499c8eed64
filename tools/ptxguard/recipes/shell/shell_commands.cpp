// One command of a shell text: its words, assignments, and the texts that it runs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/activation.hpp"
#include "recipes/shell/python_runs.hpp"
#include "recipes/shell/shell_walker.hpp"
#include "recipes/shell/shell_windows_reader.hpp"
#include "recipes/shell/shell_wrappers.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_call{12, "calls of functions and shells in each other", "deeper ones"};
constexpr Limit k_most_array_items{4096, "items of an array", "later items"};

// "[KEY]=VALUE", or an item without a key.
void add_item(Written& item, Variable& array) {
    const std::size_t close = item.text.substr(0, 1) == "[" ? item.text.find("]=") : npos;
    if (close != npos) {
        Written key = item;
        key.text = item.text.substr(1, close - 1);
        array.keys.resize(array.items.size());
        array.keys.push_back(std::move(key));
        item.text.erase(0, close + 2);
    }
    array.items.push_back(std::move(item));
}

}  // namespace

bool RunningCalls::repeats(const void* text, const std::vector<Written>& arguments, bool open) const {
    for (auto one = m_all.rbegin(); one != m_all.rend(); ++one) {
        if (one->text == text) {
            const auto nothing_new = [](const Written& before, const Written& now) {
                return !now.known || before.text == now.text;
            };
            return open && std::equal(one->arguments.begin(), one->arguments.end(), arguments.begin(),
                                      arguments.end(), nothing_new);
        }
        open = open || one->open;
    }
    return false;
}

bool ShellWalker::is_too_deep(const Written& at) { return exceeds(k_deepest_call, m_shell.depth + 1, at); }

bool ShellWalker::exceeds(const Limit& limit, std::size_t count, const ShellNode& node) {
    return m_shell.problems.exceeds(limit, count, [&] { return m_text.written(begin_of(node), ""); });
}

std::vector<Written> ShellWalker::expanded(Range word) {
    return expand(m_text, word, m_shell.variables, m_shell.problems, {'\\', true, &m_source});
}

Written ShellWalker::expanded_whole(Range word) {
    return expand_whole(m_text, word, m_shell.variables, m_shell.problems, '\\', &m_source);
}

Tested ShellWalker::simple(const ShellNode& node, bool certain) {
    const Tested tested = simple_words(node, certain);
    return node.negated ? negated(tested) : tested;
}

Tested ShellWalker::simple_words(const ShellNode& node, bool certain) {
    Command command;
    std::size_t i = 0;
    std::vector<SetVariable> assigned;
    for (; i < node.words.size(); ++i)
        if (!assignment(node.words[i], assigned)) break;
    const std::size_t first = i;
    std::vector<Range> sources;  // of each word
    // Within [[ ]] no value is split into words.
    const bool whole = first < node.words.size() && node.words[first].of(m_text.text) == "[[";
    for (; i < node.words.size(); ++i)
        for (Written& word : whole ? std::vector{expanded_whole(node.words[i])} : expanded(node.words[i])) {
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
    return execute(node, first, command, sources, certain);
}

bool ShellWalker::assignment(Range range, std::vector<SetVariable>& assigned) {
    const std::string_view word = range.of(m_text.text);
    const std::size_t length = length_of_name(word);
    if (length == 0 || length >= word.size()) return false;
    if (word[length] == '[') return element(range, length);
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

// ARRAY[KEY]=VALUE
bool ShellWalker::element(Range range, std::size_t length) {
    const std::string_view word = range.of(m_text.text);
    const std::size_t close = word.find(']', length);
    if (close == npos || word.substr(close + 1, 1) != "=") return false;
    const std::string name(word.substr(0, length));
    Written item = expanded_whole({range.begin + close + 2, range.end});
    const Written key = expanded_whole({range.begin + length + 1, range.begin + close});
    Variable variable = m_shell.variables.take(name);
    variable.is_array = variable.assigned_here = true;
    item.text = "[" + (key.known ? key.text : "?") + "]=" + item.text;
    if (!exceeds(k_most_array_items, variable.items.size() + 1, item)) add_item(item, variable);
    m_shell.variables.set(name, std::move(variable));
    return true;
}

void ShellWalker::append(const Variable* before, Written& value) {
    if (!before) return;
    if (exceeds(k_longest_field, before->value.text.size() + value.text.size(), value))
        value.known = false;
    else
        value.text.insert(0, before->value.text);
}

void ShellWalker::array(const std::string& name, Range inner, bool adds) {
    Variable variable;
    if (adds) variable = m_shell.variables.take(name);
    variable.is_array = variable.assigned_here = true;
    const ShellSyntax syntax = parse_shell(inner.of(m_text.text));
    if (syntax.limit) report(syntax, inner.begin);
    for (const ShellNode& line : syntax.list.children)
        for (const Range& word : line.words)
            for (Written& item : expanded({inner.begin + word.begin, inner.begin + word.end}))
                if (!exceeds(k_most_array_items, variable.items.size() + 1, item)) add_item(item, variable);
    if (!variable.items.empty()) variable.value = variable.items.front();
    m_shell.variables.set(name, std::move(variable));
}

void ShellWalker::set(const SetVariable& one, bool exports, bool certain) {
    const Variable* before = m_shell.variables.find(one.name);
    exports = exports || m_shell.exports_all || (before && before->exported);
    // A switch that a branch turns which may not run is neither on nor off.
    if (!certain && turns(before, one.value)) return m_shell.variables.erase(one.name);
    Variable kept = before ? *before : Variable{};
    Variable variable{one.value};
    variable.value.fixed = one.value.fixed && certain;
    variable.exported = exports;
    variable.assigned_here = true;
    m_shell.variables.set(one.name, variable);
    follow_path(one.name, variable.value, join_path(m_shell.starts_in, m_shell.folder), m_shell.variables);
    if (m_shell.is_script && exports) m_steps.push_back(SetVariable{one.name, variable.value});
    if (one.value.known) return;
    // An option that replaces a default: the default is one of the values.
    if (m_open_loops > 0 && !kept.value.text.empty() && kept.value.known && !kept.is_array) {
        kept.value.fixed = false;
        m_shell.variables.set(one.name, std::move(kept));
    } else {
        m_shell.variables.erase(one.name);
    }
}

Tested ShellWalker::test(const ShellNode& node, const Command& command) {
    m_was_test = true;
    const Tested tested = test_result(command.words, m_shell.variables);
    if (tested.answer == Answer::no && !tested.fixed && m_shell.switches) {
        std::vector<std::string_view> written;
        for (const Range& word : node.words) written.push_back(word.of(m_text.text));
        note_switch(written, command.words[0], m_shell);
    }
    return tested;
}

std::optional<Tested> ShellWalker::own_command(const ShellNode& node, std::size_t first,
                                               const Command& command, bool certain) {
    const std::string& name = command.words[0].text;
    if (is_test(command.words)) return test(node, command);
    if (is_one_of(name, {"export", "declare", "typeset", "local", "readonly"})) {
        for (std::size_t i = first + 1; i < node.words.size(); ++i)
            exported(node.words[i], name == "export", certain);
        return Tested{};
    }
    if (name == "unset") {
        for (const Written& word : command.words) m_shell.variables.erase(word.text);
        return Tested{};
    }
    if (const auto tested = flow_command(node, command, certain)) return tested;
    const auto function = m_shell.functions.find(name);
    if (function != m_shell.functions.end()) {
        const ShellFunction called = function->second;  // what it runs may define another one of that name
        return call(called, command, certain);
    }
    if (m_printed) {
        print(node, command, certain);
        return Tested{};
    }
    if (name != "eval" || command.words.size() < 2) return std::nullopt;
    evaluate(command, certain);
    return Tested{};
}

bool ShellWalker::run_script(const ShellNode& node, const Command& command, bool certain) {
    const Written& program = command.words[0];
    if (const auto called = called_script(command, m_shell); called && !is_too_deep(program)) {
        script(*called, command, certain);
        return true;
    }
    if (auto called = called_windows_script(command, m_shell); called && !is_too_deep(program)) {
        called->certain = certain;
        nested(*called, program);
        return true;
    }
    run_python(node, command, certain);
    if (node.heredocs.empty() || command.words.size() != 1 || !is_posix_shell(program.text)) return false;
    const Range body = m_parsed->syntax.heredocs[node.heredocs.back()].body;
    spend((body.end - body.begin) / 64, node);
    nested({m_text.part(body.begin, body.end), ShellKind::posix, command.variables, {}, certain}, program);
    return true;
}

void ShellWalker::run_python(const ShellNode& node, const Command& command, bool certain) {
    auto called = called_python(command, m_shell);
    const std::vector<Written>& words = command.words;
    const bool reads = words.size() == 1 || (words.size() == 2 && words[1].text == "-");
    if (reads && !node.heredocs.empty() && starts_with(program_name(words[0].text), "python"))
        called = {
            text_of_document(m_text, m_parsed->syntax.heredocs[node.heredocs.back()], &m_source, m_shell),
            {}};
    if (!called || !called->script.known || is_too_deep(command.words[0])) return;
    spend(called->script.text.size() / 64, node);
    ++m_shell.depth;
    std::vector<Step> of_python = steps_of_python(*called, m_shell);
    --m_shell.depth;
    if (!certain) std::for_each(of_python.begin(), of_python.end(), make_open);
    take(std::move(of_python));
}

Tested ShellWalker::execute(const ShellNode& node, std::size_t first, Command& command,
                            const std::vector<Range>& sources, bool certain) {
    if (const auto tested = own_command(node, first, command, certain)) return *tested;
    if (const auto inside = container_command(command.words); inside && m_shell.depth < k_deepest_container) {
        take(run_in_container(command, *inside, m_shell));
        return {};
    }
    follow_texts(node, command.words, sources, certain);
    if (command.words[0].text == "xargs")
        command.words = words_of_xargs(command.words, m_piped,
                                       node.joined == Joined::piped && m_read ? &*m_read : nullptr);
    note_outputs(m_text, node.outputs.empty() && m_outputs ? *m_outputs : node.outputs,
                 {command.words, m_piped, m_flowing ? &*m_flowing : nullptr, node, m_parsed->syntax.heredocs,
                  &m_source},
                 m_shell);
    // `which dnf && dnf install ...`: what follows may not run.
    m_was_test = is_one_of(command.words[0].text, {"which", "type", "hash"});
    const Wrapped inner = without_wrappers(command);
    if (inner.shell_text < command.words.size()) {
        const PlacedText text =
            unquoted(m_text, sources[inner.shell_text], m_shell.variables, m_shell.problems);
        spend(text.text.size() / 64, node);
        nested({text, inner.shell, command.variables, {}, certain}, command.words[0]);
        return {};
    }
    unwrap(command, inner);
    if (command.words.empty() || run_script(node, command, certain)) return {};
    command.dockerfile = written_dockerfile(node, command);
    if (is_one_of(command.words[0].text, {"cd", "pushd", "popd"})) change_folder(command, m_shell);
    note_piped(node, command);
    emit(std::move(command), m_shell, m_steps);
    return {};
}

void ShellWalker::note_piped(const ShellNode& node, const Command& command) {
    if (node.joined != Joined::piped)
        m_piped = command.words;
    else if (!m_piped.empty() && is_one_of(m_piped[0].text, {"echo", "printf"}))
        m_piped.clear();  // a filter: what it makes of the words is not known
}

void ShellWalker::substitutions(Range word, bool certain) {
    const std::string_view text = word.of(m_text.text);
    for (std::size_t at = text.find("$("); at != npos; at = text.find("$(", at + 2)) {
        const Limit* reached = nullptr;
        const std::size_t end = text.substr(at, 3) == "$((" ? npos : end_of_dollar(text, at, reached);
        if (end == npos) continue;
        const std::string_view inner = text.substr(at + 2, end - at - 3);
        if (inner.find("install") == npos || is_too_deep(m_text.written(word.begin, ""))) continue;
        const Variables before = m_shell.variables;
        run_here(m_text.part(word.begin + at + 2, word.begin + end - 1), certain);
        m_shell.variables = before;
    }
}

void ShellWalker::evaluate(const Command& command, bool certain) {
    Written all = command.words[1];
    for (std::size_t i = 2; i < command.words.size(); ++i) {
        all.text += " " + command.words[i].text;
        all.known = all.known && command.words[i].known;
    }
    const bool sets =
        command.words.size() > 2 && command.words[1].text == "set" && command.words[2].text == "--";
    if (sets) return normalize_options();
    if (!all.known || is_too_deep(all)) return;
    run_here(PlacedText(all), certain && all.fixed);
}

void ShellWalker::run_here(std::shared_ptr<const ParsedShell> text, bool certain) {
    ++m_shell.depth;
    ShellWalker inner(std::move(text), m_shell);
    take(inner.run(certain));
    --m_shell.depth;
    if (inner.m_flow == Flow::ends && m_open == 0) m_flow = Flow::ends;
}

void ShellWalker::script(const CalledScript& called, const Command& command, bool certain) {
    if (repeats_definitions(called, m_shell)) return;
    if (!called.sourced) {
        NestedText text = nested_script(called, command);
        text.certain = certain;
        return nested(text, command.words[0]);
    }
    const Variable* outer = m_shell.variables.find(k_source_file);
    const std::optional<Variable> before = outer ? std::optional(*outer) : std::nullopt;
    m_shell.variables.set(k_source_file, {{called.path, called.text->text.file}});
    const Variables arguments = m_shell.variables;
    if (!called.arguments)
        restore_arguments({}, m_shell.variables);
    else if (!called.arguments->empty())
        set_arguments(*called.arguments, m_shell.variables);
    run_here(called.text, certain);
    if (!called.arguments || !called.arguments->empty()) restore_arguments(arguments, m_shell.variables);
    if (before)
        m_shell.variables.set(k_source_file, *before);
    else
        m_shell.variables.erase(k_source_file);
}

Tested ShellWalker::call(const ShellFunction& function, const Command& command, bool certain) {
    const std::vector<Written> arguments(command.words.begin() + 1, command.words.end());
    if (m_shell.calls.repeats(function.body, arguments, m_open > 0) || is_too_deep(command.words[0]))
        return {};
    ++m_shell.depth;
    m_shell.calls.begin(function.body, arguments, m_open > 0);
    const Variables before = m_shell.variables;
    set_arguments(arguments, m_shell.variables);
    ShellWalker inner(function.text, m_shell);
    inner.m_printed = m_printed;
    inner.m_open_loops = m_open_loops;
    inner.m_input = m_input;
    inner.m_piped = m_piped;
    if (function.text == m_parsed) inner.m_outputs = m_outputs;
    Tested tested = inner.walk(*function.body, certain);
    take(std::move(inner.m_steps));
    restore_arguments(before, m_shell.variables);
    m_shell.calls.end();
    --m_shell.depth;
    m_was_test = inner.m_was_test;
    if (inner.m_flow == Flow::ends && m_open == 0) m_flow = Flow::ends;
    if (inner.m_flow != Flow::leaves_call) return m_was_test ? tested : Tested{};
    m_was_test = inner.m_returned.answer != Answer::open;
    return inner.m_returned;
}

void ShellWalker::nested(const NestedText& text, const Written& at) {
    if (!is_too_deep(at)) take(run_nested(text, m_shell));
}

}  // namespace ptxguard::recipes
