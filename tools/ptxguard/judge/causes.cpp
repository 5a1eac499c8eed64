// Which finding follows from which.
// SPDX-License-Identifier: Apache-2.0
#include "judge/after_rules.hpp"
#include "judge/rule_head.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// An existing folder that a wrong entry means: nothing is missing except the entry.
bool has_misspelt_entry(const Scenario& scenario) {
    return any_of(scenario.entries,
                  [](const EnvironmentEntry& one) {
                      return can_be_mended(one.problem) && !one.nearest.empty();
                  }) ||
           any_of(scenario.selectors, [](const Selector& one) {
               return one.problem == PathProblem::missing && !one.nearest.empty();
           });
}

bool may_cause(const CauseOfFinding& row, const Finding& cause, const Scenarios& scenarios) {
    const Level least = row.shared == &Finding::entry ? Level::warning : Level::error;
    if (cause.code != row.rule || cause.caused_by || cause.level < least || cause.suppressed ||
        (cause.*row.shared).empty())
        return false;
    const bool of_framework = row.shared == &Finding::package;
    return !of_framework || none_of(scenarios, [&](const Scenario& scenario) {
        return scenario.name == cause.scenario && has_misspelt_entry(scenario);
    });
}

bool follows(const CauseOfFinding& row, const Finding& effect, const Finding& cause) {
    return effect.scenario == cause.scenario && effect.level >= Level::warning &&
           effect.level <= cause.level && effect.*row.shared == cause.*row.shared;
}

}  // namespace

// Rules are in the order of their codes, and a rule's causes in the order of their weight. A finding that is
// itself an effect is no cause, so an effect is named after the root.
void name_causes(const Scenarios& scenarios, std::vector<Finding>& findings) {
    for (const Rule& rule : rules())
        for (const CauseOfFinding& row : rule.head.follows_from)
            for (const Finding& cause : findings) {
                if (!may_cause(row, cause, scenarios)) continue;
                for (Finding& effect : findings)
                    if (effect.code == rule.code && !effect.caused_by && follows(row, effect, cause))
                        effect.caused_by = FindingKey{cause.code, cause.subject};
            }
}

}  // namespace ptxguard
