// Shared by the formats for other programs: which findings they list, and escaped text from outside. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace ptxguard {

// Without suppressed ones, and those that follow from another.
std::vector<const Finding*> shown(const Report& report, const ReportOptions& options);
// After `mark`; empty if nothing follows from it.
std::string also(const char* mark, const Finding& cause, const Report& report);
// Finding::fingerprint of all findings: GitLab and SARIF viewers compare lists of findings by it.
std::map<const Finding*, std::string> fingerprints(const Report& report);
// Finding::url.
std::optional<std::string> url_of(const Finding& finding, const ReportOptions& options);
// A line in a file for every finding: code scanning, for example, refuses a file with one that has none.
Location place_of(const Finding& finding, const Report& report);
// "FILE:LINE:COLUMN: error: message [CODE]", and " [*]" if `lint --fix` repairs it.
std::string compiler_line(const Finding& finding, const std::string& after = "");
bool is_fixable(const Finding& finding);
const Edit* edit_of(const Finding& finding);  // null: none
// The plan whose steps replace the finding's own fixes, each of which only repairs this finding; else null.
const Plan* plan_for(const Finding& finding, const Report& report);
// "because: ...", "fix: ..." or "plan: ...", "decide: ...": one line each.
std::vector<std::string> explanation(const Finding& finding, const Report& report);

std::string replaced(const std::string& text, const std::vector<std::pair<char, const char*>>& pairs);
// Text from outside for HTML and XML, in a text or between double quotes: one line, or a part of the text
// report.
std::string escaped(const std::string& text);
std::string escaped_lines(const std::string& text);

}  // namespace ptxguard
