// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <utility>

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

std::string section(const char* title, std::vector<Row> rows) {
    return rows.empty() ? "" : std::string(title) + "\n" + table(std::move(rows)) + "\n";
}

}  // namespace ptxguard
