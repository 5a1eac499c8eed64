// CC404 cublas_major_mismatch: the file behind a cuBLAS name belongs to another CUDA major, or the CUDA
// runtime that the process needs does.
// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

namespace ptxguard {
namespace {

void judge_renamed(const LibraryFault& fault, Findings& findings) {
    const LoadedFile& library = fault.library();
    const std::string& wanted = fault.wanted->text;
    Composed finding = add(findings, "CC404", Level::error, SAY("{} of {}", library.name, fault.trace->path),
                           SAY("{} of {} is really cuBLAS {}", library.name, fault.trace->path, fault.major))
                           .found(evidence_of(library));
    if (!library.real_path.empty())
        finding->found.front().origin.text += SAY(", really {}", library.real_path);
    finding.expected(library.name, SAY("{}.x", wanted), Origin{});
    finding.because(
        "the loader accepts a link or copy under another name, but the functions of another major differ");
    finding.by_hand(
        SAY("install cuBLAS {} and remove the link or copy {}", wanted, library.taken.value_or("")));
}

}  // namespace

PTXGUARD_RULE(CC404) {
    for (const LibraryFault& fault : faults.reported_by("CC404")) {
        const AllAbout about(findings, fault.about);
        if (fault.kind == LibraryFaultKind::renamed) {
            judge_renamed(fault, findings);
            continue;
        }
        const LoadedFile &library = fault.library(), &runtime = fault.others.front();
        add(findings, "CC404", Level::error, SAY("{} of {}", library.name, fault.trace->path),
            SAY("{} needs {} of CUDA {} and {} of CUDA {}", library.needed_by, library.name,
                library.cuda_major, runtime.name, fault.wanted->text))
            .found(evidence_of(library), evidence_of(runtime))
            .expected("cuBLAS", SAY("of CUDA {}", fault.wanted->text), fault.wanted.origin)
            .because(
                "streams and handles of one CUDA runtime cannot be given to the libraries of another major")
            .by_hand(SAY("link {} with the cuBLAS of the toolkit that compiles it", library.needed_by));
    }
}

}  // namespace ptxguard
