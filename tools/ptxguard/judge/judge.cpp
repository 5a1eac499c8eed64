// The loop over scenarios and rules, then order, counts and verdict of the findings. Contains no rule.
// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "judge/after_rules.hpp"
#include "judge/check_list.hpp"
#include "judge/entry_fit.hpp"
#include "judge/plan.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_findings.hpp"
#include "judge/relation.hpp"
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// A line of a recipe may be a megabyte long.
void keep_short(std::string& text) {
    constexpr std::size_t k_longest = 1000, k_kept = 200;
    if (text.size() <= k_longest) return;
    const std::string size = std::to_string(text.size());
    text.resize(k_kept);
    text += SAY("... ({} bytes)", size);
}
void keep_short(Finding& finding) {
    keep_short(finding.subject);
    keep_short(finding.message);
    for (auto* side : {&finding.found, &finding.expected})
        for (Evidence& one : *side) keep_short(one.value);
    for (Fix& fix : finding.fix) keep_short(fix.text);
}

// Places a recipe's finding at its first evidence, else where its framework or the list of the build is
// named; if others may override that value, lowers it by one level.
void place_in_recipe(const Scenario& scenario, Finding& finding) {
    const auto place_at = [&](const Origin& origin) {
        if (!finding.location && origin.kind == OriginKind::file && origin.line > 0)
            finding.location = Location{origin.path, origin.line, origin.column};
    };
    for (const auto* side : {&finding.found, &finding.expected})
        for (const Evidence& one : *side) place_at(one.origin);
    for (const auto* frameworks : {&scenario.expectations, &scenario.newest})
        for (const Expectation& one : *frameworks)
            if (one.package == finding.package) place_at(one.version.origin);
    place_at(scenario.project.archs_text.origin);
    const auto is_overridable = [](const Evidence& one) { return one.origin.overridable; };
    const bool open = any_of(finding.found, is_overridable) || any_of(finding.expected, is_overridable);
    if (!open) return;
    if (finding.level == Level::warning) finding.level = Level::note;
    if (finding.level == Level::error) finding.level = Level::warning;
}

template <typename Check>
void run_rule(const Rule& rule, const Scenario& scenario, const Check& check, Judgement& judgement) {
    std::vector<Finding> findings;
    std::string trouble;
    try {
        check(findings);
    } catch (const std::exception& error) {
        trouble = error.what();
    } catch (...) {
        trouble = "it threw an exception without a message";
    }
    for (Finding& finding : findings) finding.name = rule.name;
    if (!trouble.empty()) {
        add_could_not_run(rule, trouble, findings);
        judgement.rule_failed = true;
    }
    for (Finding& finding : findings) {
        finding.scenario = scenario.name;
        if (scenario.source == SourceKind::recipe) {
            finding.place = scenario.recipe.place;
            place_in_recipe(scenario, finding);
            keep_short(finding);
        }
        judgement.findings.push_back(std::move(finding));
    }
}

// A fault of a toolkit that no build uses is harmless: at most a note.
void soften_without_build(const Scenario& scenario, std::vector<Finding>& findings) {
    static const std::set<std::string> k_of_toolkits = codes_where(&RuleHead::note_without_build);
    if (scenario.project.wanted) return;
    for (Finding& finding : findings) {
        if (k_of_toolkits.count(finding.code) == 0) continue;
        finding.level = std::min(finding.level, Level::note);
        finding.required = false;
    }
}

// Each finding is reported once: for a recipe at its place, even if stages share it, else in its scenario.
std::string place_of(const Finding& finding) {
    if (!finding.location || finding.location->line == 0) return finding.scenario;
    const Location& at = *finding.location;
    return SAY("{}:{}:{} {}", at.file, at.line, at.column, finding.message);
}

// Of findings with the same place, code, subject and level, keeps the first, which is about what they all
// are.
void merge_equal(std::vector<Finding>& findings) {
    using Key = std::tuple<std::string, std::string, Level, std::string>;
    std::map<Key, std::size_t> seen;
    std::vector<Finding> kept;
    for (Finding& finding : findings) {
        const Key key{finding.code, finding.subject, finding.level, place_of(finding)};
        const auto [first, is_new] = seen.emplace(key, kept.size());
        if (is_new)
            kept.push_back(std::move(finding));
        else if (Finding& same = kept[first->second]; same.scenario == finding.scenario)
            append(same.about, finding.about);
    }
    findings = std::move(kept);
}

// Within a level, causes come before their effects.
void sort_by_weight(std::vector<Finding>& findings) {
    using Key = std::tuple<std::string, std::string, std::string>;
    std::set<Key> causes;
    for (const Finding& finding : findings)
        if (finding.caused_by)
            causes.emplace(finding.caused_by->code, finding.caused_by->subject, finding.scenario);
    auto key = [&](const Finding& f) {
        return std::make_tuple(f.suppressed.has_value(), -static_cast<int>(f.level),
                               causes.count(Key{f.code, f.subject, f.scenario}) == 0, f.code, f.subject,
                               f.scenario);
    };
    std::stable_sort(findings.begin(), findings.end(),
                     [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

// Something was found, or was named together with a counterpart: otherwise there is nothing to judge.
bool holds_anything(const Scenario& scenario) {
    const auto is_here = [](const auto& thing) { return !thing.declared; };
    const auto found_any = [](const auto&... lists) { return (!lists.empty() || ...); };
    const bool packages = any_of(scenario.python.driver_bound,
                                 [](const DriverBoundPackage& one) { return one.required_by.empty(); });
    return scenario.source != SourceKind::machine || any_of(scenario.drivers, is_here) ||
           any_of(scenario.gpus, is_here) ||
           found_any(scenario.modules, scenario.toolkits, scenario.expectations, scenario.traces,
                     scenario.cudnns, scenario.binaries, scenario.unreadable) ||
           (!scenario.gpus.empty() && !scenario.python.cpu_builds.empty()) ||
           (!scenario.drivers.empty() && (packages || !scenario.gpus.empty())) ||
           (!scenario.gpus.empty() && scenario.project.archs_text);
}

Verdict verdict(const std::vector<Scenario>& scenarios, const std::vector<Finding>& findings,
                const JudgeOptions& options) {
    bool undecided = false, decided = false;
    for (const Finding& finding : findings) {
        decided = decided || finding.level != Level::unknown;
        if (finding.suppressed) continue;
        if (options.fails(finding.level)) return Verdict::fail;
        if (finding.level == Level::unknown && finding.required) undecided = true;
    }
    if (undecided) return Verdict::unknown;
    return decided || any_of(scenarios, holds_anything) ? Verdict::pass : Verdict::not_checked;
}

// Findings that another run decides do not count in this one.
void set_aside(const std::set<std::string>& later, Judgement& judgement) {
    const auto here =
        std::stable_partition(judgement.findings.begin(), judgement.findings.end(),
                              [&](const Finding& finding) { return later.count(finding.code) == 0; });
    for (auto one = here; one != judgement.findings.end(); ++one)
        if (!one->suppressed) judgement.later.push_back(std::move(*one));
    judgement.findings.erase(here, judgement.findings.end());
}

std::vector<Rule> chosen(std::vector<Rule> table, const std::set<std::string>& only) {
    const auto is_left_out = [&](const Rule& rule) { return only.count(rule.code) == 0; };
    if (!only.empty()) erase_if(table, is_left_out);
    return table;
}

// A log is an open world: rules that conclude from what is absent do not judge it.
std::vector<Rule> rules_for(const std::vector<Rule>& table, const Scenario& scenario) {
    if (scenario.source != SourceKind::log) return table;
    std::vector<Rule> some;
    std::copy_if(table.begin(), table.end(), std::back_inserter(some),
                 [](const Rule& rule) { return rule.of_logs; });
    return some;
}

// A scenario, and what is made of it once.
class Judged {
public:
    Judged(const Scenario& of, const Facts& facts) : scenario(of), faults(of, facts), m_facts(facts) {}

    const std::vector<Obligation>& pairs() {
        if (!m_pairs) m_pairs = relation(scenario, m_facts, faults);
        return *m_pairs;
    }

    const Scenario& scenario;
    const LibraryFaults faults;

private:
    const Facts& m_facts;
    std::optional<std::vector<Obligation>> m_pairs;
};

void judge_scenario(const std::vector<Rule>& all, Judged& one, const Facts& facts, bool wishes,
                    Judgement& judgement) {
    Judgement own;
    const Scenario& scenario = one.scenario;
    const std::vector<Rule> table = rules_for(all, scenario);
    for (const Rule& rule : table)
        run_rule(
            rule, scenario,
            [&](std::vector<Finding>& findings) { rule.check(scenario, facts, one.faults, findings); }, own);
    soften_without_build(scenario, own.findings);
    for (const Rule& rule : table)
        if (rule.head.of_remaining_pairs)
            run_rule(
                rule, scenario,
                [&](std::vector<Finding>& findings) {
                    report_remaining_pairs(one.pairs(), own.findings, findings);
                    if (!wishes) report_unmet(scenario, facts, one.pairs(), own.findings, findings);
                },
                own);
    keep_own_lines(scenario, own.findings);
    soften_alternative(scenario, own.findings);
    judgement.rule_failed = judgement.rule_failed || own.rule_failed;
    std::move(own.findings.begin(), own.findings.end(), std::back_inserter(judgement.findings));
}

// All findings of a list of scenarios, unordered.
Judgement judge_findings(const std::vector<Rule>& whole, std::deque<Judged>& judged, const Facts& facts,
                         const JudgeOptions& options) {
    Judgement judgement;
    Scenarios scenarios;
    const std::vector<Rule> table = chosen(whole, options.only);
    for (Judged& one : judged) {
        scenarios.push_back(one.scenario);
        judge_scenario(table, one, facts, options.wishes, judgement);
    }
    merge_equal(judgement.findings);
    drop_weaker(judgement.findings);
    drop_said(scenarios, judgement.findings);
    const bool of_files = !scenarios.empty() && all_of(scenarios, [](const Scenario& scenario) {
        return scenario.source != SourceKind::machine;
    });
    apply_suppressions(whole, options.suppressions, of_files, options.elsewhere, judgement.findings);
    // Only now: a rule that did not run explains nothing, and CC005 would report what it knows.
    const auto is_left_out = [&](const Finding& one) { return options.select.count(one.code) == 0; };
    auto& all = judgement.findings;
    if (!options.select.empty()) erase_if(all, is_left_out);
    name_causes(scenarios, judgement.findings);
    set_aside(options.later, judgement);
    return judgement;
}

std::vector<Finding> findings_of(const std::vector<Rule>& table, const Scenario& scenario, const Facts& facts,
                                 const JudgeOptions& options) {
    std::deque<Judged> one;
    one.emplace_back(scenario, facts);
    return judge_findings(table, one, facts, options).findings;
}

}  // namespace

Counts counts_of(const std::vector<Finding>& findings) {
    Counts counts;
    for (const Finding& finding : findings) {
        if (finding.suppressed) continue;
        switch (finding.level) {
            case Level::error: ++counts.error; break;
            case Level::warning: ++counts.warning; break;
            case Level::note: ++counts.note; break;
            case Level::unknown: ++counts.unknown; break;
        }
    }
    return counts;
}

Judgement judge_with(const std::vector<Rule>& table, const std::vector<Scenario>& scenarios,
                     const Facts& facts, const JudgeOptions& options) {
    // A build that a fix names need not meet anything: it only has to be right.
    JudgeOptions tried = options;
    tried.wishes = true;
    const auto judge_one = [&](const Scenario& scenario) {
        return findings_of(table, scenario, facts, tried);
    };
    std::deque<Judged> judged;
    for (const Scenario& scenario : scenarios) judged.emplace_back(scenario, facts);
    Judgement judgement = judge_findings(table, judged, facts, options);
    if (scenarios.size() == 1)  // several are fixed one by one
        judgement.plans = prove_fixes(scenarios.front(), facts, judge_one, judgement.findings);
    for (Judged& one : judged)
        if (one.scenario.source == SourceKind::machine && judgement.checklist.empty()) {
            std::vector<Finding> all = judgement.findings;
            append(all, judgement.later);
            judgement.checklist = check_list(table, one.scenario, facts, one.pairs(), all);
            add_acceptances(one.scenario, one.pairs(), judgement);
        }
    sort_by_weight(judgement.findings);
    judgement.counts = counts_of(judgement.findings);
    judgement.verdict = verdict(scenarios, judgement.findings, options);
    return judgement;
}

Judgement judge(const std::vector<Scenario>& scenarios, const Facts& facts, const JudgeOptions& options) {
    return judge_with(rules(), scenarios, facts, options);
}

std::vector<Finding> judge_once(const Scenario& scenario, const Facts& facts) {
    JudgeOptions options;
    options.wishes = true;
    return findings_of(rules(), scenario, facts, options);
}

std::set<std::string> codes_where(bool RuleHead::*said) {
    std::set<std::string> codes;
    for (const Rule& rule : rules())
        if (rule.head.*said) codes.insert(rule.code);
    return codes;
}

const Rule* find_rule(const std::string& code_or_name) {
    const std::string code = upper(code_or_name);
    return first_where(rules(),
                       [&](const Rule& rule) { return code == rule.code || code_or_name == rule.name; });
}

}  // namespace ptxguard
