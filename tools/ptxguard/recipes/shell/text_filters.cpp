// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/text_filters.hpp"

#include <functional>
#include <string_view>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/sed_script.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

// The lines that are written for one; nothing: they are not known.
using Lines = std::vector<std::string>;
using OfLine = std::function<std::optional<Lines>(std::string_view line, std::size_t number)>;

std::optional<FileText> each_line(FileText text, const OfLine& of_line) {
    std::string all;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text.text)) {
        const auto result = line.size() > k_longest_line ? std::nullopt : of_line(line, ++number);
        const bool keeps_places =
            result && result->size() < 2 && (result->empty() || result->front().find('\n') == npos);
        if (!keeps_places) return std::nullopt;
        all += (result->empty() ? "" : result->front()) + "\n";
    }
    text.text = std::move(all);
    return text;
}

std::optional<std::string> all_lines(const std::string& text, const OfLine& of_line) {
    Lines all;
    std::size_t number = 0;
    for (const std::string& line : split_fields(text, '\n')) {
        auto result = line.size() > k_longest_line ? std::nullopt : of_line(line, ++number);
        if (!result) return std::nullopt;
        all.insert(all.end(), result->begin(), result->end());
    }
    return joined(all, "\n");
}

bool all_known(const std::vector<Written>& words, FileText& text) {
    for (const Written& word : words) text.fixed = text.fixed && word.fixed;
    return all_of(words, [](const Written& word) { return word.known; });
}

std::optional<FileText> input_of(const std::vector<Written>& files, const FileText* piped,
                                 const OutputSource& source) {
    const bool standard = files.empty() || (files.size() == 1 && files[0].text == "-");
    if (standard) return piped && piped->known ? std::optional(*piped) : std::nullopt;
    auto text = files.size() == 1 && source.file ? source.file(files[0]) : std::nullopt;
    return text && text->known ? std::move(text) : std::nullopt;
}

struct Grep : PatternForm {
    bool inverted = false, whole_line = false, whole_word = false, only_matches = false, known = true;
    std::vector<std::string> patterns;
    std::vector<Written> files;
};

struct GrepOption {
    std::string_view letters, name;
    bool Grep::*sets;  // null: nothing of what is found
};
constexpr GrepOption k_grep_options[] = {{"v", "--invert-match", &Grep::inverted},
                                         {"iy", "--ignore-case", &Grep::any_case},
                                         {"E", "--extended-regexp", &Grep::extended},
                                         {"P", "--perl-regexp", &Grep::perl},
                                         {"o", "--only-matching", &Grep::only_matches},
                                         {"F", "--fixed-strings", &Grep::literal},
                                         {"x", "--", &Grep::whole_line},
                                         {"w", "--", &Grep::whole_word},
                                         {"Ghsa", "--", nullptr}};

void read_letters(const std::vector<Written>& words, std::size_t& i, Grep& grep) {
    const std::string& word = words[i].text;
    for (std::size_t at = 1; at < word.size(); ++at) {
        if (word[at] == 'e') {
            if (at + 1 < word.size())
                grep.patterns.push_back(word.substr(at + 1));
            else if (i + 1 < words.size())
                grep.patterns.push_back(words[++i].text);
            return;
        }
        const auto* option = first_where(
            k_grep_options, [&](const GrepOption& row) { return row.letters.find(word[at]) != npos; });
        grep.known = grep.known && option;
        if (option && option->sets) grep.*option->sets = true;
    }
}

Grep read_grep(const std::vector<Written>& words) {
    Grep grep;
    const std::string program = program_name(words[0].text);
    grep.extended = program == "egrep";
    grep.literal = program == "fgrep";
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        const auto* option =
            first_where(k_grep_options, [&](const GrepOption& row) { return row.name == word; });
        if (option && option->name.size() > 2)
            grep.*option->sets = true;
        else if (starts_with(word, "--regexp="))
            grep.patterns.push_back(word.substr(9));
        else if (starts_with(word, "--") && word.size() > 2)
            grep.known = false;
        else if (word.size() > 1 && word[0] == '-')
            read_letters(words, i, grep);
        else
            grep.files.push_back(words[i]);
    }
    take_script(grep.files, grep.patterns);
    grep.extended = grep.extended || grep.perl;
    return grep;
}

// The parts of the line that match, from left to right.
std::optional<Lines> matches_in(std::string_view line, const LinePattern& pattern) {
    Lines all;
    for (std::size_t from = 0; from <= line.size();) {
        const auto found = pattern.find(line, from);
        if (!found.known) return std::nullopt;
        if (found.begin == npos) break;
        if (found.end > found.begin) all.emplace_back(line.substr(found.begin, found.end - found.begin));
        from = std::max(found.end, from + (found.end == found.begin ? 1 : 0));
    }
    return all;
}

std::optional<bool> matches_any(std::string_view line, const std::vector<LinePattern>& patterns, bool whole) {
    bool matches = false;
    for (const LinePattern& pattern : patterns) {
        const auto found = pattern.find(line);
        if (!found.known) return std::nullopt;
        matches = matches || (whole ? found.begin == 0 && found.end == line.size() : found.begin != npos);
    }
    return matches;
}

// What grep writes of a line; nothing: its options or patterns are not read.
OfLine of_grep(const Grep& grep) {
    std::vector<LinePattern> patterns;
    for (const std::string& list : grep.patterns)
        for (const std::string& one : split_fields(list, '\n')) {
            auto pattern = LinePattern::read(one, grep);
            if (!pattern) return {};
            patterns.push_back(std::move(*pattern));
        }
    const bool read = grep.known && !patterns.empty() && !grep.whole_word &&
                      !(grep.only_matches && (patterns.size() > 1 || grep.inverted || grep.whole_line));
    if (!read) return {};
    return [grep, patterns](std::string_view line, std::size_t) -> std::optional<Lines> {
        if (grep.only_matches) return matches_in(line, patterns[0]);
        const std::optional<bool> matches = matches_any(line, patterns, grep.whole_line);
        if (!matches) return std::nullopt;
        return *matches == grep.inverted ? Lines{} : Lines{std::string(line)};
    };
}

std::optional<FileText> edited(const Sed& sed, const std::vector<Written>& words, FileText text) {
    if (!sed.known || sed.commands.empty() || !all_known(words, text)) return std::nullopt;
    return each_line(std::move(text), [&](std::string_view line, std::size_t number) {
        return lines_of_sed(sed, line, number);
    });
}

// jq -r '.packages[]' FILE, cut -d, -f1: lines of their own, at the place of the command unless each is made
// of one that the program reads.
std::optional<FileText> made_text(const std::vector<Written>& words, const FileText* piped,
                                  const OutputSource& source) {
    std::vector<Written> own = words;
    auto read = piped && piped->known ? std::optional(*piped) : std::nullopt;
    if (!piped && words.size() > 2 && reads_named_file(program_name(words[0].text))) {
        read = input_of({words.back()}, nullptr, source);
        own.pop_back();
    }
    if (!read || !all_known(words, *read)) return std::nullopt;
    auto output = written_of(own, read->text);
    if (!output) return std::nullopt;
    const bool keeps_lines = program_name(words[0].text) == "cut" || program_name(words[0].text) == "tr";
    if (!keeps_lines || lines_of(*output).size() != lines_of(read->text).size()) {
        read->file = words[0].file;
        read->lines_before = words[0].line - 1;
    }
    read->text = std::move(*output);
    return read;
}

bool is_grep(const std::string& program) { return is_one_of(program, {"grep", "egrep", "fgrep"}); }

bool is_read_later(const std::string& path) {
    const std::string name = lower(file_name(path));
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    return name.find("makefile") != npos ||
           is_one_of(name.substr(dot),
                     {".txt", ".in", ".toml", ".yml", ".yaml", ".cfg", ".cmake", ".mk", ".py", ".sh"});
}

}  // namespace

std::optional<FileText> filtered_text(const std::vector<Written>& words, const FileText* piped,
                                      const OutputSource& source) {
    const std::string program = words.empty() ? "" : program_name(words[0].text);
    if (is_grep(program)) {
        const Grep grep = read_grep(words);
        const OfLine of_line = of_grep(grep);
        auto text = of_line ? input_of(grep.files, piped, source) : std::nullopt;
        if (!text || !all_known(words, *text)) return std::nullopt;
        return each_line(std::move(*text), of_line);
    }
    if (program == "cat") return input_of({words.begin() + 1, words.end()}, piped, source);
    if (program != "sed") return made_text(words, piped, source);
    const Sed sed = read_sed(words);
    if (sed.in_place || !sed.known) return std::nullopt;
    auto text = input_of(sed.files, piped, source);
    return text ? edited(sed, words, std::move(*text)) : std::nullopt;
}

std::optional<std::string> filtered_lines(const std::vector<Written>& words, const std::string& piped) {
    if (is_grep(program_name(words[0].text))) {
        const Grep grep = read_grep(words);
        const OfLine of_line = grep.files.empty() ? of_grep(grep) : nullptr;
        return of_line ? all_lines(piped, of_line) : std::nullopt;
    }
    const Sed sed = read_sed(words);
    if (sed.in_place || !sed.known || sed.commands.empty() || !sed.files.empty()) return std::nullopt;
    return all_lines(
        piped, [&](std::string_view line, std::size_t number) { return lines_of_sed(sed, line, number); });
}

std::vector<std::pair<Written, FileText>> edited_texts(const std::vector<Written>& words,
                                                       const OutputSource& source) {
    std::vector<std::pair<Written, FileText>> all;
    if (words.empty() || program_name(words[0].text) != "sed") return all;
    const Sed sed = read_sed(words);
    for (const Written& file : sed.files) {
        if (!sed.in_place || !file.known || !is_read_later(file.text)) continue;
        const auto text = input_of({file}, nullptr, source);
        if (!text) continue;
        FileText unknown;
        unknown.file = text->file;
        unknown.known = false;
        all.emplace_back(file, edited(sed, words, *text).value_or(std::move(unknown)));
    }
    return all;
}

}  // namespace ptxguard::recipes
