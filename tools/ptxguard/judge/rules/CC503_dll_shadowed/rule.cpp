// CC503 dll_shadowed: the DLL next to the file that needs it is shadowed by one of another release in a
// folder searched earlier.
// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "judge/dll_questions.hpp"

namespace ptxguard {
namespace {

bool same_folder(const std::string& a, const std::string& b) {
    const std::string one = folder_of(a), other = folder_of(b);
    if (one.empty() || one.size() != other.size()) return false;
    for (std::size_t i = 0; i < one.size(); ++i) {
        const char x = one[i] == '\\' ? '/' : one[i], y = other[i] == '\\' ? '/' : other[i];
        if (std::tolower(static_cast<unsigned char>(x)) != std::tolower(static_cast<unsigned char>(y)))
            return false;
    }
    return true;
}

// Next to the file that needs it, or next to the checked file: the copy that belongs to it.
const LoadLoser* own_copy(const LoadTrace& trace, const LoadedFile& library) {
    if (same_folder(*library.taken, library.needed_by) || same_folder(*library.taken, trace.path))
        return nullptr;
    for (const LoadLoser& loser : library.losers) {
        if (loser.lost != LoadLost::later && loser.lost != LoadLost::not_searched) continue;
        if (same_folder(loser.path, library.needed_by) || same_folder(loser.path, trace.path)) return &loser;
    }
    return nullptr;
}

void judge_shadow(const LoadTrace& trace, const LoadedFile& library, const LoadLoser& own,
                  Findings& findings) {
    if (!library.version || !own.version || *library.version == *own.version) return;
    const bool other_major = library.version->major() != own.version->major();
    Finding& finding = add(findings, "CC503", other_major ? Level::error : Level::warning,
                           library.name + " of " + trace.path,
                           trace.path + " gets " + library.name + " " + library.version->text + " from " +
                               folder_of(*library.taken) + ", it came with " + own.version->text);
    finding.found = {{library.name, library.version->text, Origin::from_file(*library.taken)}};
    finding.found.front().origin.text = *library.taken + " (" + library.rule + ")";
    finding.expected = {loser_evidence(own)};
    finding.because =
        library.rule +
        " comes before the folder of the file; a DLL of that name that is already in the process "
        "serves everybody";
    finding.fix = {{FixKind::manual, "take " + folder_of(*library.taken) +
                                         " out of the search, or bring its " + library.name + " to " +
                                         own.version->text}};
}

}  // namespace

PTXGUARD_RULE(CC503) {
    if (scenario.system != System::windows) return;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries) {
            if (!library.taken || library.library.empty()) continue;
            if (const LoadLoser* own = own_copy(trace, library)) judge_shadow(trace, library, *own, findings);
        }
}

}  // namespace ptxguard
