// `per-file-ignores`: suppressions for the files that match a pattern.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/finding.hpp"

namespace ptxguard {

struct FileSuppression {
    std::string pattern, code, reason;
};
// "tests/:CC603=why"; nothing if a component is missing.
std::optional<FileSuppression> parse_file_suppression(const std::string& text);
// The files that patterns as in .gitignore name. They are relative to the folder of the configuration file in
// `origin`, else to the working folder.
std::function<bool(const std::string& file, bool is_folder)> files_named(
    const std::vector<std::string>& patterns, const Origin& origin);
// Patterns are relative to the folder of the configuration file in `origin`, else to the working folder.
Suppression suppression_of(const FileSuppression& given, const Origin& origin);

}  // namespace ptxguard
