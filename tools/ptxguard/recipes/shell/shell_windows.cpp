// cmd and PowerShell: splits commands at operators, removes quotes, replaces the text's own variables.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_windows_reader.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_wrappers.hpp"

namespace ptxguard::recipes {
namespace {

// "2>&1", ">", "*>>log.txt", "<in.txt": the length of the operator; 0 = an ordinary word.
std::size_t redirection_in(std::string_view word) {
    const std::size_t sign = word.find_first_of("<>");
    if (sign > 1 || (sign == 1 && !is_digit(word[0]) && word[0] != '*' && word[0] != '&')) return 0;
    std::size_t end = sign + 1;
    if (end < word.size() && word[end] == '>') ++end;
    return end;
}

// ".Length", "[0]": a part of the value before it.
bool is_part_of_value(std::string_view text) {
    return starts_with(text, "[") || (text.size() > 1 && text[0] == '.' && std::isalpha(text[1] & 0x7f));
}

// The file and the text of Out-File and Add-Content; whether -Append is one of the options.
bool read_target(const std::vector<Written>& words, Written& file, std::vector<Written>& content) {
    bool appends = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string word = lower(words[i].text);
        const Written* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
        appends = appends || is_one_of(word, {"-append", "-a"});
        if (next && is_one_of(word, {"-filepath", "-path", "-literalpath"})) file = *next;
        if (next && word == "-value") content = {*next};
        if (!file && i == 1 && !starts_with(word, "-")) file = words[i];
    }
    return appends;
}

}  // namespace

void WindowsReader::read(std::size_t begin, std::size_t end) {
    while (begin < end && !m_skips) begin = next(begin);
    finish_command();
}

std::size_t WindowsReader::next(std::size_t i) {
    const std::string& text = m_text.text;
    const char c = text[i];
    const bool redirection = c == '&' && i > 0 && text[i - 1] == '>';  // 2>&1
    if (!redirection && m_dialect.separators.find(c) != npos) {
        finish_command();
        if (c != '|') m_piped.clear();
        return i + 1;
    }
    if ((c == m_dialect.opens && !m_started) || c == m_dialect.closes) {
        block(c == m_dialect.opens, i);
        return i + 1;
    }
    const bool redirects = c == '>' || (c == '<' && !is_powershell());
    if (redirects && m_started && redirection_in(m_word.text + c) == 0) finish_word();  // A=B>>FILE
    if (std::string_view(" \t\r").find(c) != npos) {
        finish_word();
        return i + 1;
    }
    const std::size_t behind = behind_comment(i);
    return behind == i ? character(i) : behind;
}

std::size_t WindowsReader::behind_comment(std::size_t i) const {
    const std::string& text = m_text.text;
    if (is_powershell() && text.compare(i, 2, "<#") == 0)
        return std::min(text.find("#>", i), text.size() - 2) + 2;
    const bool comment = !m_started && m_dialect.comment.find(text[i]) != npos;
    return comment ? std::min(text.find('\n', i), text.size()) : i;
}

void WindowsReader::block(bool opens, std::size_t at) {
    const std::string& text = m_text.text;
    if (!is_powershell()) {
        // "C:\Program Files (x86)", "if exist x (": the bracket of a block ends its line or starts it.
        const std::size_t next = std::min(text.find_first_not_of(" \t\r", at + 1), text.size());
        const bool ends = next == text.size() || text[next] == '\n';
        const bool starts = (m_command.words.empty() && !m_started) ||
                            (!opens && !m_blocks.empty() && m_blocks.back().in_line);
        if (opens ? !ends && !starts : !starts) {
            start_word(at);
            plain(at);
            return;
        }
    }
    finish_command();
    if (opens) {
        m_blocks.emplace_back();
        m_blocks.back().in_line =
            !is_powershell() && text.find_first_not_of(" \t\r", at + 1) != text.find('\n', at + 1);
    } else {
        end_block();
    }
}

void WindowsReader::end_block() {
    if (m_blocks.empty()) return;
    if (!m_blocks.back().keeps)
        for (const std::string& name : m_blocks.back().assigned) m_shell.variables.erase(name);
    m_blocks.pop_back();
}

std::size_t WindowsReader::character(std::size_t i) {
    const char c = m_text.text[i];
    const bool bracket = is_powershell() && c == '(';
    if (!m_started && m_command.words.empty())
        for (const auto reads :
             {&WindowsReader::structure, &WindowsReader::assigned_variable, &WindowsReader::parameters})
            if (const std::size_t behind = (this->*reads)(i)) return behind;
    if (c == m_dialect.escape) return escaped(i);
    if (bracket && !m_started && !m_command.words.empty())
        if (const std::size_t behind = computed_word(i)) return behind;
    if (c == '@' && is_powershell() && !m_started && !m_command.words.empty())
        if (const std::size_t behind = splatted(i)) return behind;
    start_word(i);
    if (m_dialect.quotes.find(c) != npos) return quoted(i);
    return bracket ? call(i) : variable(i);
}

void WindowsReader::start_word(std::size_t i) {
    if (!m_started) m_word = m_text.written(i, "");
    m_started = true;
}

std::size_t WindowsReader::escaped(std::size_t i) {
    const std::string_view behind = std::string_view(m_text.text).substr(i + 1);
    for (const std::string_view line_end : {"\n", "\r\n"})
        if (starts_with(behind, line_end)) return i + 1 + line_end.size();
    start_word(i);
    m_word.text += behind.substr(0, 1);
    return i + 2;
}

std::size_t WindowsReader::quoted(std::size_t i) {
    const std::string& text = m_text.text;
    m_quoted = true;
    const std::size_t close = std::min(text.find(text[i], i + 1), text.size());
    for (std::size_t k = i + 1; k < close;) k = text[i] == '\'' ? plain(k) : variable(k);
    return close + 1;
}

std::size_t WindowsReader::call(std::size_t i) {
    m_word.known = false;
    const std::size_t end = end_of_call(m_text.text, i);
    if (end == npos) return plain(i);
    m_word.text.append(m_text.text, i, end - i);
    return end;
}

std::size_t WindowsReader::assigned_variable(std::size_t i) {
    const std::string_view text = m_text.text;
    if (!is_powershell() || text[i] != '$') return 0;
    const bool environment = lower(text.substr(i + 1, 4)) == "env:";
    const std::size_t begin = i + 1 + (environment ? 4 : 0);
    const std::size_t end = begin + length_of_name(text.substr(begin));
    const std::size_t sign = text.find_first_not_of(" \t", end);
    if (end == begin || sign == npos) return 0;
    const bool adds = text[sign] == '+';
    if (text.substr(sign + adds, 1) != "=" || text.substr(sign + adds, 2) == "==") return 0;
    for (const std::string_view word : {text.substr(i, end - i), text.substr(sign, adds + 1)})
        m_command.words.push_back(m_text.written(i, std::string(word)));
    m_value_starts = true;
    const std::size_t value = std::min(text.find_first_not_of(" \t", sign + adds + 1), text.size());
    const auto list = environment ? std::nullopt : list_at(value);
    const std::size_t rest = list ? text.find_first_not_of(" \t\r", list->end) : npos;
    const Variable* old = adds ? m_shell.variables.find(upper(text.substr(begin, end - begin))) : nullptr;
    if (list && (list->several || (old && old->is_array)) &&
        (rest == npos || std::string_view("\n;}#").find(text[rest]) != npos)) {
        m_command.words.clear();
        m_value_starts = false;
        std::vector<Written> items = old ? old->items : std::vector<Written>{};
        items.insert(items.end(), list->items.begin(), list->items.end());
        set_list(text.substr(begin, end - begin), std::move(items));
        return list->end;
    }
    if (const auto literal = powershell_literal(text, value)) {
        m_command.words.push_back(m_text.written(value, literal->json));
        m_literal = true;
        return literal->end;
    }
    const auto computed = adds ? std::nullopt : powershell_value(text, value, variables());
    const std::size_t next = computed ? text.find_first_not_of(" \t\r", computed->end) : npos;
    if (!computed || (next != npos && std::string_view("\n;}#").find(text[next]) == npos))
        return sign + adds + 1;
    m_command.words.push_back(taken(value, *computed));
    m_literal = true;
    return computed->end;
}

PowerShellVariable WindowsReader::variables() const {
    const auto named = [this](std::string_view name) -> std::optional<PowerShellValue> {
        const Variable* found = m_shell.variables.find(upper(name));
        if (!found) return std::nullopt;
        return PowerShellValue{found->value.text, found->value.known, found->value.fixed};
    };
    const auto file = [this](const std::string& path) -> std::optional<PowerShellValue> {
        const auto text = file_named({path, m_text.file});
        if (!text) return std::nullopt;
        return PowerShellValue{trim(text->text), true, text->fixed};
    };
    return {named, file};
}

Written WindowsReader::taken(std::size_t begin, const PowerShellValue& value) const {
    Written word = m_text.written(begin, value.text);
    word.fixed = value.fixed;
    return word;
}

std::size_t WindowsReader::computed_word(std::size_t open) {
    const auto value = powershell_value(m_text.text, open, variables());
    if (!value) return 0;
    m_word = taken(open, *value);
    m_started = m_from_variable = true;  // its value is known, as that of a variable
    return value->end;
}

std::size_t WindowsReader::plain(std::size_t i) {
    m_word.text += m_text.text[i];
    return i + 1;
}

// $($NAME), $($env:NAME | ConvertTo-Json): behind it; 0 for what other commands print.
std::size_t WindowsReader::only_variable(std::size_t i) {
    const std::string_view text = m_text.text;
    const std::size_t inner = i + 2, close = text.find(')', i);
    if (text.substr(i, 3) != "$($" || close == npos) return 0;
    const auto value = powershell_value(text, inner, variables());
    if (value && text.substr(value->end, 1) == ")") {
        add_value(i, taken(i, *value), value->text);
        return value->end + 1;
    }
    const std::size_t name = text.substr(inner, 5) == "$env:" ? inner + 5 : inner + 1;
    const std::size_t length = length_of_name(text.substr(name));
    const std::string_view rest = trimmed(text.substr(name + length, close - name - length));
    if (!rest.empty() && !starts_with(lower(rest), "| convertto-json")) return 0;
    variable(inner);
    return close + 1;
}

std::size_t WindowsReader::variable(std::size_t i) {
    const std::string_view text = m_text.text;
    if (const std::size_t behind = is_powershell() ? only_variable(i) : loop_variable(i)) return behind;
    if (const std::size_t behind = is_powershell() ? 0 : argument(i)) return behind;
    if (is_powershell() && text.substr(i, 2) == "$(") m_word.known = false;  // what commands print
    const auto reference = windows_reference(text, i, is_powershell());
    if (!reference) return plain(i);
    const std::size_t behind = reference->behind;
    const std::string_view part = reference->part;
    const Variable* found = m_shell.variables.find(upper(reference->name));
    if (is_powershell() && found && found->is_array)
        if (const std::size_t end = listed_variable(i, *reference, *found)) return end;
    if (is_powershell() && !m_quoted && is_part_of_value(text.substr(behind))) m_word.known = false;
    const auto value = !found         ? std::nullopt
                       : part.empty() ? std::optional(found->value.text)
                                      : part_of_value(found->value.text, part);
    if (!value || m_shell.problems.exceeds(k_longest_field, m_word.text.size() + value->size(), m_word)) {
        m_word.known = false;
        m_word.text += text.substr(i, behind - i);
    } else {
        add_value(i, found->value, *value);
    }
    return behind;
}

// cmd replaces a variable before it splits a command into words. The quotes around a path with blanks are
// not kept with its value.
void WindowsReader::add_value(std::size_t at, const Written& variable, const std::string& text) {
    const bool whole = is_powershell() || m_quoted || text.find(":\\") != npos;
    const auto parts = whole ? std::vector<std::string>{text} : split(text, " \t");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) {
            finish_word();
            start_word(at);
        }
        m_from_variable = true;
        m_word.known = m_word.known && variable.known;
        m_word.fixed = m_word.fixed && variable.fixed;
        m_word.text += parts[i];
    }
}

void WindowsReader::finish_word() {
    if (m_started) {
        const bool is_number = is_digit(m_word.text.empty() ? ' ' : m_word.text[0]);
        if (m_command.words.size() == 2) m_literal = m_quoted || m_from_variable || is_number;
        // ">" is followed by the file, "2>&1" and ">file" are complete.
        const std::size_t redirection = m_quoted ? 0 : redirection_in(m_word.text);
        const bool whole = redirection == m_word.text.size();
        if (m_is_target) {
            (m_target_is_input ? m_input : m_output) = std::move(m_word);
        } else if (redirection == 0) {
            m_command.words.push_back(std::move(m_word));
        } else {
            m_target_is_input = m_word.text.substr(0, redirection).find('<') != npos;
            m_appends = redirection > 1 && m_word.text.compare(redirection - 2, 2, ">>") == 0;
            if (!whole) (m_target_is_input ? m_input : m_output) = part_of(m_word, redirection);
        }
        m_is_target = !m_is_target && redirection > 0 && whole;
    }
    m_word = {};
    m_started = m_quoted = m_from_variable = false;
}

bool WindowsReader::spend() {
    std::size_t bytes = 0;
    for (const Written& word : m_command.words) bytes += word.text.size();
    return m_shell.files.budget().spend_at(m_command.words.front(), 1, bytes);
}

void WindowsReader::note_output() {
    std::vector<Written> content = m_command.words;
    const std::string program = lower(content[0].text);
    if (is_one_of(program, {"write-output", "write-host"})) content[0].text = "echo";
    bool appends = m_appends;
    Written file = std::exchange(m_output, {});
    std::vector<Written> piped = std::exchange(m_piped, content);
    if (is_one_of(program, {"add-content", "out-file", "tee"})) {
        content = std::move(piped);
        appends = read_target(m_command.words, file, content) || program == "add-content";
    }
    if (!file || !file.known || content.empty()) return;
    auto text = echoed(content, is_powershell());
    if (text) text->fixed = text->fixed && m_blocks.empty();
    m_shell.written->write(file.text, text, appends);
}

void WindowsReader::finish_command() {
    finish_word();
    m_is_target = false;
    if (m_command.words.empty() || !spend()) {
        m_command = {};
        return;
    }
    const std::string program = lower(m_command.words[0].text);
    const bool leaves = is_powershell() && is_one_of(program, {"continue", "break"});
    if (leaves && m_blocks_of_loop > 0 && m_blocks.size() + 1 == m_blocks_of_loop)
        m_skips = true, m_breaks = program == "break";
    if (!leaves && !assigns()) {
        note_output();
        for (Written& word : m_command.words) word.fixed = word.fixed && m_blocks.empty();
        if (lower(m_command.words[0].text) == "cd") change_folder(m_command, m_shell);
        const Wrapped inner = without_wrappers(m_command);
        unwrap(m_command, inner);
        if (m_command.words.empty() || calls()) {
            m_command = {};
            return;
        }
        // `call pip install a`; scripts that activate an environment keep the word.
        std::vector<Written>& words = m_command.words;
        if (!is_powershell() && words.size() > 1 && is_word(words[0], "call") &&
            words[1].text.find("activate") == npos)
            words.erase(words.begin());
        emit(std::move(m_command), m_shell, m_steps);
    }
    m_command = {};
    m_output = m_input = {};
    m_appends = false;
}

std::vector<Step> read_cmd(const PlacedText& text, Shell& shell) {
    return WindowsReader(text, shell, k_cmd).run();
}
std::vector<Step> read_powershell(const PlacedText& text, Shell& shell) {
    return WindowsReader(text, shell, k_powershell).run();
}

}  // namespace ptxguard::recipes
