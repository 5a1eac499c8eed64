// CC401 library_missing: the loader finds no file of a library that is needed. On Windows this is CC501. A
// library of the driver is CC210's matter, NVRTC's builtins are CC405's.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {
namespace {

std::vector<Fix> get_fix(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, library.name);
    const std::string cuda = name && name->cuda_major ? " of CUDA " + std::to_string(name->cuda_major) : "";
    std::vector<Fix> fixes{{FixKind::manual, "install " + library.name + cuda + " where the loader looks"}};
    for (const LibrarySource& source : library_sources(facts, library.name, System::linux_)) {
        if (source.package.empty()) continue;
        fixes.push_back({FixKind::manual, "pip install " + source.package + ", with its " + source.folder +
                                              " in LD_LIBRARY_PATH"});
        break;
    }
    return fixes;
}

void judge_extension(const LoadTrace& trace, Findings& findings) {
    const std::string& package = trace.missing_package;
    Finding& finding = add(findings, "CC401", Level::unknown, trace.path,
                           "whether " + trace.path + " loads is not known: it is an extension of " + package +
                               ", which is not here");
    finding.because = "it needs libraries of " + package +
                      " and has no way to them: it comes into a process in which " + package +
                      " was imported, with the CUDA libraries that it loaded";
    finding.required = true;
    finding.decide = {"the Python that has " + package + ": --python DIR"};
}

}  // namespace

PTXGUARD_RULE(CC401) {
    if (scenario.system == System::windows) return;
    for (const LoadTrace& trace : scenario.traces) {
        if (!trace.missing_package.empty()) judge_extension(trace, findings);
        for (const LoadedFile& library : trace.libraries) {
            if (library.taken || library.undecided || library.optional || library.how == LoadHow::text)
                continue;
            if (is_of_driver(library, facts) || library.library == "nvrtc-builtins") continue;
            const bool starts = !is_needed_to_start(library);
            Finding& finding =
                add(findings, "CC401", starts ? Level::note : Level::error, subject_of(trace, library),
                    starts ? trace.path + " starts without " + library.name + ", which is opened later"
                           : trace.path + " does not load: " + library.name + " is not there");
            Origin where;
            where.text = library.because;
            finding.found = {{library.name, "no such file", where}};
            Origin asker = Origin::from_file(library.needed_by);
            asker.text = (starts ? "opened by " : "needed by ") + library.needed_by;
            finding.expected = {{library.name, "one that is found", asker}};
            finding.because =
                "the loader looks in these folders alone, and none of them holds a file of that name";
            finding.fix = get_fix(library, facts);
        }
    }
}

}  // namespace ptxguard
