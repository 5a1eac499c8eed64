// Cells in columns. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

using Row = std::vector<std::string>;

// Text from outside as one line, including its line break: makes every line of a report that contains such
// text, except the rows of a table.
std::string line(const std::string& text);
// Columns as wide as their widest cell, the last one free; each line starts with `indent` blanks.
std::string table(std::vector<Row> rows, std::size_t indent = 2);
std::string section(const char* title, std::vector<Row> rows);  // "" without rows

// Breaks each line of `text` that is longer than `width` columns at blanks; continuation lines start below
// its last column (or with four more blanks if there is no room). A word that does not fit stays whole. Width
// 0: unchanged.
std::string folded(const std::string& text, std::size_t width);
// One line with `hang` blanks before continuation lines.
std::string folded_line(const std::string& line, std::size_t hang, std::size_t width);

// A path without "a/..", if it or its real path is clear without them.
std::string shown_path(const std::string& path, const std::string& real);

// Parts of a rule's page, which begins with a heading and what the rule checks.

// As one line; empty if the page has none.
std::string first_paragraph(const std::string& page);
// The same, without marks of code; what follows a colon at its end is a list or table.
std::string first_sentence(const std::string& page);

}  // namespace ptxguard
