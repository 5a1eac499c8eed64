// The table of report formats.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

namespace ptxguard {

const std::vector<ReportFormat>& report_formats() {
    static const std::vector<ReportFormat> formats = {
        {"text", "for people", false, text_report},
        {"json", "for machines: schema ptxguard/report-1", true, json_report},
        {"github", "annotations of a GitHub job", true, github_report},
        {"gitlab", "code quality list of GitLab", true, gitlab_report},
        {"markdown", "job summary or comment", true, markdown_report},
    };
    return formats;
}

}  // namespace ptxguard
