// `per-file-ignores`: suppressions for the files that a pattern names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/finding.hpp"

namespace ptxguard {

struct FileSuppression {
    std::string pattern, code, reason;
};
// "tests/:CC603=why"; nothing where a part is missing.
std::optional<FileSuppression> parse_file_suppression(const std::string& text);
// Patterns count from the folder of the configuration file that `origin` names, else from the working folder.
Suppression suppression_of(const FileSuppression& given, const Origin& origin);

}  // namespace ptxguard
