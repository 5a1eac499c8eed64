// A version.py may be a folder, a device or a gigabyte of noise; these are rejected before parsing.
// SPDX-License-Identifier: Apache-2.0
#include "packages/reading.hpp"

#include "formats/text_lines.hpp"

namespace ptxguard {

std::string why_no_file(FileType type) {
    switch (type) {
        case FileType::missing: return "does not exist";
        case FileType::directory: return "is a folder, not a file";
        case FileType::other: return "is not a regular file";
        case FileType::dangling_link: return "is a dangling symlink";
        case FileType::link_loop: return "is a symlink loop";
        case FileType::unreadable: return "cannot be read";
        case FileType::regular: break;
    }
    return "";
}

Result<std::string> read_text(const Host& host, const std::string& path, std::size_t limit) {
    const FileStatus status = host.status(path);
    if (status.type != FileType::regular) return Trouble{path, why_no_file(status.type), ""};
    auto text = host.read(path, limit);
    if (!text) return text;
    const std::string why = why_not_text(*text);
    if (!why.empty()) return Trouble{path, why, ""};
    return text;
}

}  // namespace ptxguard
