// CC001 rule_could_not_run: judge() catches exceptions of rules; its cases run with all other rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/after_rules.hpp"

namespace ptxguard {

void add_could_not_run(const Rule& rule, const std::string& cause, Findings& findings) {
    const Composed finding = add(findings, "CC001", Level::unknown, rule.code,
                                 SAY("rule {} ({}) could not run: {}", rule.code, rule.name, cause));
    finding->name = "rule_could_not_run";
    finding.required()
        .found("cause", cause, {})
        .because("this is a bug in ptxguard, not in what it checked; the result of the rule is not known")
        .decide("a ptxguard release in which this rule is fixed")
        .by_hand("report it with the output of the same command with --format json");
}

PTXGUARD_RULE(CC001) {}

}  // namespace ptxguard
