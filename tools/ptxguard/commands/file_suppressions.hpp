// `per-file-ignores`: suppressions for the files that match a pattern.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/finding.hpp"

namespace ptxguard {

struct FileSuppression {
    std::string pattern, code, reason;
};
// "tests/:CC603=why"; nothing if a component is missing.
std::optional<FileSuppression> parse_file_suppression(const std::string& text);
// Patterns are relative to the folder of the configuration file in `origin`, else to the working folder.
Suppression suppression_of(const FileSuppression& given, const Origin& origin);

}  // namespace ptxguard
