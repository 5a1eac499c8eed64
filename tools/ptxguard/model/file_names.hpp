// The parts of a path that a finding shows, in either system's spelling. For files on disk see host/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "model/text.hpp"

namespace ptxguard {

// Name without folders.
inline std::string file_of(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

// Empty for a name without folders.
inline std::string folder_of(const std::string& path) {
    const std::size_t end = path.find_last_of("/\\");
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

// Whether `path` is that folder or below it.
inline bool lies_in(std::string_view path, std::string_view folder) {
    return !folder.empty() && path.substr(0, folder.size()) == folder &&
           (path.size() == folder.size() || path[folder.size()] == '/' || path[folder.size()] == '\\');
}

// The same for all variants of one library: libaddon_torch24.so and libaddon_torch25.so.
inline std::string without_digits(std::string path) {
    const auto name = path.begin() + static_cast<std::ptrdiff_t>(folder_of(path).size());
    path.erase(std::remove_if(name, path.end(), is_digit), path.end());
    return path;
}

}  // namespace ptxguard
