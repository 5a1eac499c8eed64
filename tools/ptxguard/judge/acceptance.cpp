// Whether each driver and GPU accepts what it met.
// SPDX-License-Identifier: Apache-2.0
#include "judge/check_list.hpp"
#include "judge/entities.hpp"
#include "judge/entry_fit.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/relation.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

Acceptance acceptance_of(const End& thing, const Scenario& scenario, const std::vector<Obligation>& pairs,
                         const std::vector<Finding>& findings, bool accepted) {
    bool refused = false, open = false;
    for (const Obligation& pair : pairs) {
        if (!has(pair, thing.id)) continue;
        accepted |= pair.outcome == Outcome::accepted;
        refused |= pair.outcome == Outcome::refused;
        open |= pair.outcome == Outcome::unknown;
    }
    std::vector<std::string> errors, questions;
    for (const Finding& finding : findings) {
        if (finding.suppressed || finding.scenario != scenario.name || !contains(finding.about, thing.id))
            continue;
        if (finding.level == Level::error) add_once(errors, finding.code);
        if (finding.level == Level::unknown) add_once(questions, finding.code);
    }
    if (refused || !errors.empty()) return {thing.name, false, errors};
    if (open || !accepted || !questions.empty()) return {thing.name, std::nullopt, questions};
    return {thing.name, true, {}};
}

}  // namespace

void add_acceptances(const Scenario& scenario, const std::vector<Obligation>& pairs, Judgement& judgement) {
    for (const Driver* driver : drivers_concerned(scenario)) {
        const bool compiled = any_of(scenario.probes, [&](const ProbeResult& probe) {
            return probe.driver == driver->id && probe.ptx && probe.outcome == Outcome::accepted;
        });
        judgement.drivers.push_back(acceptance_of({id_of(scenario, *driver), name_of(*driver)}, scenario,
                                                  pairs, judgement.findings, compiled));
    }
    for (const Gpu* gpu : gpus_judged(scenario))
        judgement.gpus.push_back(acceptance_of({id_of(scenario, *gpu), name_of(*gpu)}, scenario, pairs,
                                               judgement.findings, false));
}

}  // namespace ptxguard
