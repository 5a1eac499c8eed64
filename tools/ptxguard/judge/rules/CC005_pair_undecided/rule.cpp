// CC005 pair_undecided: judge() runs it after all others; its cases run with them.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "judge/after_rules.hpp"

namespace ptxguard {

void report_remaining_pairs(const std::vector<Obligation>& pairs, const std::vector<Finding>& said,
                            std::vector<Finding>& findings) {
    for (const Obligation& pair : pairs) {
        const bool refused = pair.outcome == Outcome::refused;
        if (!refused && (pair.outcome != Outcome::unknown || !pair.named)) continue;
        const auto reports = [&](const Finding& finding) { return reports_pair(finding, pair); };
        if (any_of(said, reports)) continue;
        const std::string both = SAY("{} and {}", pair.left.name, pair.right.name);
        add(findings, "CC005", Level::unknown, both,
            refused ? SAY("{} do not work together: please report this case", both)
                    : SAY("{}: whether they work together is not known", both))
            .about({pair.left.id, pair.right.id})
            .required()
            .because(pair.evidence.empty() ? "no tool printed a reason" : pair.evidence)
            .decide(refused ? "a report of this case: ptxguard check --format json" : pair.decide);
    }
}

void report_unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs,
                  const std::vector<Finding>& said, std::vector<Finding>& findings) {
    for (const Unmet& one : unmet(scenario, facts, pairs)) {
        const bool reported = any_of(said, [&](const Finding& finding) {
            const bool weighs = finding.level >= Level::warning || finding.required;
            return weighs && contains(finding.about, one.thing.id);
        });
        if (reported) continue;
        add(findings, "CC005", Level::unknown, one.thing.name,
            SAY("{} was named, and there is nothing to compare it with", one.thing.name))
            .about(one.thing.id)
            .required()
            .because(SAY("a {} by itself is neither right nor wrong", one.what))
            .decide(one.decide);
    }
}

PTXGUARD_RULE(CC005) {}

}  // namespace ptxguard
