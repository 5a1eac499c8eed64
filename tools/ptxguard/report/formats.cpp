// The table of report formats.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

namespace ptxguard {

const std::vector<ReportFormat>& report_formats() {
    static const std::vector<ReportFormat> formats = {
        {"text", "for people", false, text_report},
        {"oneline", "FILE:LINE: level: message [CODE]", true, oneline_report},
        {"json", "for machines: schema ptxguard/report-1", true, json_report},
        {"sarif", "SARIF 2.1.0 for code scanning; findings leave the exit code at 0", true, sarif_report,
         true},
        {"junit", "JUnit XML: areas and findings as tests", true, junit_report},
        {"github", "annotations of a GitHub job", true, github_report},
        {"gitlab", "code quality list of GitLab", true, gitlab_report},
        {"markdown", "job summary or comment", true, markdown_report},
        {"html", "one page for a browser or printer", true, html_report},
    };
    return formats;
}

}  // namespace ptxguard
