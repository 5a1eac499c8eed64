// Path texts of either system, without accessing a disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/system.hpp"
#include "model/text.hpp"

namespace ptxguard {

// '/' on both systems; on Windows '\' is read as a separator too and results use '/'. The three functions
// without a `system` treat a path as a Windows one if it starts with a drive or "\\"; otherwise '\' is part
// of a name.
std::string join_path(std::string_view a, std::string_view b);  // an absolute b wins
std::string parent_path(std::string_view path);                 // "" for a bare name, "/" for "/x"
std::string file_name(std::string_view path);
bool is_absolute(std::string_view path, System system);  // "C:\x", "\\server\share", "/x"
std::string normal_path(std::string_view path,
                        System system);  // no ".", "..", doubled or trailing separators
// PATH-like lists: ':' or ';'. Empty entries are kept ("" = current folder on Linux); an empty list has none.
// Quotes in Windows entries protect ';' and are removed.
std::vector<std::string> split_list(std::string_view list, System system);
std::string executable_name(std::string_view stem, System system);  // "nvcc" or "nvcc.exe"
bool is_shared_library(std::string_view file_name);  // of Linux: "libx.so", "_C.abi3.so", "libx.so.2"

}  // namespace ptxguard
