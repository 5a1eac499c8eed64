// The findings in the notations of CI systems: annotations of GitHub, GitLab's code quality list, and
// markdown for a job summary or a comment. Texts from outside are made visible first, then quoted for the
// notation.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "model/text.hpp"
#include "model/visible.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

// One line that is no command to any CI system.
std::string harmless(const std::string& text) { return visible_lines(visible(text), false); }

std::string replaced(const std::string& text, const std::vector<std::pair<char, const char*>>& pairs) {
    std::string result;
    for (const char c : text) {
        const char* by = nullptr;
        for (const auto& pair : pairs)
            if (c == pair.first) by = pair.second;
        if (by)
            result += by;
        else
            result += c;
    }
    return result;
}

std::string github_data(const std::string& text) { return replaced(harmless(text), {{'%', "%25"}}); }
std::string github_property(const std::string& text) {
    return replaced(harmless(text), {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}});
}
std::string html(const std::string& text) {
    return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}
// Letters that mean something to a markdown renderer, in a table's cell too; '@' would notify people.
std::string markdown(const std::string& text) {
    return replaced(html(harmless(text)), {{'|', "&#124;"},
                                           {'`', "&#96;"},
                                           {'*', "&#42;"},
                                           {'_', "&#95;"},
                                           {'[', "&#91;"},
                                           {']', "&#93;"},
                                           {'\\', "&#92;"},
                                           {'@', "&#64;"},
                                           {'~', "&#126;"},
                                           {'#', "&#35;"},
                                           {'!', "&#33;"},
                                           {'$', "&#36;"}});
}

std::vector<const Finding*> shown(const Report& report, const ReportOptions& options) {
    std::vector<const Finding*> all;
    for (const Finding& finding : report.judgement.findings)
        if (!finding.suppressed && !finding.caused_by &&
            (!options.quiet || finding.level >= Level::warning || finding.required))
            all.push_back(&finding);
    return all;
}

// After `mark`; empty where nothing follows from it.
std::string also(const char* mark, const Finding& cause, const Report& report) {
    const std::string names = consequences_of(cause, report.judgement.findings);
    return names.empty() ? "" : mark + names;
}

const char* github_level(Level level) {
    return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

const char* gitlab_severity(Level level) {
    switch (level) {
        case Level::error:
            return "critical";
        case Level::warning:
            return "major";
        case Level::unknown:
            return "minor";
        case Level::note:
            break;
    }
    return "info";
}

// The same for the same finding in the next run: GitLab compares the lists of two branches by it.
std::string fingerprint(const Finding& finding) {
    const std::string file = finding.location ? finding.location->file : "";
    return fnv1a(finding.code + '\n' + finding.subject + '\n' + finding.scenario + '\n' + file);
}

}  // namespace

std::string github_report(const Report& report, const ReportOptions& options) {
    std::string text;
    for (const Finding* finding : shown(report, options)) {
        text += std::string("::") + github_level(finding->level) + " ";
        if (finding->location) {
            text += "file=" + github_property(finding->location->file) + ",";
            if (finding->location->line) text += "line=" + std::to_string(finding->location->line) + ",";
            if (finding->location->column) text += "col=" + std::to_string(finding->location->column) + ",";
        }
        text += "title=" + github_property(finding->code + " " + finding->name) +
                "::" + github_data(finding->message);
        if (!finding->because.empty()) text += "%0Abecause: " + github_data(finding->because);
        for (const Fix& fix : finding->fix) text += "%0Afix: " + github_data(fix.text);
        for (const std::string& decide : finding->decide) text += "%0Adecide: " + github_data(decide);
        text += also("%0Aalso: ", *finding, report);
        text += "\n";
    }
    return text + "verdict: " + verdict_text(report.judgement) + "\n";
}

std::string gitlab_report(const Report& report, const ReportOptions& options) {
    Json list = Json::array();
    for (const Finding* finding : shown(report, options)) {
        const Location at = finding->location.value_or(Location{".", 1, 0});
        list.push(
            Json::object()
                .set("description",
                     finding->code + ": " + visible(finding->message) + also("; also ", *finding, report))
                .set("check_name", finding->name)
                .set("fingerprint", fingerprint(*finding))
                .set("severity", gitlab_severity(finding->level))
                .set("location", Json::object()
                                     .set("path", at.file)
                                     .set("lines", Json::object().set("begin", at.line ? at.line : 1))));
    }
    return to_text(list) + "\n";
}

std::string markdown_report(const Report& report, const ReportOptions& options) {
    std::string text = "### ptxguard " + report.command + ": " + verdict_text(report.judgement) + "\n\n";
    const auto findings = shown(report, options);
    if (!findings.empty()) text += "| level | rule | finding | fix |\n|---|---|---|---|\n";
    for (const Finding* finding : findings) {
        std::string fixes;
        for (const Fix& fix : finding->fix)
            fixes += (fixes.empty() ? "<code>" : "<br>or <code>") + markdown(fix.text) + "</code>";
        for (const std::string& decide : finding->decide)
            fixes += (fixes.empty() ? "" : "<br>") + markdown(decide);
        text += std::string("| ") + to_string(finding->level) + " | " + finding->code + " | " +
                markdown(finding->message + also("; also ", *finding, report)) + " | " + fixes + " |\n";
    }
    ReportOptions plain = options;
    plain.color = false;
    return text + "\n<details><summary>Report</summary>\n\n<pre>" + html(text_report(report, plain)) +
           "</pre>\n</details>\n";
}

}  // namespace ptxguard
