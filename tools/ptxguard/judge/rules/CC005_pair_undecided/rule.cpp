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

namespace {

// Another finding already keeps the verdict from being "ok".
bool is_decided_otherwise(const std::vector<Finding>& said, const std::vector<Finding>& own) {
    const auto weighs = [](const Finding& one) { return one.level >= Level::warning || one.required; };
    return any_of(said, weighs) || any_of(own, weighs);
}

void report_place(const Unmet& unmet, std::vector<Finding>& findings) {
    add(findings, "CC005", Level::unknown, unmet.place,
        SAY("nothing in {} was compared with {}", unmet.place, unmet.thing.name))
        .about(unmet.thing.id)
        .required()
        .because(
            "no device code and no known CUDA library was found there; only the driver was compared with the "
            "GPU")
        .decide(unmet.decide);
}

}  // namespace

void report_unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs,
                  const std::vector<Finding>& said, std::vector<Finding>& findings) {
    for (const Unmet& one : unmet(scenario, facts, pairs)) {
        const bool reported = any_of(said, [&](const Finding& finding) {
            const bool weighs = finding.level >= Level::warning || finding.required;
            return weighs && contains(finding.about, one.thing.id);
        });
        if (reported || (!one.place.empty() && is_decided_otherwise(said, findings))) continue;
        if (!one.place.empty()) {
            report_place(one, findings);
            continue;
        }
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
