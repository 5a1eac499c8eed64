// The findings in the notations of CI systems: annotations of GitHub, GitLab's code quality list, one line
// each in compiler style, and markdown for a job summary or a comment. Text from outside is made visible
// first, then quoted for the notation.
// SPDX-License-Identifier: Apache-2.0
#include "model/visible.hpp"
#include "report/findings.hpp"
#include "report/sets.hpp"

namespace ptxguard {
namespace {

std::string github_data(const std::string& text) { return replaced(visible(text), {{'%', "%25"}}); }
std::string github_property(const std::string& text) {
    return replaced(visible(text), {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}});
}
// Readers of markdown decode "&#64;" before they look for names to notify and issues to link: only something
// between the mark and the name, here a comment, prevents that.
constexpr const char *k_at = "&#64;<!-- -->", *k_number = "&#35;<!-- -->", *k_bang = "&#33;<!-- -->";

// Characters with a meaning in markdown, also in table cells.
std::string markdown(const std::string& text) {
    return replaced(escaped(text), {{'|', "&#124;"},
                                    {'`', "&#96;"},
                                    {'*', "&#42;"},
                                    {'_', "&#95;"},
                                    {'[', "&#91;"},
                                    {']', "&#93;"},
                                    {'\\', "&#92;"},
                                    {'@', k_at},
                                    {'~', "&#126;"},
                                    {'#', k_number},
                                    {'!', k_bang},
                                    {'$', "&#36;"}});
}

const char* github_level(Level level) {
    return level == Level::error ? "error" : level == Level::warning ? "warning" : "notice";
}

const char* gitlab_severity(Level level) {
    switch (level) {
        case Level::error: return "critical";
        case Level::warning: return "major";
        case Level::unknown: return "minor";
        case Level::note: break;
    }
    return "info";
}

// The table of `plan`, and a row with the command for each machine.
std::string sets_markdown(const std::vector<PlannedSet>& sets) {
    std::string text;
    for (const SetGroup& group : groups_of(sets)) {
        for (const Row& row : grid_of(group)) {
            const bool head = text.empty() || text.back() != '\n' || row.front().empty();
            for (const std::string& cell : row) text += "| " + markdown(cell) + " ";
            text += "|\n";
            if (!head) continue;
            for (std::size_t i = 0; i < row.size(); ++i) text += "|---";
            text += "|\n";
        }
        text += "\n| machine | answer | command |\n|---|---|---|\n";
        for (const PlannedSet* set : group) {
            const std::string command = set->install.empty() ? "" : set->install.front().text;
            text += "| " + markdown(name_of(*set)) + " | " + markdown(answer_with_notes(*set)) + " | " +
                    (command.empty() ? ""
                                     : "<code>" + replaced(markdown(command), {{'\n', "</code><br><code>"}}) +
                                           "</code>") +
                    " |\n";
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string github_report(const Report& report, const ReportOptions& options) {
    std::string text;
    for (const Finding* finding : shown(report, options)) {
        text += std::string("::") + github_level(finding->level) + " ";
        const Location at = place_of(*finding, report);
        text += "file=" + github_property(at.file) + ",line=" + std::to_string(at.line) + ",";
        if (at.column) text += "col=" + std::to_string(at.column) + ",";
        text += "title=" + github_property(finding->code + " " + finding->name) +
                "::" + github_data(finding->message);
        for (const std::string& line : explanation(*finding, report)) text += "%0A" + github_data(line);
        text += also("%0Aalso: ", *finding, report);
        text += "\n";
    }
    return text + "verdict: " + verdict_text(report.judgement) + "\n";
}

std::string oneline_report(const Report& report, const ReportOptions& options) {
    std::string text;
    for (const Finding* finding : shown(report, options))
        text += compiler_line(*finding, also("; also ", *finding, report)) + "\n";
    return text;
}

std::string gitlab_report(const Report& report, const ReportOptions& options) {
    const auto marks = fingerprints(report);
    Json list = Json::array();
    for (const Finding* finding : shown(report, options)) {
        const Location at = place_of(*finding, report);
        Json place = Json::object().set("path", at.file).set("lines", Json::object().set("begin", at.line));
        if (at.column)
            place.set(
                "positions",
                Json::object().set("begin", Json::object().set("line", at.line).set("column", at.column)));
        list.push(Json::object()
                      .set("description", finding->code + ": " + visible(finding->message) +
                                              also("; also ", *finding, report))
                      .set("check_name", finding->name)
                      .set("fingerprint", marks.at(finding))
                      .set("severity", gitlab_severity(finding->level))
                      .set("location", place));
    }
    return to_text(list) + "\n";
}

std::string markdown_report(const Report& report, const ReportOptions& options) {
    std::string text = "### ptxguard " + report.command + ": " + verdict_text(report.judgement) + "\n\n";
    text += sets_markdown(report.sets);
    const auto findings = shown(report, options);
    if (!findings.empty()) text += "| level | rule | finding | fix |\n|---|---|---|---|\n";
    for (const Finding* finding : findings) {
        std::string fixes;
        const Plan* plan = plan_for(*finding, report);
        for (const Fix& fix : plan ? plan->steps : finding->fix)
            fixes += (fixes.empty() ? "<code>"
                      : plan        ? "<br>then <code>"
                                    : "<br>or <code>") +
                     markdown(fix.text) + "</code>";
        for (const std::string& decide : finding->decide)
            fixes += (fixes.empty() ? "" : "<br>") + markdown(decide);
        text += std::string("| ") + to_string(finding->level) + " | " + finding->code + " | " +
                markdown(finding->message + also("; also ", *finding, report)) + " | " + fixes + " |\n";
    }
    ReportOptions plain = options;
    plain.color = false;
    const std::string whole = escaped_lines(text_report(report, plain));
    return text + "\n<details><summary>Report</summary>\n\n<pre>" +
           replaced(whole, {{'@', k_at}, {'#', k_number}, {'!', k_bang}}) + "</pre>\n</details>\n";
}

}  // namespace ptxguard
