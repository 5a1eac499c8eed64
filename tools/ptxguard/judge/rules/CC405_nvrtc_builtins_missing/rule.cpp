// CC405 nvrtc_builtins_missing: NVRTC is installed, but not the file that it opens at the first compilation.
// A note if NVRTC itself is only opened if it exists; nothing if its user works without it. On Windows this
// is CC501.
// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/library_words.hpp"

namespace ptxguard {
namespace {

// A framework that compiles what it runs (CuPy) runs nothing without them; others (PyTorch) compile a part.
Level level_without_builtins(const LibraryFault& fault, const Scenario& scenario, const Facts& facts) {
    const LoadedFile* nvrtc = fault.trace->library("nvrtc");
    const bool needed = nvrtc ? is_needed_to_start(*nvrtc) : fault.trace->path == fault.library().needed_by;
    const bool meant = is_meant_for_gpu(scenario) || (fault.framework && fault.framework->required);
    const bool all = fault.framework && framework_traits(facts, fault.framework->framework).compiles;
    if (needed || (all && meant)) return Level::error;
    return fault.framework && nvrtc && !nvrtc->optional && meant ? Level::warning : Level::note;
}

}  // namespace

PTXGUARD_RULE(CC405) {
    for (const LibraryFault& fault : faults.reported_by("CC405")) {
        const LoadedFile& library = fault.library();
        const LoadedFile* nvrtc = fault.trace->library("nvrtc");
        Finding& finding = add(findings, "CC405", level_without_builtins(fault, scenario, facts),
                               library.name + " of " + fault.trace->path,
                               process_name(*fault.trace, fault.framework) +
                                   " cannot compile at run time: " + is_not_there({library}));
        finding.found = {missing_evidence(library)};
        if (nvrtc && nvrtc->taken) finding.found.push_back(evidence_of(*nvrtc));
        finding.expected = {wanted_evidence(fault, library)};
        finding.because =
            "NVRTC opens the builtins of its own release by name at the first compilation: \"nvrtc: error: "
            "failed to open " +
            library.name + "\"";
        if (fault.framework) finding.package = fault.framework->package;
        finding.fix = reinstall_fix(*fault.trace, "cuda-nvrtc");
        if (!finding.fix.empty()) continue;
        finding.fix = {by_hand("put " + library.name + " of the same package next to " + library.needed_by +
                               ", and add that folder to LD_LIBRARY_PATH or ld.so.cache")};
    }
}

}  // namespace ptxguard
