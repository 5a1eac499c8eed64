// Cells in columns. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, the last one free; each line starts with `indent` blanks.
std::string table(const std::vector<Row>& rows, std::size_t indent = 2);
std::string section(const char* title, const std::vector<Row>& rows);  // "" without rows

// A path without "a/..", where it or its real path tells what it is without them.
std::string shown_path(const std::string& path, const std::string& real);

}  // namespace ptxguard
