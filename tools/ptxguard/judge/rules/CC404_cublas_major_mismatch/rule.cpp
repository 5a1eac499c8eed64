// CC404 cublas_major_mismatch: the file behind a cuBLAS name belongs to another CUDA major, or the CUDA
// runtime that the process needs does.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {
namespace {

void judge_renamed(const LibraryFault& fault, Findings& findings) {
    const LoadedFile& library = fault.library();
    const std::string& wanted = fault.wanted->text;
    Finding& finding =
        add(findings, "CC404", Level::error, library.name + " of " + fault.trace->path,
            library.name + " of " + fault.trace->path + " is really cuBLAS " + std::to_string(fault.major));
    finding.found = {evidence_of(library)};
    if (!library.real_path.empty()) finding.found.front().origin.text += ", really " + library.real_path;
    finding.expected = {{library.name, wanted + ".x", Origin{}}};
    finding.because =
        "the loader accepts a link or copy under another name, but the functions of another major differ";
    finding.fix = {
        by_hand("install cuBLAS " + wanted + " and remove the link or copy " + library.taken.value_or(""))};
}

}  // namespace

PTXGUARD_RULE(CC404) {
    for (const LibraryFault& fault : faults.reported_by("CC404")) {
        if (fault.kind == LibraryFaultKind::renamed) {
            judge_renamed(fault, findings);
            continue;
        }
        const LoadedFile &library = fault.library(), &runtime = fault.others.front();
        Finding& finding = add(findings, "CC404", Level::error, library.name + " of " + fault.trace->path,
                               library.needed_by + " needs " + library.name + " of CUDA " +
                                   std::to_string(library.cuda_major) + " and " + runtime.name + " of CUDA " +
                                   fault.wanted->text);
        finding.found = {evidence_of(library), evidence_of(runtime)};
        finding.expected = {{"cuBLAS", "of CUDA " + fault.wanted->text, fault.wanted.origin}};
        finding.because =
            "streams and handles of one CUDA runtime cannot be given to the libraries of another major";
        finding.fix = {
            by_hand("link " + library.needed_by + " with the cuBLAS of the toolkit that compiles it")};
    }
}

}  // namespace ptxguard
