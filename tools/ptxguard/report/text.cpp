// The report as text: what was found, what is wrong, what could not be determined, and the verdict last.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/visible.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

std::string counted(int number, const char* one, const char* many) {
    return number == 0 ? "" : std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string word_of(Verdict verdict) {
    return verdict == Verdict::unknown       ? "undecided"
           : verdict == Verdict::not_checked ? "not checked"
                                             : to_string(verdict);
}

const char* color_of(Verdict verdict) {
    return verdict == Verdict::pass ? "\x1b[1;32m" : verdict == Verdict::fail ? "\x1b[1;31m" : "\x1b[1;35m";
}

// The check list has the unknowns; --verbose the rest. Of a note, a brief report has the headline.
bool is_shown(const Finding& finding, const ReportOptions& options) {
    const bool counts =
        finding.level >= Level::warning || (finding.required && !(options.brief && options.failed));
    return options.quiet ? counts && !finding.suppressed : counts || finding.suppressed || !options.brief;
}

std::string blocks(const std::vector<Finding>& findings, const ReportOptions& options) {
    std::string text, notes;
    for (const Finding& finding : findings) {
        if (finding.caused_by) continue;
        if (is_shown(finding, options))
            text += finding_block(finding, options, consequences_of(finding, findings)) + "\n";
        else if (options.brief && finding.level == Level::note)
            notes += finding_head(finding, options);
    }
    return text + notes + (notes.empty() ? "" : "\n");
}

// "libx.a(member.o)": shown if it has entries, otherwise only its archive is.
bool is_listed_separately(const BinaryFile& file, const Scenario& scenario) {
    const std::size_t open = file.path.find_last_of('(');
    if (open == std::string::npos || file.path.back() != ')' || !file.trouble.empty()) return true;
    const std::string whole = file.path.substr(0, open);
    return none_of(scenario.binaries, [&](const BinaryFile& other) {
        return other.format == FileFormat::archive && other.path == whole;
    });
}

std::string seen_text(const std::string& command, const Scenario& scenario, const ReportOptions& options) {
    std::string text;
    if (command == "check") return inventory_text(scenario, options);
    if (command == "plan") return text;
    for (const BinaryFile& file : scenario.binaries) {
        const bool entries = options.entries && file.format != FileFormat::archive;
        if (options.entries || is_listed_separately(file, scenario))
            text += binary_text(file, entries) + "\n";
    }
    for (const LoadTrace& trace : scenario.traces) text += trace_text(trace) + "\n";
    return text;
}

std::string why_a_build(const Project& project, const ReportOptions& options) {
    if (!project.built_by) return "";
    const int at = project.built_by.origin.line;
    return folded_line(visible(*project.built_by) + (at ? " (line " + std::to_string(at) + ")" : "") +
                           ", so the build is checked too",
                       2, options.width) +
           "\n";
}

// "fail (1 error), see --verbose"
std::string verdict_line(const Report& report, const ReportOptions& options) {
    const std::vector<Finding>& all = report.judgement.findings;
    const bool hides = options.brief && any_of(all, [&](const Finding& finding) {
                           const bool whole = is_shown(finding, options) && finding.level == Level::error;
                           return !finding.caused_by && !whole;
                       });
    std::string verdict = verdict_text(report.judgement);
    if (hides) verdict.insert(verdict.size() - (verdict.back() == ')'), ", see --verbose");
    const std::size_t end = std::min({verdict.find(" ("), verdict.find(','), verdict.size()});
    if (options.color) verdict = color_of(report.judgement.verdict) + verdict.insert(end, "\x1b[0m");
    return verdict;
}

// What was found, before the findings.
std::string facts_text(const Report& report, const ReportOptions& options) {
    std::string text;
    if (report.command == "check") {
        for (const Scenario& scenario : report.scenarios) text += why_a_build(scenario.project, options);
        text += check_list_text(report.judgement.checklist, options);
    }
    for (const Scenario& scenario : report.scenarios) {
        if (report.scenarios.size() > 1 && report.sets.empty()) text += line("== " + scenario.name) + "\n";
        text += folded(seen_text(report.command, scenario, options), options.width);
    }
    return text;
}

std::string whole_text(const Report& report, ReportOptions options) {
    if (report.explanation) return explanation_text(*report.explanation, options);
    std::string text;
    const bool of_pairs = report.sets.size() > 1;  // each pair has a complete line
    options.planned = shows_plan(report.judgement) && !of_pairs;
    options.failed = report.judgement.verdict == Verdict::fail;
    options.brief = report.command == "check" && !options.quiet && !options.verbose;
    if (!options.quiet && !options.configuration.empty())
        text = line("configuration: " + options.configuration) + "\n";
    if (report.command == "lint") return text + lint_text(report, options);
    if (!options.quiet) text += facts_text(report, options);
    if (!report.sets.empty()) text += sets_text(report.sets, options);
    if (report.matrix && !options.quiet) text += matrix_text(*report.matrix, options);
    // CMake has reported once what is not checked; a build does not repeat it after each link.
    const Counts& counts = report.judgement.counts;
    const bool has_problem = counts.error + counts.warning > 0 || report.judgement.verdict == Verdict::fail;
    if (options.only_findings && !has_problem) return "";
    const std::string findings = of_pairs ? "" : blocks(report.judgement.findings, options);
    if (options.only_findings && findings.empty()) return "";
    text += findings;
    if (options.planned) text += plan_text(report.judgement.plans, options);
    if (report.matrix && findings.empty()) return text;  // a table, not a verdict
    text += "verdict: " + verdict_line(report, options) + "\n";
    return report.why_exit.empty() ? text : text + "exit code 1: " + report.why_exit + "\n";
}

}  // namespace

std::string findings_text(const Report& report, ReportOptions options) {
    options.quiet = true;
    options.planned = shows_plan(report.judgement);
    std::string text = blocks(report.judgement.findings, options);
    if (options.planned) text += plan_text(report.judgement.plans, options);
    return visible_lines(text, false);
}

std::string counts_text(const Counts& counts, int following, int ignored) {
    std::string text;
    const std::string of = counts.error == 1 ? " from it" : " from them";
    for (const std::string& part :
         {counted(counts.error, "error", "errors"),
          counted(following, ("that follows" + of).c_str(), ("that follow" + of).c_str()),
          counted(counts.warning, "warning", "warnings"), counted(counts.note, "note", "notes"),
          counted(counts.unknown, "unknown", "unknown"), counted(ignored, "ignored", "ignored")})
        if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string verdict_text(const Judgement& judgement) {
    Counts causes = judgement.counts;
    int following = 0, ignored = 0;
    for (const Finding& finding : judgement.findings) {
        if (finding.suppressed) ++ignored;
        if (!finding.caused_by || finding.suppressed) continue;
        ++following;
        --(finding.level == Level::error ? causes.error : causes.warning);
    }
    const std::string counts = counts_text(causes, following, ignored);
    if (judgement.verdict == Verdict::pass) return "ok, " + (counts.empty() ? "no problems found" : counts);
    return word_of(judgement.verdict) + (counts.empty() ? "" : " (" + counts + ")");
}

// Each line was made visible when it was created (table.hpp); this removes whatever a renderer missed, such
// as a command to a CI system.
std::string text_report(const Report& report, const ReportOptions& options) {
    return visible_lines(whole_text(report, options), options.color);
}

}  // namespace ptxguard
