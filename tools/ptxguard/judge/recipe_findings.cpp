// SPDX-License-Identifier: Apache-2.0
#include "judge/recipe_findings.hpp"

#include "model/ranges.hpp"

namespace ptxguard {

void keep_own_lines(const Scenario& scenario, std::vector<Finding>& findings) {
    const std::vector<Origin>& own = scenario.recipe.own_lines;
    if (own.empty()) return;
    const auto is_own = [&](const Origin& origin) {
        return any_of(own, [&](const Origin& one) {
            return one.path == origin.path && one.line == origin.line && one.column == origin.column;
        });
    };
    const auto names_own = [&](const Evidence& one) { return is_own(one.origin); };
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

}  // namespace ptxguard
