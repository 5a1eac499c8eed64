// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/dockerfile_lines.hpp"

#include "formats/text_lines.hpp"
#include "model/json.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

bool is_comment(std::string_view line) { return !line.empty() && line.front() == '#'; }

// "# escape=`" before everything else.
bool directive(std::string_view line, char& escape) {
    line = trimmed(line.substr(1));
    const std::size_t equals = line.find('=');
    if (equals == npos) return false;
    const std::string_view key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (key.empty() || key.find(' ') != npos) return false;
    if (lower(key) == "escape" && (value == "`" || value == "\\")) escape = value[0];
    return true;
}

constexpr Limit k_most_heredocs{100, "here-documents of one instruction", "later ones"};

// The here-documents that the instruction opens: <<EOF, <<-"EOF".
struct Opened {
    std::string name;
    bool tabs = false;
};
std::vector<Opened> opened(std::string_view text, const Written& place, Problems& problems) {
    std::vector<Opened> all;
    for (std::size_t at = text.find("<<"); at != npos; at = text.find("<<", at)) {
        at += 2;
        if (text.substr(at, 1) == "<") {  // <<<
            ++at;
            continue;
        }
        Opened one;
        one.tabs = text.substr(at, 1) == "-";
        at += one.tabs;
        const char quote = at < text.size() && (text[at] == '"' || text[at] == '\'') ? text[at] : '\0';
        at += quote != '\0';
        const std::size_t begin = at;
        while (at < text.size() &&
               (quote ? text[at] != quote : std::string_view(" \t\r\n;&|<>()\"'").find(text[at]) == npos))
            ++at;
        one.name = text.substr(begin, at - begin);
        const bool number = one.name.find_first_not_of("0123456789") == npos;  // 1<<2
        if (one.name.empty() || number) continue;
        if (problems.exceeds(k_most_heredocs, all.size() + 1, place)) break;
        all.push_back(one);
    }
    return all;
}

void read_keyword(Instruction& one, std::size_t begin) {
    const std::string& text = one.text.text;
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    one.keyword.clear();
    for (const char c : text.substr(begin, end - begin))
        one.keyword += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    one.rest = std::min(text.find_first_not_of(" \t", end), text.size());
}

class LineReader {
public:
    LineReader(const std::string& file, std::string_view text, Place first)
        : m_file(file), m_lines(lines_of(text)), m_first(first) {
        m_mark = starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    }

    DockerLines read() {
        while (m_at < m_lines.size()) {
            const std::string_view line = trimmed(m_lines[m_at]);
            if (!is_comment(line) || !directive(line, m_result.escape)) break;
            ++m_at;
        }
        while (m_at < m_lines.size()) {
            const std::string_view line = trimmed(m_lines[m_at]);
            if (line.empty() || is_comment(line))
                ++m_at;
            else
                instruction();
        }
        return std::move(m_result);
    }

private:
    // The line at m_at without its continuation character; true if it continues.
    bool append_line(PlacedText& text) {
        const std::string_view line = m_lines[m_at];
        std::size_t end = line.find_last_not_of(" \t\r");
        const bool goes_on = end != npos && line[end] == m_result.escape;
        if (!goes_on) end = line.size();
        text.append(line.substr(0, end), place(m_at == 0 ? m_mark : 0));
        ++m_at;
        return goes_on;
    }

    // Position of byte `at` in the line at m_at.
    Place place(int at) const { return {static_cast<int>(m_at) + m_first.line, m_first.column + at}; }

    void instruction() {
        Instruction one{"", PlacedText(m_file), 0, {}};
        bool goes_on = append_line(one.text);
        while (goes_on && m_at < m_lines.size()) {
            const std::string_view line = trimmed(m_lines[m_at]);
            if (line.empty() || is_comment(line))
                ++m_at;
            else
                goes_on = append_line(one.text);
        }
        const std::string& text = one.text.text;
        read_keyword(one, std::min(text.find_first_not_of(" \t"), text.size()));
        if (one.keyword == "RUN" || one.keyword == "COPY" || one.keyword == "ADD")
            for (const Opened& document : opened(std::string_view(text).substr(one.rest),
                                                 one.text.written(one.rest, ""), m_result.problems))
                one.heredocs.push_back({document.name, body_of(document)});
        m_result.instructions.push_back(std::move(one));
    }

    PlacedText body_of(const Opened& document) {
        PlacedText body(m_file);
        for (; m_at < m_lines.size(); ++m_at) {
            std::string_view line = m_lines[m_at];
            int column = 0;
            while (document.tabs && !line.empty() && line.front() == '\t') {
                line.remove_prefix(1);
                ++column;
            }
            if (line == document.name) {
                ++m_at;
                break;
            }
            body.append(std::string(line) + "\n", place(column));
        }
        return body;
    }

    const std::string& m_file;
    std::vector<std::string_view> m_lines;
    Place m_first;
    std::size_t m_at = 0;
    int m_mark = 0;  // bytes of the byte order mark
    DockerLines m_result;
};

}  // namespace

DockerLines read_docker_lines(const std::string& file, std::string_view text, Place first) {
    return LineReader(file, text, first).read();
}

Instruction behind_on_build(Instruction instruction) {
    read_keyword(instruction, instruction.rest);
    if (instruction.keyword == "FROM" || instruction.keyword == "ONBUILD") instruction.keyword.clear();
    return instruction;
}

std::vector<Range> docker_words(std::string_view text, Range range, char escape) {
    std::vector<Range> words;
    std::size_t i = range.begin;
    while (i < range.end) {
        if (text[i] == ' ' || text[i] == '\t') {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        char quote = 0;
        for (; i < range.end && (quote || (text[i] != ' ' && text[i] != '\t')); ++i) {
            if (text[i] == escape && quote != '\'')
                ++i;
            else if (quote && text[i] == quote)
                quote = 0;
            else if (!quote && (text[i] == '"' || text[i] == '\''))
                quote = text[i];
        }
        words.push_back({begin, std::min(i, range.end)});
    }
    return words;
}

std::vector<Written> json_words(const PlacedText& text, std::size_t begin, bool& ok) {
    std::vector<Written> words;
    ok = false;
    const std::string_view rest = trimmed(std::string_view(text.text).substr(begin));
    if (rest.empty() || rest.front() != '[' || rest.back() != ']') return words;
    const auto list = parse_json(rest, "");
    if (!list || !list->is_array()) return words;
    std::size_t at = begin;
    for (const Json& item : list->items()) {
        if (!item.is_string()) return {};
        at = std::min(text.text.find('"', at), text.text.size());
        words.push_back(text.written(at + 1, item.as_string()));
        for (++at; at < text.text.size() && text.text[at] != '"'; ++at)
            if (text.text[at] == '\\') ++at;
        ++at;
    }
    ok = true;
    return words;
}

}  // namespace ptxguard::recipes
