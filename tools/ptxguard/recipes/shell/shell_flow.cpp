// Loops, the arguments of scripts and functions, commands that leave what is around them, and what `$( )`
// gives.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/docker_command.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/shell_arithmetic.hpp"
#include "recipes/shell/shell_pipeline.hpp"
#include "recipes/shell/shell_walker.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_next_argument = "OPTIND";
constexpr const char* k_next_letter = "(letter of getopts)";  // no name of a variable

std::size_t number_of(const Variables& variables, const char* name, std::size_t otherwise) {
    const Variable* found = variables.find(name);
    const bool number = found && all_digits(found->value.text) && found->value.text.size() < 6;
    return number ? static_cast<std::size_t>(std::atoi(found->value.text.c_str())) : otherwise;
}

void set_number(Variables& variables, const char* name, std::size_t value) {
    variables.set(name, {{std::to_string(value), ""}});
}

// The arguments of this script or function; null: not known.
const std::vector<Written>* arguments_of(const Variables& variables) {
    const Variable* all = variables.find("@");
    return all && variables.find("#") ? &all->items : nullptr;
}

void forget_arguments(Variables& variables) { restore_arguments({}, variables); }

}  // namespace

std::string ShellWalker::arguments_left() const {
    const Variable* count = m_shell.variables.find("#");
    std::string left = m_input ? std::to_string(m_input->at) + " lines " : "";
    return count ? left + count->value.text + " " +
                       std::to_string(number_of(m_shell.variables, k_next_argument, 1)) + " " +
                       std::to_string(number_of(m_shell.variables, k_next_letter, 1))
                 : left;
}

std::string ShellWalker::tested_file(const ShellNode& list) {
    const ShellNode* node = &list;
    while (node->kind == Kind::list && node->children.size() == 1) node = &node->children[0];
    if (node->kind != Kind::simple || node->negated || node->words.size() < 3) return "";
    const auto word = [&](std::size_t i) { return node->words[i].of(m_text.text); };
    if (!is_one_of(word(0), {"[", "[[", "test"}) || !is_one_of(word(1), {"-f", "-e", "-s", "-r"})) return "";
    return expanded_whole(node->words[2]).text;
}

bool ShellWalker::round_of_loop(const ShellNode& body, bool certain, bool open) {
    m_open += open ? 1 : 0;
    m_open_loops += open ? 1 : 0;
    const std::size_t around = std::exchange(m_open_at_loop, m_open);
    ++m_loops;
    walk_list(body, certain);
    --m_loops;
    m_open_at_loop = around;
    m_open_loops -= open ? 1 : 0;
    m_open -= open ? 1 : 0;
    const bool leaves = m_flow != Flow::goes_on && m_flow != Flow::next_round;
    if (m_flow == Flow::next_round || m_flow == Flow::leaves_loop) m_flow = Flow::goes_on;
    return !leaves;
}

// The texts with numbers that all branches give to one variable, each with the place of its assignment. What
// stands behind `else` need not give one.
std::vector<Written> ShellWalker::set_by_branches(const ShellNode& node) const {
    std::vector<Written> all;
    std::string name;
    const std::size_t count = node.children.size();
    for (std::size_t i = 1; i < count + count % 2; i += 2) {
        const bool otherwise = i >= count;
        const std::size_t before = all.size();
        for (const ShellNode& one : node.children[otherwise ? count - 1 : i].children) {
            const std::string_view word = one.kind == ShellNode::Kind::simple && one.words.size() == 1
                                              ? one.words[0].of(m_text.text)
                                              : "";
            const std::size_t length = length_of_name(word);
            std::string text(length > 0 && word.substr(length, 1) == "=" ? word.substr(length + 1) : "");
            text = replace_all(replace_all(text, "\"", ""), "'", "");
            const bool literal = text.find_first_of(k_not_literal) == npos && any_of(text, is_digit);
            if (!literal || (!name.empty() && name != word.substr(0, length))) continue;
            name = std::string(word.substr(0, length));
            all.push_back(m_text.written(one.words[0].begin, text));
            break;
        }
        if (all.size() == before && !otherwise) return {};
    }
    return all.size() > 1 ? all : std::vector<Written>{};
}

void ShellWalker::note_open_branches(const ShellNode& node) {
    if (!m_shell.open_case || !m_shell.open_case->name.empty() || m_open_loops > 0) return;
    std::vector<Written> values = set_by_branches(node);
    if (values.empty()) return;
    m_shell.open_case->name = k_branch;
    for (Written& value : values) value.text = "branch of line " + std::to_string(value.line);
    m_shell.open_case->values = std::move(values);
}

// The child of `node` that this run of the script is for.
std::optional<std::size_t> ShellWalker::own_branch(const ShellNode& node) const {
    const Variable* own = m_shell.variables.find(k_branch);
    if (!own) return std::nullopt;
    const std::vector<Written> values = set_by_branches(node);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].file == own->value.file && values[i].line == own->value.line &&
            values[i].column == own->value.column)
            return std::min(2 * i + 1, node.children.size() - 1);
    return std::nullopt;
}

// Only loops over arguments and lines have several rounds: what others repeat is the same.
void ShellWalker::while_loop(const ShellNode& node, bool certain) {
    if (node.children.size() < 2) return;
    const Limit& most = m_input ? k_most_values : k_rounds;
    for (std::size_t round = 1;; ++round) {
        const std::string before = arguments_left();
        Tested tested = condition_of(node.children[0], certain);
        if (m_flow != Flow::goes_on) return;
        if (tested.answer == (node.negated ? Answer::yes : Answer::no)) return;
        const bool open = tested.answer == Answer::open || before.empty();
        if (!round_of_loop(node.children[1], certain && tested.fixed && !open, open)) return;
        if (open || arguments_left() == before || exceeds(most, round + 1, node)) return;
    }
}

void ShellWalker::leave(const std::string& name, const std::string& argument, bool certain) {
    if (name == "exit") {
        const bool ends = certain && m_open == 0;
        if (ends) m_flow = Flow::ends;
        m_list_ends = !ends;
    } else if (name == "return") {
        if (m_open > 0) return;
        m_flow = Flow::leaves_call;
        m_returned = all_digits(argument) ? decided(argument == "0", certain) : Tested{};
    } else if (m_loops > 0 && m_open == m_open_at_loop) {
        m_flow = name == "break" ? Flow::leaves_loop : Flow::next_round;
    }
}

std::optional<Tested> ShellWalker::flow_command(const ShellNode& node, const Command& command, bool certain) {
    const std::vector<Written>& words = command.words;
    const std::string& name = words[0].text;
    const std::string argument = words.size() > 1 ? words[1].text : "";
    if (is_one_of(name, {"exit", "return", "break", "continue"})) {
        leave(name, argument, certain);
    } else if (name == "shift") {
        shift(words);
    } else if (name == "set" && argument == "--") {
        set_arguments({words.begin() + 2, words.end()}, m_shell.variables);
    } else if (name == "set") {
        note_export_of_all(words);
    } else if (name == "read") {
        return read_words(node, command, certain);
    } else if (is_one_of(name, {"mapfile", "readarray"})) {
        read_lines(node, command, certain);
    } else if (name == "printf" && argument == "-v" && words.size() > 3) {
        print_into(command, certain);
    } else if (name == "getopts" && words.size() > 2) {
        const Tested tested = getopts(words);
        m_was_test = tested.answer != Answer::open;
        return tested;
    } else if (is_one_of(name, {"true", "false", ":"}) && node.outputs.empty()) {
        assign_defaults(node, certain);
        m_was_test = true;
        return decided(name != "false");
    } else {
        return std::nullopt;
    }
    return Tested{};
}

void ShellWalker::exported(Range word, bool exports, bool certain) {
    std::vector<SetVariable> assigned;
    if (assignment(word, assigned)) {
        for (const SetVariable& one : assigned) set(one, exports, certain);
        return;
    }
    const std::string name(word.of(m_text.text));
    if (name.find('$') != npos) return export_fields(word, exports, certain);
    const Variable* found = m_shell.variables.find(name);
    if (!found || !exports || found->exported) return;
    Variable variable = *found;
    variable.exported = true;
    if (m_shell.is_script) m_steps.push_back(SetVariable{name, variable.value});
    m_shell.variables.set(name, std::move(variable));
}

void ShellWalker::export_fields(Range word, bool exports, bool certain) {
    for (Written& field : expanded(word)) {
        const std::size_t equals = field.text.find('=');
        if (equals == npos || !is_name(std::string_view(field.text).substr(0, equals))) continue;
        SetVariable one{field.text.substr(0, equals), field};
        one.value.text.erase(0, equals + 1);
        set(one, exports, certain);
    }
}

// set -a, set +a, set -o allexport
void ShellWalker::note_export_of_all(const std::vector<Written>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        const bool named = word == "allexport", letter = word.size() > 1 && word.find('a') != npos;
        const std::string& sign = named ? words[i - 1].text : word;
        if ((named || (letter && word.back() != 'o')) && (sign[0] == '-' || sign[0] == '+'))
            m_shell.exports_all = sign[0] == '-';
    }
}

void ShellWalker::shift(const std::vector<Written>& words) {
    const std::vector<Written>* all = arguments_of(m_shell.variables);
    const bool number = words.size() < 2 || (words[1].known && all_digits(words[1].text));
    const std::size_t count =
        words.size() < 2 ? 1 : static_cast<std::size_t>(std::atoi(words[1].text.c_str()));
    if (!all || !number) return forget_arguments(m_shell.variables);
    if (count > all->size()) return;
    const std::vector<Written> rest(all->begin() + static_cast<std::ptrdiff_t>(count), all->end());
    set_arguments(rest, m_shell.variables);
}

void ShellWalker::normalize_options() {
    const std::vector<Written>* all = arguments_of(m_shell.variables);
    if (!all) return;
    std::vector<Written> words;
    for (const Written& word : *all) {
        const std::size_t equals = starts_with(word.text, "--") ? word.text.find('=') : npos;
        words.push_back(word);
        if (equals == npos) continue;
        words.back().text.erase(equals);
        words.push_back(word);
        words.back().text.erase(0, equals + 1);
    }
    words.push_back({"--", ""});
    set_arguments(words, m_shell.variables);
}

Tested ShellWalker::getopts(const std::vector<Written>& words) {
    Variables& variables = m_shell.variables;
    const std::vector<Written>* found = arguments_of(variables);
    if (!found || !words[1].known || !words[2].known) return {};
    const std::vector<Written> all = *found;
    std::size_t index = number_of(variables, k_next_argument, 1),
                letter = number_of(variables, k_next_letter, 1);
    if (index - 1 >= all.size()) return decided(false);  // 0, too
    const Written& word = all[index - 1];
    if (word.text == "--") {
        set_number(variables, k_next_argument, index + 1);
        return decided(false);
    }
    if (word.text.size() <= letter || word.text[0] != '-') return decided(false);
    const std::string& letters = words[1].text;
    const std::size_t at = letters.find(word.text[letter]);
    Written option = word;
    option.text = at == npos ? "?" : std::string(1, word.text[letter]);
    variables.erase("OPTARG");
    ++letter;
    if (at != npos && letters.substr(at + 1, 1) == ":") {
        Written value = word;
        value.text.erase(0, letter);
        if (value.text.empty() && index < all.size()) value = all[index++];
        if (!value.text.empty()) variables.set("OPTARG", {value});
        letter = word.text.size();
    }
    const bool ends = letter >= word.text.size();
    set_number(variables, k_next_argument, index + ends);
    set_number(variables, k_next_letter, ends ? 1 : letter);
    variables.set(words[2].text, {option});
    return decided(true);
}

void ShellWalker::assign_defaults(const ShellNode& node, bool certain) {
    for (const Range& range : node.words) {
        const std::size_t begin = m_text.text.find("${", range.begin);
        if (begin == npos || begin > range.begin + 1) continue;
        const std::string_view inner = range.of(m_text.text).substr(begin + 2 - range.begin);
        const std::size_t length = length_of_name(inner);
        if (length == 0 || (inner.substr(length, 2) != ":=" && inner.substr(length, 1) != "=")) continue;
        set({std::string(inner.substr(0, length)), expanded_whole(range)}, false, certain);
    }
}

std::optional<Written> ShellWalker::output_of(const PlacedText& text, Range inner) {
    const PlacedText part = text.part(inner.begin, inner.end);
    const std::string_view all = trimmed(part.text);
    const std::string first(all.substr(0, all.find_first_of(" \t\n;")));
    // One command is read before, and names of files are not known.
    const bool several = all.find_first_of(";\n&") != npos && all.find_first_of("*?") == npos;
    const bool runs = m_shell.functions.count(first) || is_one_of(first, {"case", "if", "for"}) ||
                      (several && is_one_of(first, {"echo", "printf"}));
    return runs ? printed_by(part) : std::nullopt;
}

std::optional<Written> ShellWalker::printed_by(const PlacedText& text) {
    Written printed = text.written(0, "");
    const auto parsed = std::make_shared<const ParsedShell>(text);
    if (!parsed->syntax.problem.empty() || is_too_deep(printed)) return std::nullopt;
    const Variables variables = m_shell.variables;
    const std::string folder = m_shell.folder;
    ++m_shell.depth;
    ShellWalker walker(parsed, m_shell);
    walker.m_printed = &printed;
    walker.run(true);
    --m_shell.depth;
    m_shell.variables = variables;
    m_shell.folder = folder;
    while (ends_with(printed.text, "\n")) printed.text.pop_back();
    return printed.known && !printed.text.empty() ? std::optional(std::move(printed)) : std::nullopt;
}

std::shared_ptr<const FileText> ShellWalker::written_dockerfile(const ShellNode& node,
                                                                const Command& command) const {
    const std::string name = dockerfile_named(command);
    if (name.empty()) return nullptr;
    if (name == "-" && node.heredocs.size() == 1)
        return std::make_shared<const FileText>(
            text_of_document(m_text, m_parsed->syntax.heredocs[node.heredocs[0]], &m_source, m_shell));
    const FileText* written = m_shell.written->find(name);
    return written && !written->text.empty() ? std::make_shared<const FileText>(*written) : nullptr;
}

void ShellWalker::print(const ShellNode& node, const Command& command, bool certain) {
    if (node.to_errors || !node.outputs.empty()) return;
    const bool known = m_open == 0 && all_of(command.words, [](const Written& word) { return word.known; });
    const auto text = known ? written_without_input(command.words) : std::nullopt;
    m_printed->known = m_printed->known && text;
    if (!text) return;
    const bool fixed = all_of(command.words, [](const Written& word) { return word.fixed; });
    m_printed->fixed = m_printed->fixed && fixed && certain;
    m_printed->text += *text;
}

bool ShellWalker::print_pipeline(const ShellNode& list, std::size_t first, std::size_t& last, bool certain) {
    std::size_t end = first;
    while (end + 1 < list.children.size() && list.children[end + 1].joined == Joined::piped) ++end;
    const ShellNode &begins = list.children[first], &ends = list.children[end];
    if (end == first || begins.words.empty() || ends.words.empty()) return false;
    const Range whole{begins.words.front().begin, ends.words.back().end};
    const auto output = output_of_pipeline(m_text, whole, m_shell.variables, m_shell.problems, &m_source);
    m_printed->known = m_printed->known && output && m_open == 0;
    if (output) m_printed->text += output->text + "\n";
    if (output) m_printed->fixed = m_printed->fixed && output->fixed && certain;
    last = end;
    return true;
}

}  // namespace ptxguard::recipes
