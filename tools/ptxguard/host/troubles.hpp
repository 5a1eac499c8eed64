// The error messages that all hosts share, so that a test on a fake machine sees the real ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/host.hpp"
#include "host/paths.hpp"
#include "model/result.hpp"

namespace ptxguard {

inline constexpr const char* k_foreign_is_not_run = "is not run: the tree under --root is only read";
inline constexpr const char* k_empty_command = "the command is empty";

inline constexpr int k_most_links = 40;  // on the way to one file; Linux's own limit

// Why something of this type is not the readable file or folder that was requested.
inline const char* cause_of(FileType type) {
    switch (type) {
        case FileType::link_loop: return "Too many levels of symbolic links";
        case FileType::unreadable: return "Permission denied";
        case FileType::directory: return "Is a directory";
        case FileType::regular: return "Not a directory";
        default: return "No such file or directory";
    }
}

inline Trouble cannot_be_read(const std::string& path, const std::string& cause) {
    return {path, "cannot be read", cause};
}
inline Trouble cannot_be_listed(const std::string& path, const std::string& cause) {
    return {path, "cannot be listed", cause};
}
inline Trouble cannot_be_resolved(const std::string& path, const std::string& cause) {
    return {path, "cannot be resolved", cause};
}
inline Trouble too_large(const std::string& path, std::size_t limit) {
    return {path, "is larger than " + std::to_string(limit) + " bytes", "", std::to_string(limit) + " bytes"};
}

// What Windows starts as a program, by the end of its name.
inline bool is_windows_program(std::string_view path) {
    const std::string name = lower(path);
    return ends_with(name, ".exe") || ends_with(name, ".com") || ends_with(name, ".bat") ||
           ends_with(name, ".cmd");
}

}  // namespace ptxguard
