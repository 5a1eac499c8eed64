// What grep, sed and cat write or change: `grep -v torch requirements.txt`, `sed -i /torch/d
// requirements.txt`. A line that they leave out is empty, so that the others keep their places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/shell/shell_expand.hpp"

namespace ptxguard::recipes {

// What the command writes. `piped`: what it reads if it names no file; null = not known. Nothing: another
// program, or what it writes is not known.
std::optional<FileText> filtered_text(const std::vector<Written>& words, const FileText* piped,
                                      const OutputSource& source);

// The same where nothing refers to places in the text: `$(echo "$LIST" | sed ...)`. Only what it writes.
std::optional<std::string> filtered_lines(const std::vector<Written>& words, const std::string& piped);

// sed -i: the files that it changes, with their new texts, which may not be known. Only files that are read
// later: requirements, scripts, what CMake, make and Python execute.
std::vector<std::pair<Written, FileText>> edited_texts(const std::vector<Written>& words,
                                                       const OutputSource& source);

}  // namespace ptxguard::recipes
