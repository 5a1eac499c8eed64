// Questions to a Host that several rooms ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path);  // a regular one, through links
bool is_folder(const Host& host, const std::string& path);

// '*', '?' and "[0-9]" as in Python's glob.
bool matches_pattern(std::string_view name, std::string_view pattern);
// What is there of a path with '*' in its last part, sorted by name and without hidden names; of a path
// without one the file itself.
std::vector<std::string> paths_matching(const Host& host, const std::string& path);

}  // namespace ptxguard
