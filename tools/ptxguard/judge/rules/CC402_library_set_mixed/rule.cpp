// CC402 library_set_mixed: libraries built for each other come from different releases. An error if symbols
// are missing, or if the library that is used is older than the one that uses it; a newer one is a warning.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {
namespace {

std::string release_of_library(const LoadedFile& library) {
    return library.cuda      ? "CUDA " + library.cuda->text
           : library.version ? library.version->text
                             : "another release";
}

std::string reason(const MixedPair& pair) {
    const auto names = names_asked_of(pair.library.undefined_names, pair.other);
    if (!names.empty())
        return pair.library.name + " asks for " + names.front() +
               (*pair.library.undefined > 1
                    ? " and " + std::to_string(*pair.library.undefined - 1) + " more names"
                    : std::string()) +
               ", which this " + pair.other.name +
               " does not define: the first call of them ends the process";
    if (pair.set.id == "cublas")
        return "cuBLAS calls functions of cuBLASLt that are not public and change between releases: the "
               "loader ends with 'undefined symbol', or calls fail";
    return "they are made for each other within one release";
}

}  // namespace

PTXGUARD_RULE(CC402) {
    for (const LoadTrace& trace : scenario.traces)
        for (const MixedPair& pair : mixed_pairs(trace, facts)) {
            if (pair.set.id == "cudnn") continue;
            const Level level = pair.proven || pair.other_is_older ? Level::error : Level::warning;
            Finding& finding =
                add(findings, "CC402", level, subject_of(trace, pair.other),
                    trace.path + " gets " + pair.other.name + " of " + release_of_library(pair.other) +
                        " with " + pair.library.name + " of " + release_of_library(pair.library));
            finding.found = {evidence_of(pair.library), evidence_of(pair.other)};
            finding.expected = {
                {pair.other.name, "of " + release_of_library(pair.library), pair.library.cuda.origin}};
            finding.because = reason(pair);
            finding.fix = same_release_fix(pair.other, pair.library, facts);
        }
}

}  // namespace ptxguard
