// CC405 nvrtc_builtins_missing: NVRTC is installed, but not the file that it opens at the first compilation.
// A note if NVRTC itself is only opened if it exists; nothing if its user works without it. On Windows this
// is CC501.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC405) {
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces) {
        const LoadedFile* nvrtc = trace.library("nvrtc");
        for (const LoadedFile& library : trace.libraries) {
            if (library.library != "nvrtc-builtins" || library.taken || library.undecided ||
                library.optional || library.how == LoadHow::text)
                continue;
            const bool certain = nvrtc ? is_needed_to_start(*nvrtc) : trace.path == library.needed_by;
            Finding& finding =
                add(findings, "CC405", certain ? Level::error : Level::note, subject_of(trace, library),
                    trace.path + " cannot compile at run time: " + library.name + " is not there");
            Origin where;
            where.text = library.because;
            finding.found = {{library.name, "no such file", where}};
            if (nvrtc && nvrtc->taken) finding.found.push_back(evidence_of(*nvrtc));
            Origin asker = Origin::from_file(library.needed_by);
            asker.text = "opened by " + library.needed_by;
            finding.expected = {{library.name, "one that is found", asker}};
            finding.because =
                "NVRTC opens the builtins of its own release by name at the first compilation: \"nvrtc: "
                "error: "
                "failed to open " +
                library.name + "\"";
            finding.fix = {{FixKind::manual, "put " + library.name + " of the same package beside " +
                                                 library.needed_by +
                                                 ", with its folder in LD_LIBRARY_PATH or ld.so.cache"}};
        }
    }
}

}  // namespace ptxguard
