// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/package_conflicts.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework still runs; if the user named it, that is not good enough.
Level level_of(const Conflict& conflict, const Expectation& expectation) {
    if (conflict.harm == Harm::import) return Level::error;
    if (conflict.harm == Harm::gpu) return expectation.required ? Level::error : Level::warning;
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
        for (const Conflict& conflict : package_conflicts(expectation, facts)) {
            Finding& finding =
                add(findings, "CC612", level_of(conflict, expectation),
                    conflict.package + ", " + expectation.path, conflict.package + " " + conflict.message);
            finding.found.push_back({"package", conflict.package, where(conflict.package_origin)});
            if (!conflict.other.empty())
                finding.found.push_back({"beside", conflict.other, where(conflict.other_origin)});
            if (!conflict.wanted.empty())
                finding.expected.push_back(
                    {conflict.package.substr(0, conflict.package.find(' ')), conflict.wanted, {}});
            finding.because = conflict.effect;
            if (!conflict.fix.empty()) finding.fix.push_back({FixKind::command, conflict.fix});
        }
}

}  // namespace ptxguard
