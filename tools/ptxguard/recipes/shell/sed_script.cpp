// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/sed_script.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

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

    // Behind "[", in an expression: the "]" of the set.
    std::size_t end_of_set() const {
        std::size_t end = m_at + 1 + (m_text.substr(m_at + 1, 1) == "^");
        for (++end; end < m_text.size() && m_text[end] != ']'; ++end)
            if (m_text[end] == '[' && m_text.substr(end + 1, 1).find_first_of(":.=") != npos)
                end = std::min(m_text.find(']', end), m_text.size());
        return end;
    }
    // Up to `delimiter`, which stays one behind a backslash, and in a set of an expression.
    std::optional<std::string> part(char delimiter, bool expression) {
        std::string text;
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == delimiter) return ++m_at, text;
            if (const std::size_t end = c == '[' && expression ? end_of_set() : m_text.size();
                end < m_text.size()) {
                text += m_text.substr(m_at, end - m_at);
                m_at = end;
            }
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
        const auto text = part(delimiter, true);
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
        const auto from = part(delimiter, true), by = part(delimiter, false);
        if (!from || from->empty() || !by) return false;
        bool any_case = false;
        for (; is_flag(next()); ++m_at)
            if (is_digit(next()))
                one.nth = static_cast<std::size_t>(next() - '0');
            else
                (next() == 'g' ? one.everywhere : next() == 'p' ? one.prints : any_case) = true;
        one.pattern = pattern(*from, any_case);
        return replacement(*by, one.by) && one.pattern;
    }
    static bool is_flag(char c) {
        return c == 'g' || c == 'i' || c == 'I' || c == 'p' || (c > '0' && c <= '9');
    }
    static bool replacement(const std::string& text, std::vector<Replacement>& into) {
        into.emplace_back();
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool escaped = text[i] == '\\' && i + 1 < text.size();
            const char c = text[escaped ? ++i : i];
            if (escaped ? is_digit(c) : c == '&') {
                into.push_back({"", escaped ? static_cast<std::size_t>(c - '0') : 0});
                into.emplace_back();
            } else if (escaped && (is_letter(c) && c != 'n' && c != 't')) {
                return false;
            } else {
                into.back().text += !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
        }
        return true;
    }

    std::string_view m_text;
    PatternForm m_form;
    std::size_t m_at = 0;
};

// What stands for the match; nothing: the pattern has no such group.
std::optional<std::string> text_for(const LinePattern::Found& found, std::string_view line,
                                    const std::vector<Replacement>& by) {
    std::string text;
    for (const Replacement& one : by) {
        text += one.text;
        if (one.group == npos) continue;
        if (one.group > found.groups.size()) return std::nullopt;
        const Range range = one.group == 0 ? Range{found.begin, found.end} : found.groups[one.group - 1];
        if (range.begin != npos) text += range.of(line);
    }
    return text;
}

// Whether it is known what becomes of `line`. `count`: of its matches.
bool substitute(const SedCommand& command, std::string& line, std::size_t& count) {
    std::size_t behind = npos;
    for (std::size_t from = 0; from <= line.size();) {
        const auto found = command.pattern->find(line, from);
        if (!found.known || line.size() > k_longest_line) return false;
        if (found.begin == npos) return true;
        const bool empty = found.end == found.begin;
        if (empty && found.begin == behind) {  // right behind a match there is no empty one
            from = found.begin + 1;
            continue;
        }
        const bool here = ++count >= command.nth;
        const auto text = here ? text_for(found, line, command.by)
                               : std::string(line, found.begin, found.end - found.begin);
        if (!text) return false;
        line.replace(found.begin, found.end - found.begin, *text);
        behind = found.begin + text->size();
        from = behind + (empty ? 1 : 0);
        if (here && !command.everywhere) return true;
    }
    return true;
}

}  // namespace

void take_script(std::vector<Written>& files, std::vector<std::string>& scripts) {
    if (!scripts.empty() || files.empty()) return;
    scripts.push_back(files.front().text);
    files.erase(files.begin());
}

namespace {

// -n, -nE, -e SCRIPT, -i.bak
void read_letters(const std::vector<Written>& words, std::size_t& i, Sed& sed) {
    const std::string& word = words[i].text;
    for (std::size_t at = 1; at < word.size(); ++at) {
        const char c = word[at];
        sed.form.extended = sed.form.extended || c == 'E' || c == 'r';
        sed.quiet = sed.quiet || c == 'n';
        if (c == 'i') {
            sed.in_place = true;
            return;
        }
        if (c == 'e' && (at + 1 < word.size() || i + 1 < words.size())) {
            sed.scripts.push_back(at + 1 < word.size() ? word.substr(at + 1) : words[++i].text);
            return;
        }
        sed.known = sed.known && std::string_view("Ernsu").find(c) != npos;
    }
}

}  // namespace

Sed read_sed(const std::vector<Written>& words) {
    Sed sed;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--in-place" || starts_with(word, "--in-place="))
            sed.in_place = true;
        else if (word == "--regexp-extended")
            sed.form.extended = true;
        else if (is_one_of(word, {"--quiet", "--silent"}))
            sed.quiet = true;
        else if (word == "--expression" && i + 1 < words.size())
            sed.scripts.push_back(words[++i].text);
        else if (starts_with(word, "-") && word.size() > 1)
            read_letters(words, i, sed);
        else if (!word.empty())  // `-i ''` of other systems
            sed.files.push_back(words[i]);
    }
    take_script(sed.files, sed.scripts);
    for (const std::string& script : sed.scripts)
        sed.known = sed.known && SedReader(script, sed.form).read(sed.commands);
    return sed;
}

std::optional<std::vector<std::string>> lines_of_sed(const Sed& sed, std::string_view text,
                                                     std::size_t number) {
    std::vector<std::string> printed;
    std::string line(text);
    for (const SedCommand& command : sed.commands) {
        bool here = number >= command.first && number <= command.last;
        if (command.where) {
            const auto found = command.where->find(line);
            if (!found.known) return std::nullopt;
            here = here && found.begin != npos;
        }
        if (here == command.elsewhere) continue;
        if (command.does == 'd') return printed;
        std::size_t matches = 0;
        if (command.does == 's' && !substitute(command, line, matches)) return std::nullopt;
        if (command.does == 'p' || (command.prints && matches >= command.nth)) printed.push_back(line);
    }
    if (!sed.quiet) printed.push_back(std::move(line));
    return printed;
}

}  // namespace ptxguard::recipes
