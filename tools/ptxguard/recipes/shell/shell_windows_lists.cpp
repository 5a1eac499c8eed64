// Lists and loops of cmd and PowerShell, and the words that a list becomes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "formats/text_lines.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_windows_reader.hpp"
#include "recipes/shell/shell_windows_text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_windows_rounds{64, "rounds of a loop of PowerShell", "later rounds"};
constexpr std::size_t k_lines_of_list = 64;  // a longer list is data, not packages

// Of Get-Content: what makes one text of its lines.
constexpr std::string_view k_whole_texts[] = {"-raw", "convertfrom-json", "out-string", ")."};

bool reads_content(std::string_view text, std::size_t at) {
    return any_of(k_readers_of_files, [&](std::string_view name) { return is_word_at(text, at, name); });
}

std::string json_of(const std::vector<Written>& items) {
    std::vector<std::string> texts;
    for (const Written& item : items) texts.push_back(to_text(Json(item.text)));
    return "[" + joined(texts, ",") + "]";
}

// What `for /f "tokens=1,* delims== skip=1"` says.
struct LineOptions {
    std::vector<std::size_t> tokens = {1};
    std::string separators = " \t", skipped = ";";
    bool rest = false;  // "*": what is left is one more
    bool quotes_name = false;
    std::size_t skip = 0;
    bool known = true;
};
LineOptions options_of_lines(const std::string& text) {
    LineOptions options;
    for (const std::string& word : split(text, " ")) {
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string name = lower(word.substr(0, equals));
        const std::string value = word.substr(std::min(equals + 1, word.size()));
        if (name == "delims") {
            options.separators = value;
        } else if (name == "tokens") {
            options.tokens.clear();
            options.rest = ends_with(value, "*");
            for (const std::string& one : split(value, ",*")) {
                const auto number = decimal(one);
                options.known = options.known && number && *number > 0 && *number < 30;
                if (number) options.tokens.push_back(static_cast<std::size_t>(*number));
            }
        } else if (name == "usebackq") {
            options.quotes_name = true;
        } else if (name == "eol") {
            options.skipped = value;
        } else if (const auto number = decimal(value); name == "skip" && number) {
            options.skip = static_cast<std::size_t>(*number);
        } else {
            options.known = false;
        }
    }
    return options;
}

// The values of the loop's variables in one line.
std::vector<Written> tokens_of(const Written& line, const LineOptions& options) {
    std::vector<Written> values;
    std::size_t number = 0, at = 0;
    const std::size_t last = options.tokens.empty() ? 0 : options.tokens.back();
    while ((at = line.text.find_first_not_of(options.separators, at)) != npos && number < last) {
        const std::size_t end = std::min(line.text.find_first_of(options.separators, at), line.text.size());
        ++number;
        if (contains(options.tokens, number)) {
            values.push_back(line);
            values.back().text = line.text.substr(at, end - at);
            values.back().column += static_cast<int>(at);
        }
        at = end;
    }
    at = std::min(line.text.find_first_not_of(options.separators, std::min(at, line.text.size())),
                  line.text.size());
    if (options.rest && at < line.text.size()) {
        values.push_back(line);
        values.back().text = line.text.substr(at);
    }
    return values;
}

std::vector<Written> lines_written_in(const FileText& text) {
    std::vector<Written> lines;
    int number = text.lines_before;
    for (const std::string_view line : lines_of(text.text))
        lines.push_back({std::string(line), text.file, ++number, 1, text.fixed});
    if (!lines.empty() && lines.back().text.empty()) lines.pop_back();
    return lines;
}

}  // namespace

std::optional<FileText> WindowsReader::file_named(const Written& path) const {
    Written name = path;
    std::replace(name.text.begin(), name.text.end(), '\\', '/');
    if (const FileText* written = m_shell.written->find(name.text))
        return written->known ? std::optional(*written) : std::nullopt;
    auto text =
        m_shell.files ? file_now(m_shell, folder_below(m_shell.folder, name.text), name) : std::nullopt;
    return text && text->known ? std::move(text) : std::nullopt;
}

// One value, or the items of a variable or file; behind it.
bool WindowsReader::add_items(std::size_t& at, List& list) {
    const std::string_view text = m_text.text;
    const std::size_t open = text.substr(at, 1) == "(" ? 1 : 0;
    const auto reference = windows_reference(text, at, true);
    const Variable* found = reference ? m_shell.variables.find(upper(reference->name)) : nullptr;
    const std::string_view behind = reference ? text.substr(std::min(reference->behind, text.size())) : "";
    if (found && found->is_array && behind.substr(0, 1).find_first_of(".[") == npos) {
        append(list.items, found->items);
        list.several = true;
        at = reference->behind;
        return true;
    }
    const auto value = powershell_value(text, at, variables());
    if (!value || value->end <= at) return false;
    Written item = taken(at, *value);
    const std::string command = lower(text.substr(at, value->end - at));
    const bool whole = any_of(k_whole_texts, [&](std::string_view one) { return command.find(one) != npos; });
    if (reads_content(text, at + open) && !whole) {
        // Its lines have places of their own.
        const std::size_t name = behind_blanks(text, text.find_first_of(" \t", at + open), " \t");
        const std::size_t end = std::min(text.find_first_of(" \t\r\n)|;", name), text.size());
        const auto file =
            file_named(m_text.written(name, without_quotes_and_braces(text.substr(name, end - name))));
        std::vector<Written> lines = file ? lines_written_in(*file) : std::vector<Written>{};
        if (!file || lines.size() > k_lines_of_list) return false;
        append(list.items, lines);
        list.several = list.several || lines.size() != 1;
    } else {
        list.items.push_back(std::move(item));
    }
    at = value->end;
    return true;
}

std::optional<WindowsReader::List> WindowsReader::list_at(std::size_t at) {
    const std::string_view text = m_text.text;
    List list;
    const bool brackets = text.substr(at, 2) == "@(";
    list.several = brackets;
    if (brackets) at += 2;
    const std::string_view between = brackets ? " \t\r\n,;" : " \t";
    for (at = behind_blanks(text, at, between); at < text.size(); at = behind_blanks(text, at, between)) {
        if (brackets && text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (brackets && text[at] == ')') break;
        if (!add_items(at, list)) return std::nullopt;
        if (brackets) continue;
        const std::size_t comma = behind_blanks(text, at, " \t");
        if (text.substr(comma, 1) != ",") break;
        list.several = true;
        at = behind_blanks(text, comma + 1);
    }
    if (brackets && at >= text.size()) return std::nullopt;
    list.end = at + brackets;
    return list.items.empty() ? std::nullopt : std::optional(std::move(list));
}

void WindowsReader::set_list(std::string_view name, std::vector<Written> items) {
    if (!m_blocks.empty()) m_blocks.back().assigned.push_back(upper(name));
    for (Written& item : items) item.fixed = item.fixed && m_blocks.empty();
    Variable variable{items.front()};
    variable.value.text = json_of(items);
    variable.items = std::move(items);
    variable.is_array = variable.assigned_here = true;
    m_shell.variables.set(upper(name), std::move(variable));
}

std::size_t WindowsReader::listed_variable(std::size_t at, const WindowsReference& reference,
                                           const Variable& list) {
    const std::string_view behind = std::string_view(m_text.text).substr(reference.behind);
    const std::vector<Written> items = list.items;
    if (m_quoted || (!m_word.text.empty() && !starts_with(behind, "."))) {  // "$LIST": one text
        for (const Written& item : items) {
            if (&item != &items.front()) m_word.text += " ";
            m_word.text += item.text;
            m_word.fixed = m_word.fixed && item.fixed;
        }
        return reference.behind;
    }
    if (starts_with(behind, "[") && behind.find(']') != npos) {
        const std::size_t close = behind.find(']');
        const auto index = decimal(behind.substr(1, close - 1));
        if (!index || *index >= items.size()) return 0;
        add_value(at, items[static_cast<std::size_t>(*index)], items[static_cast<std::size_t>(*index)].text);
        return reference.behind + close + 1;
    }
    if (starts_with(behind, ".")) return 0;
    for (const Written& item : items) {
        finish_word();
        m_word = item;
        m_started = m_from_variable = true;
    }
    return reference.behind;
}

std::size_t WindowsReader::splatted(std::size_t i) {
    const std::string_view text = m_text.text;
    const std::size_t length = length_of_name(text.substr(i + 1));
    const Variable* found = length > 0 ? m_shell.variables.find(upper(text.substr(i + 1, length))) : nullptr;
    if (!found) return 0;
    std::vector<Written> words = found->items;
    const auto table = found->is_array ? std::nullopt : std::optional(parse_json(found->value.text, ""));
    if (table && *table)
        for (const auto& [name, value] : (*table)->members()) {
            words.push_back(found->value);
            words.back().text = "-" + name;
            words.push_back(found->value);
            words.back().text = value.as_string();
        }
    if (words.empty()) return 0;
    for (Written& word : words) {
        finish_word();
        m_word = std::move(word);
        m_started = m_from_variable = true;
    }
    return i + 1 + length;
}

std::size_t WindowsReader::each_of(const std::vector<Written>& values, const std::string& name,
                                   std::size_t begin, std::size_t end) {
    const std::size_t around = std::exchange(m_blocks_of_loop, m_blocks.size() + 1);
    std::size_t round = 0;
    for (const Written& value : values) {
        if (m_shell.problems.exceeds(k_windows_rounds, ++round, value)) break;
        set(name, value, false);
        read(begin, end);
        m_skips = false;
        if (std::exchange(m_breaks, false)) break;
    }
    m_blocks_of_loop = around;
    return end;
}

std::size_t WindowsReader::pipeline(std::size_t i) {
    const std::string_view text = m_text.text;
    const bool begins = std::string_view("@(\"'$").find(text[i]) != npos || reads_content(text, i);
    const std::size_t line_end = std::min(text.find('\n', i), text.size());
    if (!begins || text.find('|', i) == npos) return 0;
    if (text[i] != '@' && text.find('|', i) > line_end) return 0;
    auto list = list_at(i);
    if (!list) return 0;
    for (std::size_t at = behind_blanks(text, list->end); text.substr(at, 1) == "|";) {
        at = behind_blanks(text, at + 1);
        const std::string stage = text.substr(at, 1) == "%" || text.substr(at, 1) == "?"
                                      ? std::string(text.substr(at, 1))
                                      : word_at(text, at);
        const auto clause = clause_at(text, at + stage.size(), false);
        if (!clause) return 0;
        if (is_one_of(stage, {"foreach-object", "foreach", "%"})) {
            each_of(list->items, "_", clause->body, clause->body_end);
            return clause->behind;
        }
        if (!is_one_of(stage, {"where-object", "where", "?"})) return 0;
        std::vector<Written> kept;
        for (const Written& item : list->items) {
            set("_", item, false);
            const Tested tested = test(text.substr(clause->body, clause->body_end - clause->body));
            if (tested.answer == Answer::open) return 0;
            if (tested.answer == Answer::yes) kept.push_back(item);
        }
        list->items = std::move(kept);
        at = behind_blanks(text, clause->behind);
    }
    return 0;
}

// %%a, %%~a in the body of a loop of cmd; 0 = another word.
std::size_t WindowsReader::loop_variable(std::size_t i) {
    const std::string_view text = m_text.text;
    if (m_delayed && text[i] == '!') {
        const std::size_t close = text.find('!', i + 1);
        const bool named = close != npos && is_name(text.substr(i + 1, close - i - 1));
        const Variable* found =
            named ? m_shell.variables.find(upper(text.substr(i + 1, close - i - 1))) : nullptr;
        if (!found) return 0;
        add_value(i, found->value, found->value.text);
        return close + 1;
    }
    if (text.substr(i, 2) != "%%") return 0;
    const std::size_t letter = i + 2 + (text.substr(i + 2, 1) == "~");
    const Variable* found =
        letter < text.size() ? m_shell.variables.find("%%" + std::string(text.substr(letter, 1))) : nullptr;
    if (!found) return 0;
    add_value(i, found->value, found->value.text);
    return letter + 1;
}

// Each round's values: of a list of words, or of the lines of a file behind /f.
std::optional<std::vector<std::vector<Written>>> WindowsReader::values_of_cmd_loop(std::size_t begin,
                                                                                   std::size_t end,
                                                                                   const Written* options) {
    std::vector<std::vector<Written>> rounds;
    const Written set = expanded(begin, end);
    if (!set.known) return std::nullopt;
    if (!options) {
        if (set.text.find_first_of("*?") != npos) return std::nullopt;
        for (const std::string& one : split(set.text, " \t\r\n,;")) {
            Written value = set;
            value.text = without_quotes_and_braces(one);
            rounds.push_back({std::move(value)});
        }
        return rounds;
    }
    const LineOptions lines = options_of_lines(options->text);
    const std::string name = trim(set.text);
    if (!lines.known || name.empty() || name[0] == '\'' || (name[0] == '"' && !lines.quotes_name))
        return std::nullopt;
    Written path = set;
    path.text = without_quotes_and_braces(name);
    const auto file = file_named(path);
    const std::vector<Written> all = file ? lines_written_in(*file) : std::vector<Written>{};
    if (!file || all.size() > k_lines_of_list) return std::nullopt;
    for (std::size_t i = lines.skip; i < all.size(); ++i) {
        const bool skipped = all[i].text.empty() || lines.skipped.find(all[i].text[0]) != npos;
        auto values = skipped ? std::vector<Written>{} : tokens_of(all[i], lines);
        if (!values.empty()) rounds.push_back(std::move(values));
    }
    return rounds;
}

// for [/f "OPTIONS"] %%a in (SET) do COMMAND, or a block of lines.
std::size_t WindowsReader::loop_of_cmd(std::size_t i) {
    const std::string_view text = m_text.text;
    const std::size_t line_end = std::min(text.find('\n', i), text.size());
    std::size_t at = behind_blanks(text, i + 3, " \t");
    Written options;
    const bool lines = is_word_at(text, at, "/f");
    if (lines) at = behind_blanks(text, at + 2, " \t");
    if (lines && text.substr(at, 1) == "\"") {
        const std::size_t close = std::min(text.find('"', at + 1), line_end);
        options = m_text.written(at + 1, std::string(text.substr(at + 1, close - at - 1)));
        at = behind_blanks(text, close + 1, " \t");
    }
    if (text.substr(at, 2) != "%%" || at + 3 > line_end) return 0;
    char letter = text[at + 2];
    at = behind_blanks(text, at + 3, " \t");
    if (!is_word_at(text, at, "in")) return 0;
    at = behind_blanks(text, at + 2, " \t");
    const std::size_t close = text.substr(at, 1) == "(" ? text.find(')', at) : npos;
    if (close == npos) return 0;
    std::size_t body = behind_blanks(text, close + 1, " \t");
    if (!is_word_at(text, body, "do")) return 0;
    body = behind_blanks(text, body + 2, " \t");
    const bool block = opens_lines(text, body);
    const std::size_t end = block ? end_of_lines(text, body) : std::min(text.find('\n', body), text.size());
    const auto rounds = values_of_cmd_loop(at + 1, close, lines ? &options : nullptr);
    if (end == npos || !rounds) return 0;
    std::size_t count = 0;
    for (const std::vector<Written>& values : *rounds) {
        if (m_shell.problems.exceeds(k_windows_rounds, ++count, values.front())) break;
        for (std::size_t k = 0; k < values.size(); ++k)
            m_shell.variables.set("%%" + std::string(1, static_cast<char>(letter + static_cast<char>(k))),
                                  {values[k]});
        read(body + block, end);
    }
    return end + block;
}

void WindowsReader::read_prompt() {
    const std::vector<Written>& words = m_command.words;
    const std::string name = words.size() > 2 ? words[2].text.substr(0, words[2].text.find('=')) : "";
    const auto file = m_input ? file_named(m_input) : std::nullopt;
    if (name.empty()) return;
    const auto lines = file ? lines_written_in(*file) : std::vector<Written>{};
    if (lines.empty())
        m_shell.variables.erase(upper(name));
    else
        set(name, lines.front());
}

}  // namespace ptxguard::recipes
