// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <utility>

#include "model/text.hpp"
#include "model/visible.hpp"

namespace ptxguard {

std::string line(const std::string& text) { return visible(text) + "\n"; }

std::string table(std::vector<Row> rows, std::size_t indent) {
    for (Row& row : rows)
        for (std::string& cell : row) cell = visible(cell);
    std::vector<std::size_t> widths;
    for (const Row& row : rows)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            if (widths.size() <= i) widths.push_back(0);
            widths[i] = std::max(widths[i], row[i].size());
        }
    std::string text;
    for (const Row& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 3, ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

namespace {

// Columns on a terminal: a UTF-8 sequence is one, a colour none.
std::size_t columns_of(const std::string& text) {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b')
            i = std::min(text.find('m', i), text.size());
        else
            columns += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    }
    return columns;
}

std::size_t last_column(const std::string& line) {
    const std::size_t gap = line.rfind("   ");
    const std::size_t begin = line.find_first_not_of(' ');
    return gap == std::string::npos || gap < begin ? begin : gap + 3;
}

}  // namespace

std::string folded_line(const std::string& line, std::size_t hang, std::size_t width) {
    if (width == 0 || columns_of(line) <= width) return line;
    std::string text, rest = line;
    std::size_t from = rest.find_first_not_of(' ');  // no break within the indent
    while (columns_of(rest) > width) {
        std::size_t cut = std::string::npos;
        for (std::size_t at = rest.find(' ', from); at != std::string::npos; at = rest.find(' ', at + 1)) {
            if (cut != std::string::npos && columns_of(rest.substr(0, at)) > width) break;
            cut = at;
        }
        if (cut == std::string::npos) break;
        const std::size_t next = rest.find_first_not_of(' ', cut);
        if (next == std::string::npos) break;
        text += rest.substr(0, rest.find_last_not_of(' ', cut) + 1) + "\n";
        rest = std::string(hang, ' ') + rest.substr(next);
        from = hang;
    }
    return text + rest;
}

std::string folded(const std::string& text, std::size_t width) {
    if (width == 0) return text;
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()),
                          last = last_column(line);
        result += folded_line(line, last + 24 > width ? indent + 4 : last, width);
        if (end < text.size()) result += '\n';
        begin = end + 1;
    }
    return result;
}

std::string section(const char* title, std::vector<Row> rows) {
    return rows.empty() ? "" : std::string(title) + "\n" + table(std::move(rows)) + "\n";
}

std::string first_paragraph(const std::string& page) {
    const std::size_t begin = page.find('\n', page.find("## ")), end = page.find("\n\n", begin);
    if (begin == npos) return "";
    std::string text = page.substr(begin + 1, end == npos ? end : end - begin - 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string first_sentence(const std::string& page) {
    std::string text = first_paragraph(page);
    text.erase(std::min({text.find(". "), text.find(": |"), text.find(": - "), text.size()}));
    while (!text.empty() && (text.back() == '.' || text.back() == ':')) text.pop_back();
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    return text;
}

}  // namespace ptxguard
