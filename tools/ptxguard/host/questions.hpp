// Queries to a Host, for several rooms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path);  // a regular one, through links
bool is_folder(const Host& host, const std::string& path);
// The path after all links; the same path if that is not known.
std::string real_or_same(const Host& host, const std::string& path);

// What a folder contains; nothing if it cannot be listed.
Entries entries_in(const Host& host, const std::string& folder);
Result<std::vector<std::string>> names_of(const Result<Entries>& entries);

// The working folder; for a tree checked from outside the one given by --env: PWD, on Windows CD. Empty = not
// known.
std::string current_folder(const Host& host);

// PATH in its order. Empty entries (the current folder on Linux) are left out.
struct PathFolder {
    std::string folder;  // as written; may be relative
    int position = 0;    // among all entries, from 1
};
std::vector<PathFolder> path_folders(const Host& host);
struct PathProgram {
    std::string path;
    PathFolder at;
};
// The executable programs of these names, folder by folder; ".exe" may be omitted.
std::vector<PathProgram> programs_on_path(const Host& host, const std::vector<std::string>& names);
std::string program_on_path(const Host& host, const std::string& name);  // "" = none

// '*', '?' and "[0-9]" as in Python's glob.
bool matches_pattern(std::string_view name, std::string_view pattern);
// The existing paths for a pattern with '*' in its last component, sorted by name and without hidden names;
// for a path without '*' the file itself.
std::vector<std::string> paths_matching(const Host& host, const std::string& path);

}  // namespace ptxguard
