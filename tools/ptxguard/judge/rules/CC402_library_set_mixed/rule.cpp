// CC402 library_set_mixed: libraries built for each other come from different releases. An error if symbols
// are missing, or if the used library is older than the one that uses it; a newer one is a warning.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"

namespace ptxguard {
namespace {

std::string release_of_library(const LoadedFile& library) {
    return library.cuda      ? "CUDA " + library.cuda->text
           : library.version ? library.version->text
                             : "another release";
}

std::string reason(const LibraryFault& fault, const LoadedFile& other) {
    const LoadedFile& library = fault.library();
    const auto names = names_asked_of(library.undefined_names, other);
    if (!names.empty())
        return library.name + " needs " + names.front() +
               (*library.undefined > 1 ? " and " + std::to_string(*library.undefined - 1) + " more symbols"
                                       : std::string()) +
               ", which this " + other.name + " does not define: the process ends at their first call";
    if (fault.kind == LibraryFaultKind::other_cuda)
        return "CUDA " + std::to_string(library.cuda->major()) + " and " +
               std::to_string(other.cuda->major()) +
               " have this library under one name, so the loader takes either; this one needs a driver of "
               "CUDA " +
               std::to_string(other.cuda->major()) + ", and has the functions of that CUDA";
    if (fault.family == LibraryFamily::cublas)
        return "cuBLAS calls private functions of cuBLASLt, which change between releases: the loader fails "
               "with 'undefined symbol', or calls fail";
    return "these libraries are built for each other within one release";
}

// JAX compares each CUDA library with the one that it was built with, and prints both.
void judge_set_of_log(const Scenario& scenario, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"library_set_mixed"})) {
        if (!message->loaded || !message->built || *message->loaded >= *message->built) continue;
        Finding& finding = add(findings, "CC402", Level::error, message->library,
                               program_of_log(scenario) + " was built with " + message->library + " " +
                                   message->built->text + " but loads the older " + message->loaded->text);
        finding.found = {evidence_of(*message)};
        finding.expected = {{message->library, ">= " + message->built->text, message->origin}};
        finding.because = "the CUDA libraries of a framework are built for each other within one release";
        finding.fix = {leave_out_fix(scenario, message->library, *message->loaded)};
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC402) {
    if (scenario.source == SourceKind::log) return judge_set_of_log(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC402")) {
        const LoadedFile &library = fault.library(), &other = fault.others.front();
        Finding& finding =
            add(findings, "CC402", fault.proven ? Level::error : Level::warning,
                other.name + " of " + fault.trace->path,
                fault.trace->path + " loads " + other.name + " of " + release_of_library(other) + " with " +
                    library.name + " of " + release_of_library(library));
        finding.found = {evidence_of(library), evidence_of(other)};
        finding.expected = {{other.name, "of " + release_of_library(library), library.cuda.origin}};
        finding.because = reason(fault, other);
        finding.fix = same_release_fix(other, library, scenario.system);
        finding.entry = entry_of(library, other);
    }
}

}  // namespace ptxguard
