// CC404 cublas_major_mismatch: the file behind a cuBLAS name belongs to another CUDA major, or the CUDA
// runtime that the process needs does.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"

namespace ptxguard {
namespace {

bool is_cublas(const LoadedFile& library) {
    return library.library == "cublas" || library.library == "cublasLt";
}

// The major of the file itself: from its real name, or from the version in it.
int real_major(const LoadedFile& library, const Facts& facts) {
    const auto real =
        library_by_file_name(facts, library.real_path.substr(library.real_path.find_last_of("/\\") + 1));
    if (real && real->library == library.library && real->number) return real->number->major();
    return library.version ? library.version->major() : 0;
}

void judge_renamed(const LoadTrace& trace, const LoadedFile& library, const Facts& facts,
                   Findings& findings) {
    const auto asked = library_by_file_name(facts, library.name.substr(library.name.find_last_of("/\\") + 1));
    const int real = real_major(library, facts);
    if (!asked || !asked->number || real == 0 || real == asked->number->major()) return;
    Finding& finding = add(findings, "CC404", Level::error, subject_of(trace, library),
                           library.name + " of " + trace.path + " is cuBLAS " + std::to_string(real));
    finding.found = {evidence_of(library)};
    if (!library.real_path.empty()) finding.found.front().origin.text += ", in truth " + library.real_path;
    finding.expected = {{library.name, std::to_string(asked->number->major()) + ".x", Origin{}}};
    finding.because =
        "a link or a copy under another name satisfies the loader, and its functions have changed";
    finding.fix = {{FixKind::manual, "install cuBLAS " + std::to_string(asked->number->major()) +
                                         " and remove the link or copy " + library.taken.value_or("")}};
}

}  // namespace

PTXGUARD_RULE(CC404) {
    for (const LoadTrace& trace : scenario.traces) {
        const LoadedFile* runtime = nullptr;
        for (const LoadedFile& library : trace.libraries)
            if (library.library == "cudart" && is_taken(library) && is_needed_to_start(library))
                runtime = &library;
        for (const LoadedFile& library : trace.libraries) {
            if (!is_cublas(library) || !is_taken(library)) continue;
            judge_renamed(trace, library, facts, findings);
            if (!runtime || !is_needed_to_start(library) || library.needed_by != runtime->needed_by) continue;
            if (!library.cuda_major || !runtime->cuda_major || library.cuda_major == runtime->cuda_major)
                continue;
            Finding& finding = add(findings, "CC404", Level::error, subject_of(trace, library),
                                   library.needed_by + " needs " + library.name + " of CUDA " +
                                       std::to_string(library.cuda_major) + " and " + runtime->name +
                                       " of CUDA " + std::to_string(runtime->cuda_major));
            finding.found = {evidence_of(library), evidence_of(*runtime)};
            finding.expected = {
                {"cuBLAS", "of CUDA " + std::to_string(runtime->cuda_major), evidence_of(*runtime).origin}};
            finding.because =
                "streams and handles of one CUDA runtime cannot be given to the libraries of another major";
            finding.fix = {{FixKind::manual, "link " + library.needed_by +
                                                 " with the cuBLAS of the toolkit that compiles it"}};
        }
    }
}

}  // namespace ptxguard
