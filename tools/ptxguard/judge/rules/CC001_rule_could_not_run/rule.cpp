// CC001 rule_could_not_run: judge() catches exceptions of rules; its cases run with all other rules.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/after_rules.hpp"

namespace ptxguard {

Finding rule_could_not_run(const Rule& rule, const std::string& cause) {
    Finding finding;
    finding.code = "CC001";
    finding.name = "rule_could_not_run";
    finding.level = Level::unknown;
    finding.required = true;
    finding.subject = rule.code;
    finding.message = SAY("rule {} ({}) could not run: {}", rule.code, rule.name, cause);
    finding.found = {{"cause", cause, {}}};
    finding.because =
        "this is a bug in ptxguard, not in what it checked; the result of the rule is not known";
    finding.decide = {"a ptxguard release in which this rule is fixed"};
    finding.fix = {by_hand("report it with the output of the same command with --format json")};
    return finding;
}

PTXGUARD_RULE(CC001) {}

}  // namespace ptxguard
