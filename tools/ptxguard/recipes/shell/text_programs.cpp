// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/text_programs.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/awk_program.hpp"
#include "recipes/shell/json_query.hpp"
#include "recipes/shell/sed_script.hpp"
#include "recipes/shell/text_filters.hpp"

namespace ptxguard::recipes {
namespace {

using Words = std::vector<Written>;
using Lines = std::vector<std::string>;
using Output = std::optional<std::string>;

Lines lines_in(std::string_view text) {
    if (text.empty()) return {};
    return split_fields(text.substr(0, text.size() - (text.back() == '\n')), '\n');
}
std::string text_of(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::size_t number_of(const std::string& text, std::size_t absent) {
    return text.empty() || text.size() > 4 ? absent : static_cast<std::size_t>(std::atoi(text.c_str()));
}

// "1,2", "1-2", "2-": which of `count` fields, in their order.
std::vector<bool> chosen(const std::string& list, std::size_t count) {
    std::vector<bool> all(count);
    for (const std::string& one : split(list, ",")) {
        const std::size_t dash = one.find('-');
        const std::size_t from = number_of(one.substr(0, dash), 1);
        const std::size_t to = dash == npos ? from : number_of(one.substr(dash + 1), count);
        for (std::size_t i = from; i >= 1 && i <= std::min(to, count); ++i) all[i - 1] = true;
    }
    return all;
}

struct Cut {
    std::string by = "\t", list, characters;

    std::string of(const std::string& line) const {
        std::string result;
        if (!characters.empty()) {
            const std::vector<bool> which = chosen(characters, line.size());
            for (std::size_t i = 0; i < line.size(); ++i)
                if (which[i]) result += line[i];
            return result;
        }
        const Lines fields = split_fields(line, by[0]);
        if (fields.size() == 1) return line;
        const std::vector<bool> which = chosen(list, fields.size());
        bool any = false;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (which[i]) result += (any ? by : "") + fields[i], any = true;
        return result;
    }
};

Output cut(const Words& words, const std::string& text) {
    static const std::vector<OptionForm> options = {
        {"-d --delimiter"}, {"-f --fields"}, {"-c --characters"}, {"-b --bytes"}};
    Cut cut;
    Words own = words;
    for (Written& word : own)  // its '=' is the delimiter, not the sign of a value
        if (word.text == "-d=") word.text = "--delimiter==";
    for (const Argument& argument : split_arguments(own, 1, options, false)) {
        if (argument.option == "--delimiter") cut.by = argument.value.text;
        if (argument.option == "--fields") cut.list = argument.value.text;
        if (is_one_of(argument.option, {"--characters", "--bytes"})) cut.characters = argument.value.text;
        if (argument.option.empty()) return std::nullopt;
    }
    if (cut.characters.empty() && (cut.by.size() != 1 || cut.list.empty())) return std::nullopt;
    Lines lines = lines_in(text);
    for (std::string& line : lines) line = cut.of(line);
    return text_of(lines);
}

constexpr std::string_view k_letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::pair<std::string_view, std::string_view> k_sets_of_tr[] = {
    {"[:lower:]", k_letters.substr(36)},
    {"[:upper:]", k_letters.substr(10, 26)},
    {"[:digit:]", k_letters.substr(0, 10)},
    {"[:space:]", " \t\n\r\v\f"},
    {"[:blank:]", " \t"},
    {"[:alpha:]", k_letters.substr(10)},
    {"[:alnum:]", k_letters}};
constexpr std::pair<char, char> k_escapes_of_tr[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}};

// The character of a set of tr; nothing for an escape that is not read. `at`: its last byte.
std::optional<char> character_at(const std::string& set, std::size_t& at) {
    const bool escaped = set[at] == '\\' && at + 1 < set.size();
    if (!escaped) return set[at];
    const char c = set[++at];
    const auto* found = first_where(k_escapes_of_tr, [&](const auto& row) { return row.first == c; });
    if (found) return found->second;
    return is_letter(c) || is_digit(c) ? std::nullopt : std::optional(c);
}

// The characters that a set of tr names, in their order; nothing for what is not read.
Output characters_of(const std::string& set) {
    std::string all;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const auto* found = first_where(
            k_sets_of_tr, [&](const auto& row) { return set.compare(i, row.first.size(), row.first) == 0; });
        if (found) {
            all += found->second;
            i += found->first.size() - 1;
            continue;
        }
        if (set.compare(i, 2, "[:") == 0 || set.compare(i, 2, "[=") == 0) return std::nullopt;
        const std::optional<char> c = character_at(set, i);
        if (!c) return std::nullopt;
        const char last = i + 2 < set.size() && set[i + 1] == '-' ? set[i + 2] : *c;
        if (last < *c || last == '\\') return std::nullopt;
        for (char one = *c;; ++one) {
            all += one;
            if (one == last) break;
        }
        if (last != *c) i += 2;
    }
    return all;
}

struct Translation {
    bool drops, squeezes, others, maps;
    std::string from = "", to = "";

    std::string of(const std::string& text) const {
        std::string result;
        for (const char c : text) {
            const std::size_t at = from.find(c);
            const bool named = (at == npos) == others;
            if (named && drops) continue;
            const char becomes = named && maps ? to[std::min(at, to.size() - 1)] : c;
            const bool again =
                squeezes && !result.empty() && result.back() == becomes && to.find(becomes) != npos;
            if (!again) result += becomes;
        }
        return result;
    }
};

// tr -d . and tr . _, tr -s ' ' '\n', tr -dc 0-9
Output translate(const Words& words, const std::string& text) {
    std::string letters;
    std::size_t first = 1;
    for (; first < words.size() && words[first].text.size() > 1 && words[first].text[0] == '-'; ++first)
        letters += words[first].text.substr(1);
    const std::size_t sets = words.size() - first;
    const auto has = [&](std::string_view any) { return letters.find_first_of(any) != npos; };
    Translation change{has("d"), has("s"), has("cC"), sets == 2};
    const std::size_t needed = change.drops || (change.squeezes && sets == 1) ? 1 : 2;
    if (letters.find_first_not_of("dscC") != npos || sets != needed || (change.others && !change.drops))
        return std::nullopt;
    const Output from = characters_of(words[first].text), to = characters_of(words.back().text);
    if (!from || !to || to->empty()) return std::nullopt;
    change.from = *from;
    change.to = *to;
    return change.of(text);
}

// sort, sort -V, sort -u -r, sort -n: of versions, numbers and names. Of other texts the order depends on the
// locale, and is that of bytes here.
Output sorted(const Words& words, const std::string& text) {
    std::string letters;
    for (std::size_t i = 1; i < words.size(); ++i)
        letters += words[i].text == "--version-sort" ? "V"
                   : words[i].text == "--unique"     ? "u"
                   : words[i].text == "--reverse"    ? "r"
                                                     : words[i].text;
    letters.erase(std::remove(letters.begin(), letters.end(), '-'), letters.end());
    if (letters.find_first_not_of("Vurn") != npos) return std::nullopt;
    Lines lines = lines_in(text);
    const bool numbers = letters.find_first_of("Vn") != npos;
    if (numbers && !all_of(lines, [](const std::string& line) { return parse_version(line).has_value(); }))
        return std::nullopt;
    std::stable_sort(lines.begin(), lines.end(), [&](const std::string& a, const std::string& b) {
        return numbers ? *parse_version(a) < *parse_version(b) : a < b;
    });
    if (letters.find('u') != npos) lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    if (letters.find('r') != npos) std::reverse(lines.begin(), lines.end());
    return text_of(lines);
}

// head -n 1, head -n1, head -1, tail -1, tail -n +2
Output ends_of(const Words& words, const std::string& text) {
    std::string count;
    for (std::size_t i = 1; i < words.size(); ++i) count += words[i].text;
    for (const std::string_view option : {"--lines=", "-n", "-"})
        if (starts_with(count, option)) {
            count.erase(0, option.size());
            break;
        }
    const bool from = starts_with(count, "+");
    const std::size_t number = number_of(count.substr(from), 0);
    const bool head = words[0].text == "head";
    if (words.size() == 1 || number == 0 || !all_digits(count.substr(from)) || (from && head))
        return std::nullopt;
    Lines lines = lines_in(text);
    const std::size_t size = lines.size(), taken = std::min(number, size);
    if (head)
        lines.resize(taken);
    else
        lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(
                                                       from ? std::min(number - 1, size) : size - taken));
    return text_of(lines);
}

// wc -w
Output counted(const Words& words, const std::string& text) {
    const std::string option = words.size() == 2 ? words[1].text : "";
    if (option == "-l") return std::to_string(lines_in(text).size()) + "\n";
    return option == "-w" ? Output(std::to_string(split(text, " \t\n").size()) + "\n") : std::nullopt;
}

// paste -sd, -
Output pasted(const Words& words, const std::string& text) {
    static const std::vector<OptionForm> options = {{"-d --delimiters"}, {"-s --serial", false}};
    std::string by = "\t";
    bool serial = false;
    for (const Argument& argument : split_arguments(words, 1, options, false)) {
        if (argument.option == "--delimiters") by = argument.value.text;
        serial = serial || argument.option == "--serial";
        if (argument.option.empty() && argument.value.text != "-") return std::nullopt;
    }
    if (!serial || by.size() > 1) return std::nullopt;
    return joined(lines_in(text), by) + "\n";
}

struct EachArgument {
    std::size_t first = 1;  // of the command
    bool single = false;
    std::string mark = "";  // -I: what an argument replaces
};
EachArgument each_argument(const Words& words) {
    const std::string option = words.size() > 1 ? words[1].text : "";
    const std::string value = words.size() > 2 ? words[2].text : "";
    EachArgument each;
    each.single = option == "-n1" || (option == "-n" && value == "1");
    const bool marks = starts_with(option, "-I");
    if (marks) each.mark = option == "-I" ? value : option.substr(2);
    if (marks || each.single) each.first = option.size() == 2 ? 3 : 2;
    return each;
}

// xargs, xargs -n1, xargs -I{} echo A{}B
Output with_arguments(const Words& words, const std::string& text) {
    const auto [first, single, mark] = each_argument(words);
    if (text.find_first_of("\"'\\") != npos) return std::nullopt;
    Lines all;
    for (std::size_t i = first + 1; i < words.size(); ++i) all.push_back(words[i].text);
    const bool no_newline = !all.empty() && starts_with(all[0], "-n");
    if (first < words.size() && (words[first].text != "echo" || no_newline)) return std::nullopt;
    const std::string before = joined(all, " "), gap = before.empty() ? "" : " ";
    Lines read = split(text, mark.empty() ? " \t\n" : "\n");
    if (mark.empty() && !single) return joined({before, joined(read, " ")}, gap) + "\n";
    for (std::string& one : read) one = mark.empty() ? before + gap + one : replace_all(before, mark, one);
    return text_of(read);
}

Output each_reversed(const Words& words, const std::string& text) {
    if (words.size() > 1) return std::nullopt;
    Lines lines = lines_in(text);
    if (words[0].text == "tac")
        std::reverse(lines.begin(), lines.end());
    else if (words[0].text == "rev")
        for (std::string& line : lines) std::reverse(line.begin(), line.end());
    else
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return text_of(lines);
}

Output edited(const Words& words, const std::string& text) {
    const auto lines = filtered_lines(words, text.substr(0, text.size() - ends_with(text, "\n")));
    return lines ? Output(lines->empty() && text.empty() ? "" : *lines + "\n") : std::nullopt;
}

Output awk(const Words& words, const std::string& text) {
    const auto program = AwkProgram::read(words);
    return program ? program->written(lines_in(text)) : std::nullopt;
}

Output unchanged(const Words& words, const std::string& text) {
    return words.size() == 1 ? Output(text) : std::nullopt;
}

struct Program {
    std::string_view names;
    Output (*writes)(const Words& words, const std::string& text);
    bool reads_named_file = true;
};
constexpr Program k_programs[] = {{"cat", unchanged},
                                  {"cut", cut},
                                  {"tr", translate, false},
                                  {"sort", sorted},
                                  {"head tail", ends_of},
                                  {"wc", counted},
                                  {"paste", pasted},
                                  {"xargs", with_arguments, false},
                                  {"rev tac uniq", each_reversed},
                                  {"sed grep egrep fgrep", edited},
                                  {"awk gawk mawk", awk},
                                  {"jq yq tomlq", written_by_query}};

const Program* program_named(const std::string& name) {
    return first_where(k_programs, [&](const Program& one) { return contains(split(one.names, " "), name); });
}

}  // namespace

bool reads_named_file(const std::string& name) {
    const Program* program = program_named(name);
    return program && program->reads_named_file;
}

std::optional<std::string> written_of(const std::vector<Written>& words, const std::string& text) {
    const Program* program = program_named(program_name(words[0].text));
    return program ? program->writes(words, text) : std::nullopt;
}

}  // namespace ptxguard::recipes
