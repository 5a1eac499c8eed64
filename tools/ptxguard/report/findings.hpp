// What the formats for other programs share: which findings they list, and texts from outside in them. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace ptxguard {

// Without the suppressed ones, and those that follow from another.
std::vector<const Finding*> shown(const Report& report, const ReportOptions& options);
// After `mark`; empty where nothing follows from it.
std::string also(const char* mark, const Finding& cause, const Report& report);
// The same for the same finding in the next run: GitLab and SARIF viewers compare lists of findings by it.
std::string fingerprint(const Finding& finding);
// Whose steps replace the finding's own fixes, of which each repairs only its own finding; else null.
const Plan* plan_for(const Finding& finding, const Report& report);
// "because: ...", "fix: ..." or "plan: ...", "decide: ...": each a line.
std::vector<std::string> explanation(const Finding& finding, const Report& report);

// One line that is no command to any CI system.
std::string harmless(const std::string& text);
std::string replaced(const std::string& text, const std::vector<std::pair<char, const char*>>& pairs);
// For HTML and XML, in a text or between double quotes.
std::string escaped(const std::string& text);

}  // namespace ptxguard
