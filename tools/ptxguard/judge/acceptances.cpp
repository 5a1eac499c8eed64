// Whether each driver and GPU accepts what it met.
// SPDX-License-Identifier: Apache-2.0

#include "judge/check_list.hpp"
#include "judge/entry_fit.hpp"
#include "judge/ptx_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Whether a finding's subject contains the name: "driver 535", "PyTorch 2.11.0 on A100 (sm_80)".
bool concerns(const Finding& finding, const std::string& name) {
    return finding.subject == name || ends_with(finding.subject, " on " + name);
}

Acceptance acceptance_of(const std::string& name, const Scenario& scenario,
                         const std::vector<Obligation>& pairs, const std::vector<Finding>& findings,
                         bool accepted) {
    bool refused = false, open = false;
    for (const Obligation& pair : pairs) {
        if (pair.left != name && pair.right != name) continue;
        accepted |= pair.outcome == Outcome::accepted;
        refused |= pair.outcome == Outcome::refused;
        open |= pair.outcome == Outcome::unknown;
    }
    std::vector<std::string> errors, questions;
    for (const Finding& finding : findings) {
        if (finding.suppressed || finding.scenario != scenario.name || !concerns(finding, name)) continue;
        if (finding.level == Level::error) add_once(errors, finding.code);
        if (finding.level == Level::unknown) add_once(questions, finding.code);
    }
    if (refused || !errors.empty()) return {name, false, errors};
    if (open || !accepted || !questions.empty()) return {name, std::nullopt, questions};
    return {name, true, {}};
}

}  // namespace

void add_acceptances(const Scenario& scenario, const std::vector<Obligation>& pairs, Judgement& judgement) {
    for (const Driver* driver : drivers_concerned(scenario)) {
        const bool compiled = any_of(scenario.probes, [&](const ProbeResult& probe) {
            return probe.driver == driver->id && probe.ptx && probe.outcome == Outcome::accepted;
        });
        judgement.drivers.push_back(
            acceptance_of(name_of(*driver), scenario, pairs, judgement.findings, compiled));
    }
    for (const Gpu* gpu : gpus_judged(scenario))
        judgement.gpus.push_back(acceptance_of(name_of(*gpu), scenario, pairs, judgement.findings, false));
}

}  // namespace ptxguard
