// CC303 cudnn_sublibraries_mixed: one process loads cuDNN libraries of different releases.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_questions.hpp"

namespace ptxguard {

namespace {

// Libraries of one release in one folder are reported together: they have one cause.
std::vector<std::vector<MixedPair>> grouped(const LoadTrace& trace, const Facts& facts) {
    std::vector<std::vector<MixedPair>> groups;
    for (const MixedPair& pair : mixed_pairs(trace, facts)) {
        if (pair.set.id != "cudnn") continue;
        const auto same = [&](const std::vector<MixedPair>& group) {
            return group.front().library.taken == pair.library.taken &&
                   folder_of_library(group.front().other) == folder_of_library(pair.other) &&
                   text_of(group.front().other.version) == text_of(pair.other.version);
        };
        const auto group = std::find_if(groups.begin(), groups.end(), same);
        if (group == groups.end())
            groups.push_back({pair});
        else
            group->push_back(pair);
    }
    return groups;
}

std::vector<LoadedFile> others_of(const std::vector<MixedPair>& group) {
    std::vector<LoadedFile> others;
    for (const MixedPair& pair : group) others.push_back(pair.other);
    return others;
}

}  // namespace

PTXGUARD_RULE(CC303) {
    for (const LoadTrace& trace : scenario.traces)
        for (const std::vector<MixedPair>& group : grouped(trace, facts)) {
            const MixedPair& pair = group.front();
            Finding& finding =
                add(findings, "CC303", Level::error, subject_of(trace, pair.other),
                    trace.path + " gets " + titles_of(others_of(group)) + " with " + title_of(pair.library));
            finding.found = {evidence_of(pair.library)};
            for (const MixedPair& one : group) finding.found.push_back(evidence_of(one.other));
            finding.expected = {{pair.other.name,
                                 pair.library.version ? pair.library.version->text : "of the same release",
                                 pair.library.version.origin}};
            finding.because =
                "the parts of cuDNN check each other's version and work only with those of their own "
                "release; "
                "the number in the name is the major alone, so the loader takes either";
            finding.fix = same_release_fix(pair.other, pair.library, facts);
        }
}

}  // namespace ptxguard
