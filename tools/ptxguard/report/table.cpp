// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>

namespace ptxguard {

std::string table(const std::vector<Row>& rows, std::size_t indent) {
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

std::string section(const char* title, const std::vector<Row>& rows) {
    return rows.empty() ? "" : std::string(title) + "\n" + table(rows) + "\n";
}

}  // namespace ptxguard
