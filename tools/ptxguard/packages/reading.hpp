// Reads small text files with a size limit; why a path is no file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/questions.hpp"

namespace ptxguard {

constexpr std::size_t k_text_limit = 1u << 20;

// Regular files only, at most `limit` bytes, and text.
Result<std::string> read_text(const Host& host, const std::string& path, std::size_t limit = k_text_limit);
// "is a folder", "is a dangling symlink" ..., for a path that should be a file.
std::string why_no_file(FileType type);

}  // namespace ptxguard
