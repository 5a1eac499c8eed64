// CC304 cudnn_for_other_cuda: a process gets a cuDNN that was built for another CUDA major than that of the
// process.
// SPDX-License-Identifier: Apache-2.0
#include "judge/cudnn_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

// What the framework was built with; for other files, the runtime or the cuBLAS that they link.
Known<Version> cuda_of_process(const CudnnInUse& cudnn) {
    if (cudnn.framework) return cudnn.framework->cuda;
    for (const char* name : {"cudart", "cublas"}) {
        const LoadedFile* library = cudnn.trace->library(name);
        if (!library || !is_taken(*library) || !is_needed_to_start(*library) || !library->cuda_major)
            continue;
        if (library->needed_by != cudnn.asked->needed_by) continue;
        Version version;
        version.numbers = {library->cuda_major};
        version.text = std::to_string(library->cuda_major);
        return {version, evidence_of(*library).origin};
    }
    return {};
}

// The first library that was built for another major; null if none is known to be.
const LoadedFile* for_other_cuda(const CudnnInUse& cudnn, const Version& process) {
    for (const LoadedFile& library : cudnn.trace->libraries)
        if (is_cudnn(library) && is_taken(library) && library.cuda &&
            library.cuda->major() != process.major())
            return &library;
    return nullptr;
}

// A project that links cuDNN, where every installed copy is for another CUDA than its toolkit's.
void judge_project(const Scenario& scenario, Findings& findings) {
    const Toolkit* toolkit = scenario.requires_("cudnn") ? toolkit_of_build(scenario) : nullptr;
    const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
    if (!release || scenario.cudnns.empty()) return;
    for (const CudnnCopy& copy : scenario.cudnns)
        if (!copy.cuda || copy.cuda->major() == release->major()) return;
    const std::string wanted = std::to_string(release->major());
    const CudnnCopy& copy = scenario.cudnns.front();
    Finding& finding = add(findings, "CC304", Level::error, "cuDNN of this project",
                           "this project links cuDNN with CUDA " + release->release() +
                               ", and every cuDNN here is for "
                               "another CUDA");
    for (const CudnnCopy& one : scenario.cudnns)
        finding.found.push_back(
            {"cuDNN " + text_of(one.version), "for CUDA " + one.cuda->text, one.cuda.origin});
    finding.expected = {{"cuDNN", "for CUDA " + wanted, release.origin}};
    finding.because = "it brings the cuBLAS and the runtime of its own CUDA into the process";
    finding.fix = {{FixKind::manual, "install cuDNN " + std::to_string(copy.major) + " for CUDA " + wanted}};
}

}  // namespace

PTXGUARD_RULE(CC304) {
    judge_project(scenario, findings);
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        const Known<Version> process = cuda_of_process(cudnn);
        const LoadedFile* library = process && !cudnn.mixed ? for_other_cuda(cudnn, *process) : nullptr;
        if (!library) continue;
        const std::string wanted = std::to_string(process->major());
        Finding& finding = add(findings, "CC304", Level::error, name_of(cudnn) + ", " + library->name,
                               name_of(cudnn) + " is of CUDA " + process->text +
                                   " and gets a cuDNN for CUDA " + library->cuda->text);
        finding.found = {evidence_of(*library), {"made for CUDA", library->cuda->text, library->cuda.origin}};
        finding.expected = {{"cuDNN", "for CUDA " + wanted, process.origin}};
        finding.because =
            "the builds of one cuDNN for several CUDAs have the same file names; each opens the cuBLAS of "
            "its own CUDA, and streams of one runtime are nothing to the other";
        finding.fix = variable_fix(*library);
        if (cudnn.framework && cudnn.framework->cudnn)
            finding.fix.push_back(get_cudnn_fix(cudnn, *cudnn.framework->cudnn, process->major()));
        else if (cudnn.version)
            finding.fix.push_back(get_cudnn_fix(cudnn, *cudnn.version, process->major()));
    }
}

}  // namespace ptxguard
