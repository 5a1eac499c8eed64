// CC403 library_captured: a variable puts another release of a library in front of the copy that RUNPATH
// would give. An error where names are missing in it. On Windows this is CC503.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

#include <algorithm>

namespace ptxguard {
namespace {

// The copy that comes with the file: the first one behind, found by a search list that stands in a file.
const LoadLoser* own_copy(const LoadedFile& library) {
    for (const LoadLoser& loser : library.losers)
        if (loser.lost == LoadLost::later && loser.rule.find("RUNPATH") != std::string::npos) return &loser;
    return nullptr;
}

bool same_version(const Version& a, const Version& b) {
    for (std::size_t i = 0; i < std::min({a.numbers.size(), b.numbers.size(), std::size_t{3}}); ++i)
        if (a.at(i) != b.at(i)) return false;
    return true;
}

bool lacks_names(const LoadTrace& trace, const LoadedFile& library) {
    if (!names_asked_of(trace.undefined_names, library).empty()) return true;
    return std::any_of(trace.libraries.begin(), trace.libraries.end(), [&](const LoadedFile& asker) {
        return !names_asked_of(asker.undefined_names, library).empty();
    });
}

}  // namespace

PTXGUARD_RULE(CC403) {
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries) {
            const std::string variable = deciding_variable(library);
            const LoadLoser* own = own_copy(library);
            if (variable.empty() || !own || !library.taken || library.stub) continue;
            if (!library.version || !own->version || same_version(*library.version, *own->version)) continue;
            const bool broken = lacks_names(trace, library);
            Finding& finding =
                add(findings, "CC403", broken ? Level::error : Level::warning, subject_of(trace, library),
                    trace.path + " gets " + title_of(library) + " through " + variable + " instead of " +
                        own->version->text);
            finding.found = {evidence_of(library)};
            finding.expected = {{library.name, own->version->text, own->version.origin}};
            finding.expected.front().origin.text = own->path + ", by " + own->rule;
            finding.because =
                broken ? "names that are asked of it are not in this copy"
                       : variable +
                             " is searched before DT_RUNPATH, so it decides for everything in this process";
            const auto folder = library.taken->substr(0, library.taken->find_last_of('/'));
            finding.fix = {{FixKind::setting, "take " + folder + " out of " + variable}};
        }
}

}  // namespace ptxguard
