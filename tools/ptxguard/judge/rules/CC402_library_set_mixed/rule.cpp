// CC402 library_set_mixed: libraries built for each other come from different releases. An error if symbols
// are missing, or if the used library is older than the one that uses it; a newer one is a warning.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"

namespace ptxguard {
namespace {

std::string release_of_library(const LoadedFile& library) {
    return library.cuda      ? SAY("CUDA {}", library.cuda->text)
           : library.version ? library.version->text
                             : "another release";
}

std::string reason(const LibraryFault& fault, const LoadedFile& other) {
    const LoadedFile& library = fault.library();
    const auto names = names_asked_of(library.undefined_names, other);
    if (!names.empty())
        return SAY(
            "{} needs {}, which this {} does not define: the process ends at their first call", library.name,
            *library.undefined > 1 ? SAY("{} and {} more symbols", names.front(), *library.undefined - 1)
                                   : names.front(),
            other.name);
    if (fault.kind == LibraryFaultKind::other_cuda)
        return SAY(
            "CUDA {} and {} have this library under one name, so the loader takes either; this one needs a "
            "driver of CUDA {}, and has the functions of that CUDA",
            library.cuda->major(), other.cuda->major(), other.cuda->major());
    if (fault.family == LibraryFamily::cublas)
        return "cuBLAS calls private functions of cuBLASLt, which change between releases: the loader fails "
               "with 'undefined symbol', or calls fail";
    return "these libraries are built for each other within one release";
}

// JAX compares each CUDA library with the one that it was built with, and prints both.
void judge_set_of_log(const Scenario& scenario, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"library_set_mixed"})) {
        if (!message->loaded || !message->built || *message->loaded >= *message->built) continue;
        add(findings, "CC402", Level::error, message->library,
            SAY("{} was built with {} {} but loads the older {}", program_of_log(scenario), message->library,
                message->built->text, message->loaded->text))
            .found(evidence_of(*message))
            .expected(message->library, SAY(">= {}", message->built->text), message->origin)
            .because("the CUDA libraries of a framework are built for each other within one release")
            .fix(leave_out_fix(scenario, message->library, *message->loaded));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC402) {
    if (scenario.source == SourceKind::log) return judge_set_of_log(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC402")) {
        const AllAbout about(findings, fault.about);
        const LoadedFile &library = fault.library(), &other = fault.others.front();
        add(findings, "CC402", fault.proven ? Level::error : Level::warning,
            SAY("{} of {}", other.name, fault.trace->path),
            SAY("{} loads {} of {} with {} of {}", fault.trace->path, other.name, release_of_library(other),
                library.name, release_of_library(library)))
            .found(evidence_of(library), evidence_of(other))
            .expected(other.name, SAY("of {}", release_of_library(library)), library.cuda.origin)
            .because(reason(fault, other))
            .fix(same_release_fix(other, library, scenario.system, facts))
            .of_entry(entry_of(library, other));
    }
}

}  // namespace ptxguard
