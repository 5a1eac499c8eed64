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
#include "recipes/shell/line_pattern.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_longest_line = 4000;

// What becomes of a line; nothing: it is not known.
using OfLine = std::function<std::optional<std::string>(std::string_view line, std::size_t number)>;

std::optional<FileText> each_line(FileText text, const OfLine& of_line) {
    std::string all;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text.text)) {
        const auto result = line.size() > k_longest_line ? std::nullopt : of_line(line, ++number);
        if (!result) return std::nullopt;
        all += *result + "\n";
    }
    text.text = std::move(all);
    return text;
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
    bool inverted = false, whole_line = false, whole_word = false, known = true;
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
                                         {"F", "--fixed-strings", &Grep::literal},
                                         {"x", "--", &Grep::whole_line},
                                         {"w", "--", &Grep::whole_word},
                                         {"Ghsa", "--", nullptr}};

// The first operand is the script where no option is one.
void take_script(std::vector<Written>& files, std::vector<std::string>& scripts) {
    if (!scripts.empty() || files.empty()) return;
    scripts.push_back(files.front().text);
    files.erase(files.begin());
}

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
    return grep;
}

std::optional<FileText> grepped(const std::vector<Written>& words, const FileText* piped,
                                const OutputSource& source) {
    const Grep grep = read_grep(words);
    std::vector<LinePattern> patterns;
    for (const std::string& list : grep.patterns)
        for (const std::string& one : split_fields(list, '\n')) {
            auto pattern = LinePattern::read(one, grep);
            if (!pattern) return std::nullopt;
            patterns.push_back(std::move(*pattern));
        }
    auto text = grep.known && !patterns.empty() && !grep.whole_word ? input_of(grep.files, piped, source)
                                                                    : std::nullopt;
    if (!text || !all_known(words, *text)) return std::nullopt;
    return each_line(std::move(*text), [&](std::string_view line, std::size_t) -> std::optional<std::string> {
        bool matches = false;
        for (const LinePattern& pattern : patterns) {
            const auto found = pattern.find(line);
            if (!found.known) return std::nullopt;
            matches = matches ||
                      (grep.whole_line ? found.begin == 0 && found.end == line.size() : found.begin != npos);
        }
        return matches == grep.inverted ? "" : std::string(line);
    });
}

// One command of sed: /RE/d, 3d, s/RE/TEXT/g, /RE/s/RE/TEXT/.
struct SedCommand {
    std::optional<LinePattern> where;
    std::size_t first = 0, last = npos;  // numbers of lines
    bool elsewhere = false;              // "!"
    char does = 0;                       // 'd', 's', 'p'
    std::optional<LinePattern> pattern;
    std::string by;
    bool everywhere = false;
};

class SedReader {
public:
    SedReader(std::string_view text, PatternForm form) : m_text(text), m_form(form) {}

    bool read(std::vector<SedCommand>& all) {
        while (true) {
            while (m_at < m_text.size() && std::string_view("; \t\n").find(m_text[m_at]) != npos) ++m_at;
            if (m_at >= m_text.size()) return true;
            SedCommand one;
            if (!command(one)) return false;
            all.push_back(std::move(one));
        }
    }

private:
    char next() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    bool take(char c) { return next() == c && (++m_at, true); }
    void skip_blanks() {
        while (next() == ' ') ++m_at;
    }

    // Up to `delimiter`, which stays one behind a backslash.
    std::optional<std::string> part(char delimiter) {
        std::string text;
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == delimiter) return ++m_at, text;
            if (c == '\\' && m_at + 1 < m_text.size()) {
                if (m_text[m_at + 1] != delimiter) text += c;
                ++m_at;
            }
            text += m_text[m_at];
        }
        return std::nullopt;
    }
    std::optional<LinePattern> pattern(const std::string& text, bool any_case) const {
        PatternForm form = m_form;
        form.any_case = any_case;
        return LinePattern::read(text, form);
    }

    bool number(std::size_t& value) {
        const std::size_t begin = m_at;
        while (is_digit(next())) ++m_at;
        if (m_at == begin || m_at - begin > 6) return false;
        value = static_cast<std::size_t>(std::stoul(std::string(m_text.substr(begin, m_at - begin))));
        return true;
    }
    bool lines(SedCommand& one) {
        if (!number(one.first)) return false;
        one.last = one.first;
        if (take(',') && !take('$') && !number(one.last)) return false;
        if (m_text[m_at - 1] == '$') one.last = npos;
        return true;
    }
    bool matching_lines(SedCommand& one) {
        if (take('\\') && m_at >= m_text.size()) return false;
        const char delimiter = m_text[m_at++];
        const auto text = part(delimiter);
        const bool any_case = take('I');
        if (text && !text->empty()) one.where = pattern(*text, any_case);
        return one.where && next() != ',';
    }
    bool address(SedCommand& one) {
        const bool numbers = is_digit(next()), expression = next() == '/' || next() == '\\';
        if ((numbers && !lines(one)) || (expression && !matching_lines(one))) return false;
        skip_blanks();
        one.elsewhere = take('!');
        skip_blanks();
        return true;
    }
    bool command(SedCommand& one) {
        if (!address(one) || m_at >= m_text.size()) return false;
        one.does = m_text[m_at++];
        if (one.does == 's' && !substitution(one)) return false;
        if (std::string_view("dps").find(one.does) == npos) return false;
        skip_blanks();
        return m_at >= m_text.size() || next() == ';' || next() == '\n';
    }
    bool substitution(SedCommand& one) {
        if (m_at >= m_text.size()) return false;
        const char delimiter = m_text[m_at++];
        const auto from = part(delimiter), by = part(delimiter);
        if (!from || from->empty() || !by) return false;
        bool any_case = false;
        for (; next() == 'g' || next() == 'i' || next() == 'I'; ++m_at)
            (next() == 'g' ? one.everywhere : any_case) = true;
        one.pattern = pattern(*from, any_case);
        return replacement(*by, one.by) && one.pattern;
    }
    static bool replacement(const std::string& text, std::string& into) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool escaped = text[i] == '\\' && i + 1 < text.size();
            if (text[i] == '&' || (escaped && is_word_character(text[i + 1], "&"))) return false;
            into += text[escaped ? ++i : i];
        }
        return true;
    }

    std::string_view m_text;
    PatternForm m_form;
    std::size_t m_at = 0;
};

struct Sed {
    PatternForm form;
    bool in_place = false, quiet = false, known = true;
    std::vector<std::string> scripts;
    std::vector<SedCommand> commands;
    std::vector<Written> files;
};

Sed read_sed(const std::vector<Written>& words) {
    Sed sed;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (starts_with_any(word, {"--in-place", "-i"}))
            sed.in_place = true;
        else if (is_one_of(word, {"-E", "-r", "--regexp-extended", "-Ei", "-ri"}))
            sed.form.extended = true, sed.in_place = sed.in_place || ends_with(word, "i");
        else if (is_one_of(word, {"-n", "--quiet", "--silent"}))
            sed.quiet = true;
        else if (is_one_of(word, {"-e", "--expression"}) && i + 1 < words.size())
            sed.scripts.push_back(words[++i].text);
        else if (starts_with(word, "-") && word.size() > 1)
            sed.known = false;
        else if (!word.empty())  // `-i ''` of other systems
            sed.files.push_back(words[i]);
    }
    take_script(sed.files, sed.scripts);
    for (const std::string& script : sed.scripts)
        sed.known = sed.known && SedReader(script, sed.form).read(sed.commands);
    return sed;
}

// Whether it is known what becomes of `line`.
bool substitute(const SedCommand& command, std::string& line) {
    for (std::size_t from = 0; from <= line.size();) {
        const auto found = command.pattern->find(line, from);
        if (!found.known || line.size() > k_longest_line) return false;
        if (found.begin == npos) return true;
        line.replace(found.begin, found.end - found.begin, command.by);
        from = found.begin + command.by.size() + (found.end == found.begin ? 1 : 0);
        if (!command.everywhere) return true;
    }
    return true;
}

std::optional<std::string> line_of(const Sed& sed, std::string_view text, std::size_t number) {
    std::string line(text);
    bool printed = !sed.quiet;
    for (const SedCommand& command : sed.commands) {
        bool here = number >= command.first && number <= command.last;
        if (command.where) {
            const auto found = command.where->find(line);
            if (!found.known) return std::nullopt;
            here = here && found.begin != npos;
        }
        if (here == command.elsewhere) continue;
        if (command.does == 'd') return "";
        if (command.does == 's' && !substitute(command, line)) return std::nullopt;
        if (command.does == 'p' && !sed.quiet) return std::nullopt;  // twice
        printed = printed || command.does == 'p';
    }
    return printed ? line : "";
}

std::optional<FileText> edited(const Sed& sed, const std::vector<Written>& words, FileText text) {
    if (!sed.known || sed.commands.empty() || !all_known(words, text)) return std::nullopt;
    return each_line(std::move(text),
                     [&](std::string_view line, std::size_t number) { return line_of(sed, line, number); });
}

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
    if (is_one_of(program, {"grep", "egrep", "fgrep"})) return grepped(words, piped, source);
    if (program == "cat") return input_of({words.begin() + 1, words.end()}, piped, source);
    if (program != "sed") return std::nullopt;
    const Sed sed = read_sed(words);
    if (sed.in_place || !sed.known) return std::nullopt;
    auto text = input_of(sed.files, piped, source);
    return text ? edited(sed, words, std::move(*text)) : std::nullopt;
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
