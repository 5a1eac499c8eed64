// CC403 library_captured: a variable makes the loader use another release of a library than the copy in the
// RUNPATH. An error if that release lacks symbols. On Windows this is CC503.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

#include <algorithm>

namespace ptxguard {
namespace {

// The copy that belongs to the file: the first shadowed one found by a search list inside a file.
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

struct Capture {
    LoadedFile library;
    const LoadLoser* own;
    std::string variable;
    bool broken;
};

// One folder in a variable usually shadows several libraries: one finding, one fix.
std::vector<std::vector<Capture>> captures(const LoadTrace& trace) {
    std::vector<std::vector<Capture>> groups;
    for (const LoadedFile& library : trace.libraries) {
        const std::string variable = deciding_variable(library);
        const LoadLoser* own = own_copy(library);
        if (variable.empty() || !own || !library.taken || library.stub) continue;
        if (!library.version || !own->version || same_version(*library.version, *own->version)) continue;
        const Capture capture{library, own, variable, lacks_names(trace, library)};
        const auto same = [&](const std::vector<Capture>& group) {
            const Capture& first = group.front();
            return first.broken == capture.broken && first.variable == variable &&
                   folder_of_library(first.library) == folder_of_library(library) &&
                   same_version(*first.library.version, *library.version) &&
                   same_version(*first.own->version, *own->version);
        };
        const auto group = std::find_if(groups.begin(), groups.end(), same);
        if (group == groups.end())
            groups.push_back({capture});
        else
            group->push_back(capture);
    }
    return groups;
}

}  // namespace

PTXGUARD_RULE(CC403) {
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces)
        for (const std::vector<Capture>& group : captures(trace)) {
            const auto& [library, own, variable, broken] = group.front();
            std::vector<LoadedFile> taken;
            for (const Capture& capture : group) taken.push_back(capture.library);
            Finding& finding =
                add(findings, "CC403", broken ? Level::error : Level::warning, subject_of(trace, library),
                    trace.path + " gets " + titles_of(taken) + " through " + variable + " instead of " +
                        own->version->text);
            for (const Capture& capture : group) {
                finding.found.push_back(evidence_of(capture.library));
                Evidence wanted{capture.library.name, capture.own->version->text,
                                capture.own->version.origin};
                wanted.origin.text = capture.own->path + ", by " + capture.own->rule;
                finding.expected.push_back(wanted);
            }
            finding.because =
                broken ? "names that are asked of it are not in this copy"
                       : variable +
                             " is searched before DT_RUNPATH, so it decides for everything in this process";
            finding.fix = {{FixKind::setting, "take " + folder_of_library(library) + " out of " + variable}};
        }
}

}  // namespace ptxguard
