// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_findings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// Of one rule and subject: the same values, which do more harm in the other one.
bool is_weaker(const Finding& one, const Finding& other) {
    const auto alike = [](const std::vector<Evidence>& a, const std::vector<Evidence>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Evidence& x, const Evidence& y) {
            return x.what == y.what && x.value == y.value && x.origin.is_at(y.origin);
        });
    };
    return one.level < other.level && one.location && other.location && alike(one.found, other.found) &&
           alike(one.expected, other.expected);
}

// What the project alone leaves open, and an image that installs it decides.
bool is_answered(const Finding& one, const Finding& other) {
    if (one.level != Level::unknown || other.level < Level::warning || !one.location || !other.location)
        return false;
    const Location &here = *one.location, &there = *other.location;
    return here.file == there.file && here.line == there.line && here.column == there.column;
}

}  // namespace

void keep_own_lines(const Scenario& scenario, std::vector<Finding>& findings) {
    const std::vector<Origin>& own = scenario.recipe.own_lines;
    if (own.empty()) return;
    const auto names_own = [&](const Evidence& one) {
        return any_of(own, [&](const Origin& line) { return line.is_at(one.origin); });
    };
    erase_if(findings, [&](const Finding& finding) {
        return none_of(finding.found, names_own) && none_of(finding.expected, names_own);
    });
}

void soften_alternative(const Scenario& scenario, std::vector<Finding>& findings) {
    const auto is_machine = [](const Entity& one) {
        return one.kind == EntityKind::gpu || one.kind == EntityKind::driver;
    };
    if (!scenario.recipe.alternative) return;
    for (Finding& finding : findings)
        if (any_of(finding.about, is_machine)) finding.level = Level::note;
}

void drop_weaker(std::vector<Finding>& findings) {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> of_subject;
    for (std::size_t i = 0; i < findings.size(); ++i)
        of_subject[{findings[i].code, findings[i].subject}].push_back(i);
    std::set<std::size_t> weaker;
    for (const auto& [subject, places] : of_subject)
        for (const std::size_t one : places)
            for (const std::size_t other : places)
                if (is_weaker(findings[one], findings[other]) || is_answered(findings[one], findings[other]))
                    weaker.insert(one);
    std::vector<Finding> kept;
    for (std::size_t i = 0; i < findings.size(); ++i)
        if (weaker.count(i) == 0) kept.push_back(std::move(findings[i]));
    findings = std::move(kept);
}

void drop_said(const Scenarios& scenarios, std::vector<Finding>& findings) {
    std::set<std::string> passes;
    for (const Scenario& one : scenarios)
        if (!one.recipe.own_lines.empty()) passes.insert(one.name);
    if (passes.empty()) return;
    std::map<std::tuple<std::string, std::string, std::string, int, int>, Level> said;
    erase_if(findings, [&](const Finding& one) {
        if (!one.location) return false;
        const Location& at = *one.location;
        const auto [before, is_new] =
            said.emplace(std::make_tuple(one.code, one.subject, at.file, at.line, at.column), one.level);
        return !is_new && one.level <= before->second && passes.count(one.scenario) != 0;
    });
}

}  // namespace ptxguard
