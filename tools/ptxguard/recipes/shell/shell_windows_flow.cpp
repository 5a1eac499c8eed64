// cmd and PowerShell: which commands run, functions, and the scripts that commands start.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/line_pattern.hpp"
#include "recipes/shell/shell_scripts.hpp"
#include "recipes/shell/shell_windows_reader.hpp"
#include "recipes/shell/shell_windows_text.hpp"
#include "recipes/shell/shell_wrappers.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_windows_call{12, "calls of functions and scripts in each other", "deeper ones"};

// Behind a comparison of PowerShell.
bool joins_tests(const std::string& word) { return is_one_of(word, {"", "-and", "-or"}); }

// Both sides of -eq, -like ... are compared without case.
std::optional<bool> compared(const std::string& by, const std::string& left, const std::string& right) {
    const bool equal = lower(left) == lower(right);
    if (by == "-eq" || by == "-ieq") return equal;
    if (by == "-ceq") return left == right;
    if (by == "-ne" || by == "-ine") return !equal;
    if (by == "-like") return matches_pattern(lower(left), lower(right));
    if (is_one_of(by, {"-match", "-notmatch"})) {
        const auto pattern = LinePattern::read(right, {true, false, true, true});
        const auto found = pattern ? pattern->find(left) : LinePattern::Found{npos, npos, false};
        return found.known ? std::optional((found.begin != npos) == (by == "-match")) : std::nullopt;
    }
    if (by == "-notlike") return !matches_pattern(lower(left), lower(right));
    return std::nullopt;
}

}  // namespace

void WindowsReader::branch(std::size_t begin, std::size_t end, const Tested& tested, bool open) {
    const bool sure = !open && tested.answer == Answer::yes && tested.fixed;
    if (tested.answer == Answer::no) return;
    if (!sure) m_blocks.push_back({{}, !open && tested.answer == Answer::yes});
    read(begin, end);
    if (!sure) end_block();
}

std::optional<Tested> WindowsReader::comparison(std::string_view text, std::size_t& at) const {
    const PowerShellVariable values = variables();
    const auto left = powershell_value(text, at, values);
    if (!left) return std::nullopt;
    at = behind_blanks(text, left->end);
    const std::string by = word_at(text, at);
    if (joins_tests(by)) return decided(!is_one_of(lower(left->text), {"", "false", "0"}), left->fixed);
    const auto right = powershell_value(text, behind_blanks(text, at + by.size()), values);
    const auto result = right ? compared(by, left->text, right->text) : std::nullopt;
    if (!result) return std::nullopt;
    at = behind_blanks(text, right->end);
    return decided(*result, left->fixed && right->fixed);
}

Tested WindowsReader::test(std::string_view text) const {
    Tested all{Answer::yes, true};
    bool any = false;  // joined by -or
    for (std::size_t at = behind_blanks(text, 0); at < text.size();) {
        const bool negates = text[at] == '!' || is_word_at(text, at, "-not");
        if (negates) at = behind_blanks(text, at + (text[at] == '!' ? 1 : 4));
        const auto one = comparison(text, at);
        const std::string by = word_at(text, at);
        if (!one || !joins_tests(by)) return {};
        const bool before = all.answer == Answer::yes, yes = (one->answer == Answer::yes) != negates;
        all = decided(any ? before || yes : before && yes, all.fixed && one->fixed);
        any = by == "-or";
        at = behind_blanks(text, at + by.size());
    }
    return all;
}

std::size_t WindowsReader::structure(std::size_t i) {
    const std::string_view text = m_text.text;
    if (i > 0 && std::string_view(" \t\r\n;{}&()").find(text[i - 1]) == npos) return 0;
    if (!is_powershell())
        return is_word_at(text, i, "if")    ? condition_of_cmd(i)
               : is_word_at(text, i, "for") ? loop_of_cmd(i)
                                            : 0;
    if (is_word_at(text, i, "if")) return condition(i);
    if (is_word_at(text, i, "switch")) return choice(i);
    if (is_word_at(text, i, "foreach")) return loop(i);
    return is_word_at(text, i, "function") ? function(i) : pipeline(i);
}

std::size_t WindowsReader::condition(std::size_t i) {
    const std::string_view text = m_text.text;
    bool open = false, done = false;
    std::size_t length = 2;  // of "if"
    std::size_t behind = 0;
    for (bool last = false; !last;) {
        last = length == 4;  // "else"
        const auto clause = clause_at(text, i + length, !last);
        if (!clause) return behind;
        Tested tested = last
                            ? Tested{Answer::yes, true}
                            : test(text.substr(clause->condition, clause->condition_end - clause->condition));
        if (done) tested.answer = Answer::no;
        open = open || tested.answer == Answer::open;
        branch(clause->body, clause->body_end, tested, open);
        done = done || (tested.answer == Answer::yes && !open);
        behind = clause->behind;
        i = behind_blanks(text, behind);
        length = is_word_at(text, i, "elseif") ? 6 : is_word_at(text, i, "else") ? 4 : 0;
        if (length == 0) return behind;
    }
    return behind;
}

// switch ($Cuda) { "12.4" { ... } default { ... } }
std::size_t WindowsReader::choice(std::size_t i) {
    const std::string_view text = m_text.text;
    const auto all = clause_at(text, i + 6, true);
    const auto subject = all ? powershell_value(text, all->condition, variables()) : std::nullopt;
    if (!subject || behind_blanks(text, subject->end) != all->condition_end) return 0;
    bool done = false;
    for (std::size_t at = behind_blanks(text, all->body); at < all->body_end;) {
        const std::size_t open = text.find('{', at);
        if (open == npos || open >= all->body_end) break;
        const auto clause = clause_at(text, open, false);
        if (!clause) break;
        std::string pattern = trim(text.substr(at, open - at));
        const bool otherwise = lower(pattern) == "default";
        if (pattern.size() > 1 && (pattern[0] == '"' || pattern[0] == '\''))
            pattern = pattern.substr(1, pattern.size() - 2);
        const bool same = otherwise ? !done : lower(pattern) == lower(subject->text);
        branch(clause->body, clause->body_end, decided(same, subject->fixed), false);
        done = done || same;
        at = behind_blanks(text, clause->behind);
    }
    return all->behind;
}

// foreach ($tag in "cu118", "cu121") { ... }
std::size_t WindowsReader::loop(std::size_t i) {
    const std::string_view text = m_text.text;
    const auto all = clause_at(text, i + 7, true);
    if (!all) return 0;
    std::size_t at = behind_blanks(text, all->condition);
    const std::size_t length = text[at] == '$' ? length_of_name(text.substr(at + 1)) : 0;
    const std::string name(text.substr(at + 1, length));
    at = behind_blanks(text, at + 1 + length);
    if (length == 0 || !is_word_at(text, at, "in")) return 0;
    at = behind_blanks(text, at + 2);
    const auto list = list_at(at);
    if (!list || behind_blanks(text, list->end) < all->condition_end) {
        m_shell.variables.erase(upper(name));
        branch(all->body, all->body_end, {}, true);
        return all->behind;
    }
    each_of(list->items, name, all->body, all->body_end);
    return all->behind;
}

// function Install-Torch([string]$Tag) { ... }: with its parameters as a param block.
std::size_t WindowsReader::function(std::size_t i) {
    const std::string_view text = m_text.text;
    const std::size_t begin = behind_blanks(text, i + 8);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n({", begin), text.size());
    const std::size_t next = behind_blanks(text, end);
    const auto clause = clause_at(text, end, next < text.size() && text[next] == '(');
    if (!clause || end == begin) return 0;
    PlacedText body(m_text.file);
    if (clause->condition != npos) {
        body.append("param(", m_text.place(end));
        body.append(text.substr(clause->condition, clause->condition_end - clause->condition),
                    m_text.place(clause->condition));
        body.append(")\n", m_text.place(clause->condition_end));
    }
    for (std::size_t at = clause->body; at < clause->body_end;) {
        const std::size_t line = std::min(text.find('\n', at) + 1, clause->body_end);
        body.append(text.substr(at, line - at), m_text.place(at));
        at = line;
    }
    m_shell.windows_functions[lower(text.substr(begin, end - begin))] =
        std::make_shared<const PlacedText>(std::move(body));
    return clause->behind;
}

Written WindowsReader::expanded(std::size_t begin, std::size_t end) {
    const Written before = std::exchange(m_word, m_text.written(begin, ""));
    const bool quoted = std::exchange(m_quoted, true), from = m_from_variable;
    while (begin < end) begin = variable(begin);
    m_quoted = quoted, m_from_variable = from;
    return std::exchange(m_word, before);
}

// [/i] [not] "%A%"=="b", and what it is followed by. Nothing: another test, or it does not end in its line.
std::optional<Tested> WindowsReader::comparison_of_cmd(std::size_t& at, std::size_t line_end) {
    const std::string_view text = m_text.text;
    const auto option = [&](std::string_view word) {
        const bool here = is_word_at(text, at, word);
        if (here) at = behind_blanks(text, at + word.size(), " \t");
        return here;
    };
    const bool any_case = option("/i"), negates = option("not");
    const std::size_t equals = text.find("==", at);
    if (equals > line_end) return std::nullopt;
    const std::size_t right = behind_blanks(text, equals + 2, " \t");
    const bool quoted = text.substr(right, 1) == "\"";
    std::size_t end = quoted ? text.find('"', right + 1) : text.find_first_of(" \t(\r\n", right);
    if (end > line_end) return std::nullopt;
    if (quoted) ++end;
    Written a = expanded(at, at + trimmed(text.substr(at, equals - at)).size()), b = expanded(right, end);
    if (any_case) a.text = lower(a.text), b.text = lower(b.text);
    at = behind_blanks(text, end, " \t");
    return a.known && b.known ? decided((a.text == b.text) != negates, a.fixed && b.fixed) : Tested{};
}

// if [/i] [not] "%A%"=="b" ( ... ) else ( ... ), if "%A%"=="b" set C=d
std::size_t WindowsReader::condition_of_cmd(std::size_t i) {
    const std::string_view text = m_text.text;
    const std::size_t line_end = std::min(text.find('\n', i), text.size());
    std::size_t body = behind_blanks(text, i + 2, " \t");
    const auto tested = comparison_of_cmd(body, line_end);
    if (!tested) return 0;
    const bool open = tested->answer == Answer::open;
    if (!opens_lines(text, body)) {
        if (text.substr(body, line_end - body).find('(') != npos) return 0;
        branch(body, line_end, *tested, open);
        return line_end;
    }
    const std::size_t close = end_of_lines(text, body);
    if (close == npos) return 0;
    std::size_t other = behind_blanks(text, close + 1, " \t"), other_close = npos;
    const bool has_other = is_word_at(text, other, "else");
    if (has_other) {
        other = behind_blanks(text, other + 4, " \t");
        if (opens_lines(text, other)) other_close = end_of_lines(text, other);
        if (other_close == npos) return 0;
    }
    branch(body + 1, close, *tested, open);
    if (!has_other) return close + 1;
    branch(other + 1, other_close, negated(*tested), open);
    return other_close + 1;
}

void WindowsReader::read_here(const PlacedText& text) {
    WindowsReader inner(text, m_shell, m_dialect);
    inner.m_blocks = m_blocks;
    for (Step& step : inner.run()) m_steps.push_back(std::move(step));
}

bool WindowsReader::calls() {
    const std::vector<Written>& words = m_command.words;
    const auto too_deep = [&] {
        return m_shell.problems.exceeds(k_deepest_windows_call, m_shell.depth + 1, words[0]);
    };
    const auto function = m_shell.windows_functions.find(lower(words[0].text));
    if (is_powershell() && function != m_shell.windows_functions.end() && !too_deep()) {
        const std::shared_ptr<const PlacedText> body = function->second;
        const Variables before = m_shell.variables;
        set_arguments({words.begin() + 1, words.end()}, m_shell.variables);
        ++m_shell.depth;
        read_here(*body);
        --m_shell.depth;
        restore_arguments(before, m_shell.variables);
        return true;
    }
    auto script = called_windows_script(m_command, m_shell);
    if (!script)  // bash FILE
        if (const auto called = called_script(m_command, m_shell); called && !called->sourced)
            script = nested_script(*called, m_command);
    if (!script || too_deep()) return false;
    script->certain = m_blocks.empty();
    if (runs_in_this_shell(words[0].text) && is_powershell()) {
        read_here(script->text);
        return true;
    }
    for (Step& step : run_nested(*script, m_shell)) m_steps.push_back(std::move(step));
    return true;
}

}  // namespace ptxguard::recipes
