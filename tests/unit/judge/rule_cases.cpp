// Runs every cases/<name>/case.json of every rule. The form of a case is described in
// tools/ptxguard/judge/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <regex>
#include <stdexcept>

#include "judge/judge.hpp"
#include "model/serialize.hpp"
#include "rule_files.hpp"

using namespace ptxguard;

namespace {

[[noreturn]] void throwing_check(const Scenario&, const Facts&, std::vector<Finding>&) {
    throw std::runtime_error("thrown on purpose");
}

// "re:..." is a regular expression that has to be found, anything else the whole text.
bool text_matches(const std::string& wanted, const std::string& text) {
    if (wanted.rfind("re:", 0) != 0) return wanted == text;
    return std::regex_search(text, std::regex(wanted.substr(3)));
}

std::string line_of(const Evidence& evidence) {
    return evidence.what + " | " + evidence.value + " | " + evidence.origin.for_people();
}
std::string line_of(const Fix& fix) { return std::string(to_string(fix.kind)) + ": " + fix.text; }
std::string line_of(const std::string& text) { return text; }

template <typename T>
std::vector<std::string> lines_of(const std::vector<T>& values) {
    std::vector<std::string> lines;
    for (const T& value : values) lines.push_back(line_of(value));
    return lines;
}

void check_text(const Json& expected, const char* member, const std::string& text) {
    if (!expected.has(member)) return;
    const std::string wanted = expected[member].as_string();
    CHECK_MESSAGE(text_matches(wanted, text), member, "\n  wanted: ", wanted, "\n  is:     ", text);
}

void check_lines(const Json& expected, const char* member, const std::vector<std::string>& lines) {
    if (!expected.has(member)) return;
    const std::vector<Json>& wanted = expected[member].items();
    std::string all;
    for (const std::string& line : lines) all += "\n    " + line;
    CHECK_MESSAGE(wanted.size() == lines.size(), member, " has other lines than expected:", all);
    for (std::size_t i = 0; i < wanted.size() && i < lines.size(); ++i)
        CHECK_MESSAGE(text_matches(wanted[i].as_string(), lines[i]), member, " line ", i,
                      "\n  wanted: ", wanted[i].as_string(), "\n  is:     ", lines[i]);
}

void check_finding(const Json& expected, const Finding& finding) {
    CAPTURE(finding.code);
    CAPTURE(finding.subject);
    CHECK(expected["code"].as_string() == finding.code);
    CHECK(expected["level"].as_string() == std::string(to_string(finding.level)));
    check_text(expected, "name", finding.name);
    check_text(expected, "subject", finding.subject);
    check_text(expected, "message", finding.message);
    check_text(expected, "scenario", finding.scenario);
    check_text(expected, "because", finding.because);
    check_lines(expected, "found", lines_of(finding.found));
    check_lines(expected, "expected", lines_of(finding.expected));
    check_lines(expected, "fix", lines_of(finding.fix));
    check_lines(expected, "decide", lines_of(finding.decide));
    if (expected.has("required")) CHECK(expected["required"].as_bool() == finding.required);
    check_text(expected, "suppressed", finding.suppressed.value_or("not suppressed"));
}

// What every finding owes to its reader, whatever the rule.
void check_form(const Finding& finding) {
    CAPTURE(finding.code);
    CAPTURE(finding.message);
    CHECK_FALSE(finding.name.empty());
    CHECK_FALSE(finding.subject.empty());
    CHECK_FALSE(finding.message.empty());
    CHECK(finding.message.find('\n') == std::string::npos);
    if (!finding.message.empty()) CHECK(finding.message.back() != '.');
    CHECK_FALSE(finding.because.empty());
    if (finding.level == Level::unknown) CHECK_FALSE(finding.decide.empty());
    if (finding.level == Level::error || finding.level == Level::warning) CHECK_FALSE(finding.fix.empty());
}

// "/selectors/0/problem" set to `value`; every step has to exist, but the last member may be new.
bool set_at(Json& json, const std::string& pointer, const Json& value) {
    if (pointer.empty()) {
        json = value;
        return true;
    }
    const std::size_t end = pointer.find('/', 1);
    const std::string step = pointer.substr(1, end == std::string::npos ? end : end - 1);
    const std::string rest = end == std::string::npos ? "" : pointer.substr(end);
    if (json.is_array()) {
        if (step.find_first_not_of("0123456789") != std::string::npos || step.empty()) return false;
        const std::size_t index = static_cast<std::size_t>(std::stoul(step));
        if (index >= json.size()) return false;
        Json copy = Json::array();
        bool good = true;
        for (std::size_t i = 0; i < json.size(); ++i) {
            Json item = json.items()[i];
            if (i == index) good = set_at(item, rest, value);
            copy.push(std::move(item));
        }
        json = copy;
        return good;
    }
    Json member = json[step];
    if (!rest.empty() && member.is_null()) return false;
    const bool good = set_at(member, rest, value);
    json.set(step, member);
    return good;
}

Facts facts_of(const Json& json) {
    if (!json.has("facts")) return Facts::embedded();
    Facts::Files files;
    for (const Json::Member& member : json["facts"].members()) files[member.first] = to_text(member.second);
    return Facts::with(files);
}

JudgeOptions options_of(const Json& json) {
    JudgeOptions options;
    for (const Json& item : json["suppressions"].items()) {
        Suppression suppression{item["code"].as_string(), item["reason"].as_string(), {}};
        const Json& origin = item["origin"];
        if (origin.has("path"))
            suppression.origin =
                Origin::from_file(origin["path"].as_string(), static_cast<int>(origin["line"].as_int()));
        else
            suppression.origin = Origin::from_option("--ignore");
        options.suppressions.push_back(suppression);
    }
    if (json.has("fail_on")) {
        options.fail_never = json["fail_on"].as_string() == "never";
        if (!options.fail_never) options.fail_on = level_from(json["fail_on"].as_string()).value();
    }
    return options;
}

// The rule of the case alone, so that no case depends on other rules' findings. Those about the check itself
// (CC0) and cases that expect all findings need the whole table.
std::vector<Rule> table_of(const RuleCase& rule_case) {
    const bool whole = rule_case.json["expect_all"].as_bool() || rule_case.code.rfind("CC0", 0) == 0;
    std::vector<Rule> table;
    for (Rule rule : rules()) {
        if (rule_case.json["throwing_rule"].as_string() == rule.code) rule.check = throwing_check;
        if (whole || rule_case.code == rule.code) table.push_back(rule);
    }
    return table;
}

Judgement judge_json(const RuleCase& rule_case, const std::vector<Json>& scenarios_json) {
    std::vector<Scenario> scenarios;
    for (const Json& json : scenarios_json) {
        Result<Scenario> scenario = scenario_from_json(json);
        CHECK_MESSAGE(bool(scenario), rule_case.file, ": ", scenario.trouble().text());
        if (!scenario) continue;
        if (scenario->name.empty()) scenario->name = "this machine";
        scenarios.push_back(*scenario);
    }
    const Facts facts = facts_of(rule_case.json);
    if (!rule_case.json.has("throwing_rule"))  // no rule fails on what another one judges
        CHECK_FALSE(judge(scenarios, facts, {}).rule_failed);
    return judge_with(table_of(rule_case), scenarios, facts, options_of(rule_case.json));
}

std::vector<Finding> those_of(const Judgement& judgement, const std::string& code, bool all) {
    std::vector<Finding> findings;
    for (const Finding& finding : judgement.findings)
        if (all || finding.code == code) findings.push_back(finding);
    return findings;
}

void run_case(const RuleCase& rule_case) {
    const Json& json = rule_case.json;
    CHECK_MESSAGE(rule_case.trouble.empty(), rule_case.trouble);
    CHECK_MESSAGE(json["expect"].is_array(), rule_case.file, " has no list 'expect'");
    CHECK_FALSE_MESSAGE(json["about"].as_string().empty(), rule_case.file, " does not say what it is about");
    std::vector<Json> scenarios = json["scenarios"].items();
    if (scenarios.empty()) scenarios.push_back(json.has("scenario") ? json["scenario"] : Json::object());

    const Judgement judgement = judge_json(rule_case, scenarios);
    const std::vector<Finding> findings = those_of(judgement, rule_case.code, json["expect_all"].as_bool());
    std::string seen;
    for (const Finding& finding : findings)
        seen += "\n  " + std::string(to_string(finding.level)) + "[" + finding.code + "] " + finding.message;
    const std::vector<Json>& expected = json["expect"].items();
    CHECK_MESSAGE(expected.size() == findings.size(), expected.size(),
                  " findings expected, these came:", seen);
    if (expected.size() != findings.size()) return;  // REQUIRE would end the cases that follow, too
    for (std::size_t i = 0; i < findings.size(); ++i) check_finding(expected[i], findings[i]);
    for (const Finding& finding : findings) check_form(finding);
    if (json.has("verdict")) CHECK(json["verdict"].as_string() == std::string(to_string(judgement.verdict)));
    CHECK(json["rule_failed"].as_bool() == judgement.rule_failed);
    const bool fired = !those_of(judgement, rule_case.code, false).empty();
    CHECK_MESSAGE(fired == (rule_case.name.rfind("fires_", 0) == 0),
                  "a case is named fires_... or silent_... after what the rule does");

    if (!json.has("after_fix")) return;
    for (const Json::Member& change : json["after_fix"].members())
        CHECK_MESSAGE(set_at(scenarios.front(), change.first, change.second),
                      "after_fix names nothing: ", change.first);
    for (const Finding& left : those_of(judge_json(rule_case, scenarios), rule_case.code, false))
        FAIL_CHECK("still there after the fix: ", left.message);
}

}  // namespace

TEST_CASE("every case of every rule gives exactly the findings that it expects") {
    REQUIRE_FALSE(rule_cases().empty());
    for (const RuleCase& rule_case : rule_cases()) {
        const std::string title = rule_case.rule + "/" + rule_case.name;
        SUBCASE(title.c_str()) { run_case(rule_case); }
    }
}

TEST_CASE("every rule has a case that asserts the whole text of a finding") {
    for (const Rule& rule : rules()) {
        bool whole = false;
        for (const RuleCase& rule_case : rule_cases())
            for (const Json& expected : rule_case.json["expect"].items())
                whole |= rule_case.code == rule.code && expected["code"].as_string() == rule.code &&
                         expected.has("subject") && expected.has("message") && expected.has("found") &&
                         expected.has("expected") && expected.has("because") && expected.has("fix");
        CHECK_MESSAGE(whole, rule.code,
                      " lacks a case with subject, message, found, expected, because and fix of one finding");
    }
}
