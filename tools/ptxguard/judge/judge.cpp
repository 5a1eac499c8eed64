// The loop over scenarios and rules, then order, counts and verdict of the findings. Contains no rule.
// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <tuple>

#include "judge/suppress.hpp"

namespace ptxguard {
namespace {

// An exception of one rule must not lose the findings of others.
Finding rule_could_not_run(const Rule& rule, const std::string& cause) {
    Finding finding;
    finding.code = "CC001";
    finding.name = "rule_could_not_run";
    finding.level = Level::unknown;
    finding.required = true;
    finding.subject = rule.code;
    finding.message = std::string("rule ") + rule.code + " (" + rule.name + ") could not run: " + cause;
    finding.found = {{"cause", cause, {}}};
    finding.because =
        "this is a fault of ptxguard, not of what it judged; what the rule would have said is not known";
    finding.decide = {"a ptxguard release in which this rule is fixed"};
    finding.fix = {{FixKind::manual, "report it with the output of the same command with --format json"}};
    return finding;
}

void run_rule(const Rule& rule, const Scenario& scenario, const Facts& facts, Judgement& judgement) {
    std::vector<Finding> findings;
    std::string trouble;
    try {
        rule.check(scenario, facts, findings);
    } catch (const std::exception& error) {
        trouble = error.what();
    } catch (...) {
        trouble = "it threw something without a text";
    }
    for (Finding& finding : findings) finding.name = rule.name;
    if (!trouble.empty()) {
        findings.push_back(rule_could_not_run(rule, trouble));
        judgement.rule_failed = true;
    }
    for (Finding& finding : findings) {
        finding.scenario = scenario.name;
        judgement.findings.push_back(std::move(finding));
    }
}

// Findings of one scenario with the same code, subject and level are duplicates: keep the first.
void merge_equal(std::vector<Finding>& findings) {
    std::set<std::tuple<std::string, std::string, Level, std::string>> seen;
    auto repeated = [&](const Finding& finding) {
        return !seen.emplace(finding.code, finding.subject, finding.level, finding.scenario).second;
    };
    std::vector<Finding> kept;
    for (Finding& finding : findings)
        if (!repeated(finding)) kept.push_back(std::move(finding));
    findings = std::move(kept);
}

bool before(const Finding& a, const Finding& b) {
    auto key = [](const Finding& f) {
        return std::make_tuple(f.suppressed.has_value(), -static_cast<int>(f.level), f.code, f.subject,
                               f.scenario);
    };
    return key(a) < key(b);
}

Counts count(const std::vector<Finding>& findings) {
    Counts counts;
    for (const Finding& finding : findings) {
        if (finding.suppressed) continue;
        switch (finding.level) {
            case Level::error:
                ++counts.error;
                break;
            case Level::warning:
                ++counts.warning;
                break;
            case Level::note:
                ++counts.note;
                break;
            case Level::unknown:
                ++counts.unknown;
                break;
        }
    }
    return counts;
}

Verdict verdict(const std::vector<Finding>& findings, const JudgeOptions& options) {
    bool undecided = false;
    for (const Finding& finding : findings) {
        if (finding.suppressed) continue;
        if (!options.fail_never && finding.level >= options.fail_on) return Verdict::fail;
        if (finding.level == Level::unknown && finding.required) undecided = true;
    }
    return undecided ? Verdict::unknown : Verdict::pass;
}

}  // namespace

Judgement judge_with(const std::vector<Rule>& table, const std::vector<Scenario>& scenarios,
                     const Facts& facts, const JudgeOptions& options) {
    Judgement judgement;
    for (const Scenario& scenario : scenarios)
        for (const Rule& rule : table) run_rule(rule, scenario, facts, judgement);
    merge_equal(judgement.findings);
    const bool of_files = !scenarios.empty() &&
                          std::all_of(scenarios.begin(), scenarios.end(),
                                      [](const Scenario& scenario) { return scenario.witness == "binary"; });
    apply_suppressions(table, options.suppressions, of_files, judgement.findings);
    std::stable_sort(judgement.findings.begin(), judgement.findings.end(), before);
    judgement.counts = count(judgement.findings);
    judgement.verdict = verdict(judgement.findings, options);
    return judgement;
}

Judgement judge(const std::vector<Scenario>& scenarios, const Facts& facts, const JudgeOptions& options) {
    return judge_with(rules(), scenarios, facts, options);
}

const Rule* find_rule(const std::string& code_or_name) {
    std::string code = code_or_name;
    for (char& c : code)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    for (const Rule& rule : rules())
        if (code == rule.code || code_or_name == rule.name) return &rule;
    return nullptr;
}

}  // namespace ptxguard
