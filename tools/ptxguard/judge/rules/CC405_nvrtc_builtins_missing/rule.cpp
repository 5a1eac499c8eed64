// CC405 nvrtc_builtins_missing: NVRTC is installed, but not the file that it opens at the first compilation.
// A note if NVRTC itself is only opened if it exists; nothing if its user works without it. On Windows this
// is CC501.
// SPDX-License-Identifier: Apache-2.0
#include "facts/framework_traits.hpp"
#include "judge/library_words.hpp"
#include "judge/severity.hpp"

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
        const AllAbout about(findings, fault.about);
        const LoadedFile& library = fault.library();
        const LoadedFile* nvrtc = fault.trace->library("nvrtc");
        Composed finding = add(findings, "CC405", level_without_builtins(fault, scenario, facts),
                               SAY("{} of {}", library.name, fault.trace->path),
                               SAY("{} cannot compile at run time: {}",
                                   process_name(*fault.trace, fault.framework), is_not_there({library})))
                               .found(missing_evidence(library))
                               .expected(wanted_evidence(fault, library))
                               .because(SAY("NVRTC opens the builtins of its own release by name at the "
                                            "first compilation: \"nvrtc: error: failed to open {}\"",
                                            library.name))
                               .fix(reinstall_fix(*fault.trace, "cuda-nvrtc"));
        if (nvrtc && nvrtc->taken) finding.found(evidence_of(*nvrtc));
        if (fault.framework) finding.of_package(fault.framework->package);
        if (!finding->fix.empty()) continue;
        finding.by_hand(SAY(
            "put {} of the same package next to {}, and add that folder to LD_LIBRARY_PATH or ld.so.cache",
            library.name, library.needed_by));
    }
}

}  // namespace ptxguard
