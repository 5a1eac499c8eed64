// Cells in columns. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

using Row = std::vector<std::string>;

// Text from outside as one line, with its end: every line of a report that holds such text, and is no row of
// a table, is made here.
std::string line(const std::string& text);
// Columns as wide as their widest cell, the last one free; each line starts with `indent` blanks.
std::string table(std::vector<Row> rows, std::size_t indent = 2);
std::string section(const char* title, std::vector<Row> rows);  // "" without rows

// Each line of `text` that is longer than `width` columns broken at blanks, the rest below its last column (or
// four blanks further in, where that leaves no room). A word that does not fit stays whole. Width 0: as it is.
std::string folded(const std::string& text, std::size_t width);
// One line that hangs `hang` blanks in.
std::string folded_line(const std::string& line, std::size_t hang, std::size_t width);

// A path without "a/..", if it or its real path shows what it is without them.
std::string shown_path(const std::string& path, const std::string& real);

}  // namespace ptxguard
