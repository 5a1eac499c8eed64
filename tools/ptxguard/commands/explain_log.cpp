// SPDX-License-Identifier: Apache-2.0
#include "commands/explain_log.hpp"

#include <algorithm>

#include "diagnose/diagnose.hpp"
#include "diagnose/scenario_of_log.hpp"

namespace ptxguard {
namespace {

Verdict verdict_of(const Judgement& judgement, const JudgeOptions& options, const FoundMessages& found) {
    const auto fails = [&](const Finding& finding) {
        return !finding.suppressed && finding.level >= options.fail_on;
    };
    const bool any = std::any_of(judgement.findings.begin(), judgement.findings.end(), fails);
    if (any && !options.fail_never) return Verdict::fail;
    if (judgement.counts.unknown > 0) return Verdict::unknown;
    return found.messages.empty() ? Verdict::not_checked : Verdict::pass;
}

// The codes of what explains an open cause.
bool may_explain(const std::string& open, const std::string& code) {
    static const std::pair<const char*, std::vector<std::string>> causes[] = {
        {"CC407", {"CC402", "CC403", "CC404", "CC204", "CC208", "CC607", "CC110"}},
        {"CC302", {"CC301", "CC303", "CC304", "CC305", "CC306", "CC208", "CC403"}},
        {"CC604", {"CC208", "CC209", "CC210", "CC607"}},
        {"CC204", {"CC607"}},
        {"CC106", {"CC101", "CC112", "CC105"}},
        {"CC109", {"CC101", "CC102", "CC110"}},
        {"CC203", {"CC103", "CC104"}},
        {"CC201", {"CC103", "CC104"}},
    };
    for (const auto& [from, to] : causes)
        if (open == from) return std::find(to.begin(), to.end(), code) != to.end();
    return false;
}

// What is wrong with this machine, beside the cause in the log that it explains.
void join(const std::vector<Finding>& here, Diagnosed& diagnosed) {
    for (LogDiagnosis& diagnosis : diagnosed.explanation.diagnoses)
        for (const Finding& finding : here) {
            if (finding.suppressed || finding.level < Level::warning || finding.caused_by) continue;
            if (finding.code != diagnosis.code && !may_explain(diagnosis.code, finding.code)) continue;
            if (!diagnosis.here.empty()) continue;
            diagnosis.here =
                finding.message + (finding.code == diagnosis.code ? "" : " (" + finding.code + ")");
            if (!finding.fix.empty()) diagnosis.fix = finding.fix;
            Finding& own = diagnosed.findings[diagnosis.finding];
            own.because = "here: " + diagnosis.here;
            own.fix = diagnosis.fix;
            if (diagnosis.confidence != Confidence::possible) continue;
            diagnosis.confidence = Confidence::likely;
            own.level = Level::error;
        }
    auto& all = diagnosed.explanation.diagnoses;
    std::stable_sort(all.begin(), all.end(), [](const LogDiagnosis& a, const LogDiagnosis& b) {
        return std::make_pair(a.confidence, !a.here.empty()) > std::make_pair(b.confidence, !b.here.empty());
    });
    for (std::size_t i = 0; i < all.size(); ++i) all[i].rank = static_cast<int>(i) + 1;
    if (!all.empty() && !all.front().here.empty()) diagnosed.explanation.other_first = false;
}

}  // namespace

Report explained(const std::string& command, const std::string& log, const FoundMessages& found,
                 const Run& run, const Settings& settings) {
    const JudgeOptions options = judge_options(settings, run.suppressions);
    Report report;
    report.command = command;
    report.scenarios.push_back(scenario_of_log(log, found, run.facts));
    const Judgement judged = judge(report.scenarios, run.facts, {});
    Diagnosed diagnosed = diagnose(log, found, run.facts, judged.findings);
    if (settings.has("here") && !diagnosed.explanation.diagnoses.empty()) {
        run.progress->say("checking this machine");
        join(judge(look_here(run, settings), run.facts, {}).findings, diagnosed);
    }
    report.judgement.rule_failed = judged.rule_failed;
    report.judgement.findings = std::move(diagnosed.findings);
    for (const Finding& finding : judged.findings)
        if (finding.code == "CC001" || finding.code == "CC002") report.judgement.findings.push_back(finding);
    for (Finding& finding : report.judgement.findings)
        if (const Rule* rule = find_rule(finding.code)) finding.name = rule->name;
    for (const Suppression& one : options.suppressions) silence(one, report.judgement.findings);
    for (LogDiagnosis& diagnosis : diagnosed.explanation.diagnoses)
        if (const auto& reason = report.judgement.findings[diagnosis.finding].suppressed)
            diagnosis.cause += " (ignored: " + *reason + ")";
    report.judgement.counts = counts_of(report.judgement.findings);
    report.judgement.verdict = verdict_of(report.judgement, options, found);
    report.explanation = std::move(diagnosed.explanation);
    return report;
}

}  // namespace ptxguard
