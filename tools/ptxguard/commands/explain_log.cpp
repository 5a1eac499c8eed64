// SPDX-License-Identifier: Apache-2.0
#include "commands/explain_log.hpp"

#include <set>
#include <string>

#include "commands/error_pages.hpp"
#include "commands/here.hpp"
#include "commands/locating.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/scenario_of_log.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

Verdict verdict_of(const Judgement& judgement, const JudgeOptions& options, const FoundMessages& found) {
    const auto fails = [&](const Finding& finding) {
        return !finding.suppressed && options.fails(finding.level);
    };
    if (any_of(judgement.findings, fails)) return Verdict::fail;
    if (judgement.counts.unknown > 0) return Verdict::unknown;
    return found.messages.empty() ? Verdict::not_checked : Verdict::pass;
}

// As CI systems name it: below the working folder, with "/".
std::string file_of_log(const std::string& log) {
    const auto real = real_host()->real_path(log);  // Windows: "/x.log" is in some drive
    std::string file = from_here(log);
    if (file == log && real) file = from_here(*real);
    if (real && file == *real) file = log;  // outside
    return real_host()->system() == System::windows ? replace_all(file, "\\", "/") : file;
}

// CI systems show lines of files of the project only; of another log they show the project's own file.
bool is_in_project(const std::string& log) {
    const std::string file = file_of_log(log);
    const bool is_outside =
        file.empty() || file[0] == '/' || file.find(':') != npos || starts_with(file, "..");
    return !is_outside && real_host()->status(file).type == FileType::regular;
}

// The page about the error text, for the first cause.
void add_page(Explanation& explanation) {
    if (explanation.diagnoses.empty()) return;
    LogDiagnosis& first = explanation.diagnoses.front();
    const ErrorPage* page = nullptr;
    for (const MatchedLine& line : first.matched)
        if (!page) page = page_about(line.text);
    if (!page) return;
    first.page = page->name;
    if (!explanation.other_first) first.about = page->answer;
}

// As files of the project in which the log is.
void name_in_project(std::vector<Finding>& findings) {
    for (Finding& finding : findings)
        if (finding.location) finding.location->file = file_of_log(finding.location->file);
}

}  // namespace

Report explained(const std::string& command, const std::string& log, const FoundMessages& found,
                 const Run& run, const Settings& settings) {
    const JudgeOptions options = judge_options(settings, run.suppressions);
    Report report;
    report.command = command;
    const bool in_project = is_in_project(log);
    Settings of_project = settings;
    if (command == "explain") of_project.arguments.clear();  // the log
    report.root = root_file(of_project, *real_host());
    report.scenarios.push_back(scenario_of_log(log, found, run.facts));
    const Judgement judged = judge(report.scenarios, run.facts, {});
    Diagnosed diagnosed = diagnose(log, found, run.facts, judged.findings);
    for (const Trouble& limit : found.limits)
        diagnosed.explanation.notes.push_back(limit.subject + " " + limit.what);
    if (settings.has("here") && !diagnosed.explanation.diagnoses.empty()) {
        run.progress->say("checking this machine");
        const Scenario& of_log = report.scenarios.front();
        std::vector<Scenario> here =
            look_here(run, settings_for_log(settings, of_log, diagnosed.explanation));
        for (Scenario& one : here) add_from_log(of_log, one);
        join_here(of_log, here, judge(here, run.facts, {}).findings, run.facts, diagnosed);
    }
    report.judgement.rule_failed = judged.rule_failed;
    report.judgement.findings = std::move(diagnosed.findings);
    const std::set<std::string> always = codes_where(&RuleHead::always_selected);
    for (const Finding& finding : judged.findings)
        if (always.count(finding.code) > 0) report.judgement.findings.push_back(finding);
    for (Finding& finding : report.judgement.findings)
        if (const Rule* rule = find_rule(finding.code)) finding.name = rule->name;
    add_page(diagnosed.explanation);
    for (const Suppression& one : options.suppressions) silence(one, report.judgement.findings);
    for (LogDiagnosis& diagnosis : diagnosed.explanation.diagnoses)
        if (const auto& reason = report.judgement.findings[diagnosis.finding].suppressed)
            diagnosis.cause += " (ignored: " + *reason + ")";
    report.judgement.counts = counts_of(report.judgement.findings);
    report.judgement.verdict = verdict_of(report.judgement, options, found);
    report.explanation = std::move(diagnosed.explanation);
    report.explanation->in_project = in_project;
    if (in_project) name_in_project(report.judgement.findings);
    return report;
}

}  // namespace ptxguard
