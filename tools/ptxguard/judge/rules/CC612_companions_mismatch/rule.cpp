// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework still runs; if the user named it, that is not good enough.
Level level_of(const Misfit& misfit, const Expectation& expectation) {
    if (misfit.harm == Harm::import) return Level::error;
    if (misfit.harm == Harm::gpu) return expectation.required ? Level::error : Level::warning;
    return Level::note;
}

Origin where(const Origin& origin) {
    Origin place = origin;
    if (place.text.empty()) place.text = place.path;
    return place;
}

}  // namespace

PTXGUARD_RULE(CC612) {
    for (const Expectation& expectation : scenario.expectations)
        for (const Misfit& misfit : expectation.misfits) {
            Finding& finding =
                add(findings, "CC612", level_of(misfit, expectation),
                    misfit.package + ", " + expectation.path, misfit.package + " " + misfit.message);
            finding.found.push_back({"package", misfit.package, where(misfit.package_origin)});
            if (!misfit.other.empty())
                finding.found.push_back({"beside", misfit.other, where(misfit.other_origin)});
            if (!misfit.wanted.empty())
                finding.expected.push_back(
                    {misfit.package.substr(0, misfit.package.find(' ')), misfit.wanted, {}});
            finding.because = misfit.effect;
            if (!misfit.fix.empty()) finding.fix.push_back({FixKind::command, misfit.fix});
        }
}

}  // namespace ptxguard
