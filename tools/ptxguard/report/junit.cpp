// JUnit's XML, which CI systems show as tests: each area of the check list is a test, and so is each finding.
// Errors fail, areas that were not checked are skipped.
// SPDX-License-Identifier: Apache-2.0

#include "model/ranges.hpp"
#include "report/findings.hpp"

namespace ptxguard {
namespace {

std::string attribute(const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

struct Suite {
    const Report& report;
    int tests = 0, failures = 0, skipped = 0;
    std::string text = {};

    void add(const std::string& area, const std::string& name, const std::string& inside) {
        const std::string group = "ptxguard." + report.command + (area.empty() ? "" : "." + area);
        ++tests;
        text += "    <testcase" + attribute("classname", group) + attribute("name", name) + " time=\"0\"";
        text += inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n";
    }

    void add(const std::string& area, const Finding& finding) {
        const Location at = place_of(finding, report);
        std::string lines = escaped(at.file + ":" + std::to_string(at.line)) + "\n";
        for (const std::string& line : explanation(finding, report)) lines += escaped(line) + "\n";
        lines += escaped(also("also: ", finding, report));
        const std::string message = attribute("message", finding.message);
        std::string inside = "<system-out>" + escaped(finding.message) + "\n" + lines + "</system-out>";
        if (finding.level == Level::error) {
            ++failures;
            inside = "<failure" + message + attribute("type", finding.code) + ">" + lines + "</failure>";
        } else if (finding.level == Level::unknown) {
            ++skipped;
            inside = "<skipped" + message + ">" + lines + "</skipped>";
        }
        add(area, finding.code + " " + finding.name + ": " + finding.subject, inside);
    }

    void add(const CheckedArea& area) {
        if (area.state == AreaState::not_checked) ++skipped;
        add("", area.area,
            area.state == AreaState::not_checked
                ? "<skipped" + attribute("message", "not checked: " + area.text) + "/>"
                : "<system-out>" + escaped(area.text) + "</system-out>");
    }
};

const CheckedArea* area_of(const Report& report, const std::string& code) {
    return first_where(report.judgement.checklist,
                       [&](const CheckedArea& area) { return contains(area.codes, code); });
}

}  // namespace

std::string junit_report(const Report& report, const ReportOptions& options) {
    Suite suite{report};
    const std::vector<const Finding*> findings = shown(report, options);
    for (const CheckedArea& area : report.judgement.checklist) {
        const bool has_finding =
            any_of(findings, [&](const Finding* finding) { return area_of(report, finding->code) == &area; });
        if (!has_finding) suite.add(area);
    }
    for (const Finding* finding : findings) {
        const CheckedArea* area = area_of(report, finding->code);
        suite.add(area ? area->area : "", *finding);
    }
    if (suite.tests == 0) suite.add("", "verdict: " + verdict_text(report.judgement), "");
    const std::string counts = attribute("tests", std::to_string(suite.tests)) +
                               attribute("failures", std::to_string(suite.failures)) + " errors=\"0\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n  <testsuite" +
           attribute("name", "ptxguard " + report.command) + counts +
           attribute("skipped", std::to_string(suite.skipped)) + " time=\"0\">\n" + suite.text +
           "  </testsuite>\n</testsuites>\n";
}

}  // namespace ptxguard
