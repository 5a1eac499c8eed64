// SPDX-License-Identifier: Apache-2.0
#include "judge/check_list.hpp"

#include <algorithm>
#include <string_view>

#include "judge/check_list_areas.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// An architecture that the ptxas of a framework does not support is nothing of the build.
std::string area_of(const std::vector<Rule>& table, const Finding& finding) {
    const auto* rule = first_where(table, [&](const Rule& one) { return finding.code == one.code; });
    if (!rule) return "";
    const auto is_tool = [](const Entity& id) { return id.kind == EntityKind::tool; };
    const bool of_build = std::string_view(rule->area) == "architectures";
    return of_build && any_of(finding.about, is_tool) ? "run-time tools" : rule->area;
}

// The finding in few words: the line of a list names its area.
std::string cause_words(const Finding& finding, const std::string& area) {
    std::string text = finding.brief.empty() ? finding.message : finding.brief;
    return starts_with(text, area + " ") ? text.substr(area.size() + 1) : text;
}

// The causes of an area, worst first; what follows from another finding only where nothing else is wrong.
std::string causes_of(std::vector<const Finding*> found, const std::string& area) {
    constexpr std::size_t k_causes = 2;
    const auto is_effect = [](const Finding* one) { return one->caused_by.has_value(); };
    std::stable_sort(found.begin(), found.end(), [&](const Finding* a, const Finding* b) {
        return std::make_pair(is_effect(a), b->level) < std::make_pair(is_effect(b), a->level);
    });
    std::vector<std::string> words;
    for (const Finding* one : found)
        if (!is_effect(one) || words.empty()) add_once(words, cause_words(*one, area));
    std::string text = words.front();
    for (std::size_t i = 1; i < std::min(words.size(), k_causes); ++i) text += "; " + words[i];
    const std::size_t more = words.size() - std::min(words.size(), k_causes);
    return more ? SAY("{}; and {} more", text, more) : text;
}

// A pair is refused, and the rule that reports it has another area.
std::string refusal_words(const Seen& seen) {
    std::vector<std::string> others;
    for (const Obligation* pair : seen.refusals)
        for (const End& side : {pair->left, pair->right})
            if (!contains(seen.refused_ids, side.id)) add_once(others, side.name);
    return others.empty() ? some_of(seen.refused, k_names)
                          : SAY("{}: not with {}", some_of(seen.refused, k_names), some_of(others, k_names));
}

// As far as what was compared shows it.
CheckedArea area_from(const Seen& seen) {
    CheckedArea area{
        seen.area,         seen.checked ? AreaState::ok : AreaState::not_checked,      seen.text, {}, {},
        seen.not_compared, seen.brief.empty() && seen.checked ? seen.text : seen.brief};
    if (area.text.empty() && !seen.refused.empty()) area.text = area.brief = some_of(seen.refused, k_names);
    if (area.text.empty()) {
        area.brief = some_of(area.not_compared, k_names);
        area.text = SAY("{}, nothing to compare it with", some_of(area.not_compared, k_names));
        area.not_compared.clear();
    }
    if (!seen.decide.empty()) area.text += SAY(" ({})", seen.decide);
    area.decide = seen.decide;
    return area;
}

bool is_reported(const Finding& finding, const Scenario& scenario) {
    return !finding.suppressed && finding.scenario == scenario.name && finding.level != Level::note;
}

AreaState state_with(Level worst, AreaState otherwise) {
    return worst == Level::error     ? AreaState::error
           : worst == Level::warning ? AreaState::warning
           : worst == Level::unknown ? AreaState::not_checked
                                     : otherwise;
}

// With the findings of the area, and those that report a pair which it refuses.
void add_findings(const std::vector<Rule>& table, const Scenario& scenario,
                  const std::vector<Finding>& findings, const Seen& seen, CheckedArea& area) {
    Level worst = Level::note;
    std::vector<const Finding*> own;
    for (const Finding& finding : findings) {
        if (!is_reported(finding, scenario)) continue;
        const auto reports = [&](const Obligation* pair) { return reports_pair(finding, *pair); };
        const bool is_own = area_of(table, finding) == area.area;
        if (!is_own && none_of(seen.refusals, reports)) continue;
        worst = std::max(worst, finding.level);
        add_once(area.codes, finding.code);
        if (is_own && finding.level >= Level::warning) own.push_back(&finding);
        if (finding.level == Level::unknown && area.decide.empty() && !finding.decide.empty())
            area.decide = finding.decide.front();
    }
    area.state = state_with(worst, area.state);
    if (area.state != AreaState::not_checked) area.decide.clear();
    if (!own.empty()) {
        area.text = causes_of(std::move(own), area.area);
        area.not_compared.clear();
    } else if (area.state == AreaState::error || area.state == AreaState::warning) {
        area.text = refusal_words(seen);
    }
}

}  // namespace

std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Obligation>& pairs,
                                    const std::vector<Finding>& findings) {
    std::vector<CheckedArea> areas;
    for (const Seen& seen : areas_seen(scenario, facts, pairs)) {
        CheckedArea area = area_from(seen);
        add_findings(table, scenario, findings, seen, area);
        areas.push_back(std::move(area));
    }
    return areas;
}

}  // namespace ptxguard
