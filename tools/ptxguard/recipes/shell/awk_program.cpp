// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/awk_program.hpp"

#include <cstdlib>

#include "model/text.hpp"

namespace ptxguard::recipes {

std::optional<AwkProgram> AwkProgram::read(const std::vector<Written>& words) {
    AwkProgram awk;
    std::string program;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "-F" && i + 1 < words.size())
            awk.m_by = words[++i].text;
        else if (starts_with(word, "-F"))
            awk.m_by = word.substr(2);
        else if (program.empty() && !starts_with(word, "-"))
            program = word;
        else
            return std::nullopt;
    }
    if (awk.m_by == "\\t") awk.m_by = "\t";
    if (awk.m_by == " ") awk.m_by.clear();
    if (awk.m_by.size() > 1) {
        PatternForm form;
        form.extended = true;
        awk.m_separator = LinePattern::read(awk.m_by, form);
        if (!awk.m_separator) return std::nullopt;
    }
    std::string_view rest = trimmed(program);
    if (!awk.condition(rest) || !awk.action(rest)) return std::nullopt;
    return awk;
}

bool AwkProgram::condition(std::string_view& program) {
    if (starts_with(program, "/")) {
        const std::size_t end = program.find('/', 1);
        if (end == npos || program.substr(0, end).find('\\') != npos) return false;
        PatternForm form;
        form.extended = true;
        m_where = LinePattern::read(program.substr(1, end - 1), form);
        program = trimmed(program.substr(end + 1));
        return m_where.has_value();
    }
    if (!starts_with(program, "NR")) return true;
    const std::size_t brace = std::min(program.find('{'), program.size());
    std::string number;
    for (const char c : program.substr(2, brace - 2))
        if (c != ' ') number += c;
    program.remove_prefix(brace);
    if (!starts_with(number, "==") || number.size() > 5 || !all_digits(number.substr(2))) return false;
    m_line = static_cast<std::size_t>(std::atoi(number.c_str() + 2));
    return true;
}

bool AwkProgram::action(std::string_view program) {
    if (program.size() < 3 || program.front() != '{' || program.back() != '}') return false;
    program = trimmed(program.substr(1, program.size() - 2));
    while (ends_with(program, ";")) program = trimmed(program.substr(0, program.size() - 1));
    if (!starts_with(program, "print")) return false;
    m_formats = starts_with(program, "printf");
    program = trimmed(program.substr(m_formats ? 6 : 5));
    if (program.empty()) m_parts.push_back({"", 0});
    while (!program.empty())
        if (!part(program)) return false;
    return !m_formats || (!m_parts.empty() && m_parts[0].field == npos);
}

// "," is a blank of print.
bool AwkProgram::part(std::string_view& rest) {
    std::size_t used = 1;
    if (rest[0] == ',') {
        if (!m_formats) m_parts.push_back({" "});
    } else if (rest[0] == '"') {
        const std::size_t end = rest.find('"', 1);
        if (end == npos) return false;
        std::string text = replace_all(std::string(rest.substr(1, end - 1)), "\\n", "\n");
        if (text.find('\\') != npos) return false;
        m_parts.push_back({std::move(text)});
        used = end + 1;
    } else if (starts_with(rest, "$NF")) {
        m_parts.push_back({"", k_last});
        used = 3;
    } else if (rest[0] == '$' && rest.size() > 1 && is_digit(rest[1])) {
        while (used < rest.size() && is_digit(rest[used])) ++used;
        if (used > 4) return false;
        m_parts.push_back(
            {"", static_cast<std::size_t>(std::atoi(std::string(rest.substr(1, used - 1)).c_str()))});
    } else {
        return false;
    }
    rest = trimmed(rest.substr(used));
    return rest.empty() || !is_word_character(rest[0]);
}

std::optional<AwkProgram::Fields> AwkProgram::fields_of(const std::string& line) const {
    if (m_by.empty()) return split(line, " \t");
    if (!m_separator) return line.empty() ? Fields{} : split_fields(line, m_by[0]);
    Fields fields(1);
    for (std::size_t at = 0; at < line.size();) {
        const auto found = m_separator->find(line, at);
        if (!found.known || (found.begin != npos && found.end == found.begin)) return std::nullopt;
        fields.back() = line.substr(at, found.begin == npos ? npos : found.begin - at);
        at = found.begin == npos ? line.size() : found.end;
        if (found.begin != npos) fields.emplace_back();
    }
    return fields;
}

namespace {

// The first text, with each "%s" replaced by the next one.
std::optional<std::string> with_format(const std::vector<std::string>& texts) {
    std::string text = texts[0];
    for (std::size_t next = 1, at = text.find('%'); at != npos; at = text.find('%', at)) {
        if (text.compare(at, 2, "%s") != 0 || next == texts.size()) return std::nullopt;
        text.replace(at, 2, texts[next]);
        at += texts[next++].size();
    }
    return text;
}

}  // namespace

std::optional<std::string> AwkProgram::written(const std::vector<std::string>& lines) const {
    std::string all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (m_line != 0 && m_line != i + 1) continue;
        const auto found = m_where ? m_where->find(lines[i]) : LinePattern::Found{0, 0};
        const auto fields = fields_of(lines[i]);
        if (!found.known || !fields) return std::nullopt;
        if (found.begin == npos) continue;
        std::vector<std::string> texts;
        for (const Part& part : m_parts) {
            const std::size_t field = part.field == k_last ? fields->size() : part.field;
            texts.push_back(field == npos             ? part.text
                            : field == 0              ? lines[i]
                            : field <= fields->size() ? (*fields)[field - 1]
                                                      : "");
        }
        if (!m_formats) {
            all += joined(texts, "") + "\n";
            continue;
        }
        const auto text = with_format(texts);
        if (!text) return std::nullopt;
        all += *text;
    }
    return all;
}

}  // namespace ptxguard::recipes
