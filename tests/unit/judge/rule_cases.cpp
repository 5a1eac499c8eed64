// Runs every case of every rule's cases.md. The format of a case is described in
// tools/ptxguard/judge/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "judge/judge.hpp"
#include "judge/relation.hpp"
#include "judged_lines.hpp"
#include "model/serialize.hpp"
#include "rule_files.hpp"

using namespace ptxguard;

namespace {

[[noreturn]] void throwing_check(const Scenario&, const Facts&, const LibraryFaults&, std::vector<Finding>&) {
    throw std::runtime_error("thrown on purpose");
}

// As printed, except for the number of blanks, and with the kind of each fix.
std::string line_of(const Evidence& evidence) {
    return evidence.what + " " + evidence.value + " " + evidence.origin.for_people();
}
// An imperative, or what is pasted; reports say "or".
bool says_what_to_do(const std::string& fix) {
    static const std::set<std::string> k_no_verbs = {"or",     "a",      "an",    "the",   "another", "their",
                                                     "driver", "Python", "newer", "older", "other"};
    return k_no_verbs.count(fix.substr(0, fix.find(' '))) == 0;
}

std::string line_of(const Fix& fix) { return std::string(to_string(fix.kind)) + ": " + fix.text; }
std::string line_of(const std::string& text) { return text; }

std::string squeezed(const std::string& text) {
    std::string result;
    for (const char c : text)
        if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
    if (!result.empty() && result.back() == ' ') result.pop_back();
    return result;
}

template <typename T>
std::vector<std::string> lines_of(const std::vector<T>& values) {
    std::vector<std::string> lines;
    for (const T& value : values) lines.push_back(line_of(value));
    return lines.empty() ? std::vector<std::string>{"none"} : lines;
}

std::vector<std::string> lines_of(const Finding& finding, const std::string& label) {
    if (label == "subject") return {finding.subject};
    if (label == "found") return lines_of(finding.found);
    if (label == "expected") return lines_of(finding.expected);
    if (label == "because") return {finding.because};
    if (label == "fix") return lines_of(finding.fix);
    if (label == "to check") return lines_of(finding.decide);
    if (label == "required") return {finding.required ? "yes" : "no"};
    if (label == "ignored") return {finding.suppressed.value_or("no")};
    return {"no part of a finding has the label '" + label + "'"};
}

// The expected block as the finding has it: to paste into the case.
std::string block_of(const ExpectedFinding& expected, const Finding& finding) {
    std::string block = std::string(to_string(finding.level)) + "[" + finding.code + "]: " + finding.message;
    for (const auto& part : expected.parts) {
        std::string label = "  " + part.first;
        for (const std::string& line : lines_of(finding, part.first)) {
            label.resize(12, ' ');
            block += "\n" + label + line;
            label.clear();
        }
    }
    return block;
}

bool is_as_expected(const ExpectedFinding& expected, const Finding& finding) {
    bool same = expected.code == finding.code && expected.level == to_string(finding.level) &&
                text_matches(expected.message, finding.message);
    for (const auto& part : expected.parts) {
        const std::vector<std::string> lines = lines_of(finding, part.first);
        same = same && lines.size() == part.second.size();
        for (std::size_t i = 0; same && i < lines.size(); ++i)
            same = text_matches(squeezed(part.second[i]), squeezed(lines[i]));
    }
    return same;
}

// What every finding must have, whatever the rule.
void check_form(const Finding& finding) {
    CAPTURE(finding.code);
    CAPTURE(finding.message);
    const Rule* rule = find_rule(finding.code);
    CHECK(finding.name == (rule ? rule->name : ""));
    CHECK_FALSE(finding.subject.empty());
    CHECK_FALSE(finding.message.empty());
    CHECK(finding.message.find('\n') == std::string::npos);
    if (!finding.message.empty()) CHECK(finding.message.back() != '.');
    CHECK_FALSE(finding.because.empty());
    if (finding.level == Level::unknown) CHECK_FALSE(finding.decide.empty());
    if (finding.level == Level::error || finding.level == Level::warning) CHECK_FALSE(finding.fix.empty());
    for (const Fix& fix : finding.fix) CHECK_MESSAGE(says_what_to_do(fix.text), fix.text);
}

// The first member of the facts that the scenario does not have, such as a misspelt one; empty: none.
std::string lost_member(const Json& facts, const Json& scenario, const std::string& path) {
    if (facts.is_object() && !scenario.is_string()) {
        for (const Json::Member& member : facts.members()) {
            const std::string lost =
                lost_member(member.second, scenario[member.first], path + "/" + member.first);
            if (!lost.empty()) return lost;
        }
        return "";
    }
    if (facts.is_array() && scenario.is_array()) {
        for (std::size_t i = 0; i < facts.size() && i < scenario.size(); ++i) {
            const std::string lost =
                lost_member(facts.items()[i], scenario.items()[i], path + "/" + std::to_string(i));
            if (!lost.empty()) return lost;
        }
        return facts.size() == scenario.size() ? "" : path;
    }
    const bool says_nothing = facts.is_null() || (facts.is_bool() && !facts.as_bool()) ||
                              (facts.is_integer() && facts.as_int() == 0) ||
                              (facts.is_string() && facts.as_string().empty()) ||
                              to_text(facts, -1).size() == 2;
    return says_nothing || !scenario.is_null() ? "" : path;
}

// Only the rule of the case, so that no case depends on other rules' findings. Rules about the check itself
// (CC0) need the whole table.
std::vector<Rule> table_of(const RuleCase& rule_case) {
    const bool whole = rule_case.code.rfind("CC0", 0) == 0;
    std::vector<Rule> table;
    for (Rule rule : rules()) {
        if (rule_case.throwing_rule == rule.code) rule.check = throwing_check;
        if (whole || rule_case.code == rule.code) table.push_back(rule);
    }
    return table;
}

std::vector<Obligation> pairs_of(const Scenario& scenario) {
    return relation(scenario, tables(), LibraryFaults(scenario, tables()));
}

// No rule fails on what another one judges, and each refused pair has a rule that reports it.
void check_whole_table(const Scenario& scenario) {
    const Judgement whole = judge({scenario}, tables(), {});
    CHECK_FALSE(whole.rule_failed);
    for (const Obligation& pair : pairs_of(scenario))
        for (const Finding& finding : whole.findings)
            if (finding.code == "CC005" && finding.subject == pair.left.name + " and " + pair.right.name)
                CHECK_MESSAGE(pair.outcome != Outcome::refused, finding.message, ": ", finding.because);
}

Judgement judge_facts(const RuleCase& rule_case, const Json& facts) {
    const Result<Scenario> scenario = scenario_of(facts);
    CHECK_MESSAGE(bool(scenario), scenario.trouble().text());
    if (!scenario) return {};
    CHECK_MESSAGE(lost_member(facts, to_json(*scenario), "").empty(),
                  "no member of a scenario: ", lost_member(facts, to_json(*scenario), ""));
    if (rule_case.throwing_rule.empty()) check_whole_table(*scenario);
    return judge_with(table_of(rule_case), {*scenario}, tables(), rule_case.options);
}

std::vector<Finding> those_of(const Judgement& judgement, const std::string& code) {
    std::vector<Finding> findings;
    for (const Finding& finding : judgement.findings)
        if (finding.code == code) findings.push_back(finding);
    return findings;
}

void run_case(const RuleCase& rule_case) {
    CAPTURE(rule_case.place);
    CHECK_MESSAGE(rule_case.trouble.empty(), rule_case.trouble);
    CHECK_FALSE_MESSAGE(rule_case.about.empty(), "the heading has no sentence");
    if (!rule_case.trouble.empty()) return;

    const Judgement judgement = judge_facts(rule_case, rule_case.facts);
    const std::vector<Finding> findings = those_of(judgement, rule_case.code);
    std::string seen;
    for (std::size_t i = 0; i < findings.size(); ++i)
        seen += "\n" +
                block_of(i < rule_case.expect.size() ? rule_case.expect[i] : ExpectedFinding{}, findings[i]);
    bool same = rule_case.expect.size() == findings.size();
    for (std::size_t i = 0; same && i < findings.size(); ++i)
        same = is_as_expected(rule_case.expect[i], findings[i]);
    CHECK_MESSAGE(same, "other findings are expected; these came:", seen);
    for (const Finding& finding : findings) check_form(finding);
    if (!rule_case.verdict.empty()) CHECK(rule_case.verdict == to_string(judgement.verdict));
    CHECK(rule_case.rule_fails == judgement.rule_failed);
    CHECK_MESSAGE(findings.empty() != rule_case.fires(), "a case is named after what the rule does");

    if (rule_case.after_fix.is_null()) return;
    for (const Finding& left : those_of(judge_facts(rule_case, rule_case.after_fix), rule_case.code))
        FAIL_CHECK("still there after the fix: ", left.message);
}

}  // namespace

TEST_CASE("every case of every rule gives exactly the expected findings") {
    REQUIRE_FALSE(rule_cases().empty());
    for (const RuleCase& rule_case : rule_cases()) run_case(rule_case);
}

TEST_CASE("every kind of pair is accepted in some case and refused in another") {
    std::map<Meeting, std::set<Outcome>> seen;
    for (const RuleCase& rule_case : rule_cases())
        if (const Result<Scenario> scenario = scenario_of(rule_case.facts))
            for (const Obligation& pair : pairs_of(*scenario)) seen[pair.kind].insert(pair.outcome);
    for (int kind = 0; kind <= static_cast<int>(Meeting::project_framework); ++kind) {
        CAPTURE(kind);
        CHECK(seen[static_cast<Meeting>(kind)].count(Outcome::refused) == 1);
        // Of packages only conflicts are listed.
        if (static_cast<Meeting>(kind) != Meeting::module_framework)
            CHECK(seen[static_cast<Meeting>(kind)].count(Outcome::accepted) == 1);
    }
}

TEST_CASE("every rule has a case that asserts the whole text of a finding") {
    for (const Rule& rule : rules()) {
        bool whole = false;
        for (const RuleCase& rule_case : rule_cases())
            for (const ExpectedFinding& expected : rule_case.expect)
                whole |= rule_case.code == rule.code && expected.part("subject") && expected.part("found") &&
                         expected.part("expected") && expected.part("because") && expected.part("fix");
        CHECK_MESSAGE(whole, rule.code,
                      " lacks a case with subject, found, expected, because and fix of one finding");
    }
}
