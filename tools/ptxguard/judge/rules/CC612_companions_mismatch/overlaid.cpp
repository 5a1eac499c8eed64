// Two builds of one package for two CUDAs, or one for GPUs and one for CPUs, in one folder.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"
#include "judge/package_builds.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "judge/severity.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool is_said_of_framework(const Scenario& scenario, const SharedFile& shared) {
    return any_of(scenario.expectations, [&](const Expectation& one) {
        return any_of(one.shared_files, [&](const SharedFile& other) {
            return (other.package == shared.package && other.other == shared.other) ||
                   (other.package == shared.other && other.other == shared.package);
        });
    });
}

}  // namespace

void keep_one(const Scenario& scenario, const Facts& facts, const SharedFile& shared,
              const Composed& finding) {
    const KeptBuild kept = build_to_keep(scenario, facts, shared);
    if (shared.mixed && !kept.against.empty()) finding->because += SAY("; {}", kept.against);
    // What its library or its driver lacks follows from this.
    if (kept.is_unusable) finding->level = Level::error;
    finding.of_package(shared.owner);
    finding.fix(kept_build_fix(kept, shared, facts));
}

void judge_overlaid(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const SharedFile& shared : scenario.python.overlaid) {
        if (is_said_of_framework(scenario, shared)) continue;
        const Conflict conflict = conflict_of_builds(shared);
        const Level level = conflict.stops_gpu ? level_of_unused_gpu({shared.package, shared.other}, scenario)
                            : conflict.harm == Harm::later ? Level::note
                                                           : Level::warning;
        Composed finding = add(findings, "CC612", level, SAY("{}, {}", shared.package, shared.other),
                               SAY("{} {}", conflict.package, conflict.message))
                               .of_package(shared.package)
                               .found("package", conflict.package, named_place(conflict.package_origin))
                               .found("beside", conflict.other, named_place(conflict.other_origin))
                               .because(conflict.effect);
        keep_one(scenario, facts, shared, finding);
    }
}

}  // namespace ptxguard
