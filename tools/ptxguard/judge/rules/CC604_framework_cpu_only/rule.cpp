// The framework that this CUDA build is for cannot use CUDA: a build for CPUs, or for another vendor's GPUs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"

namespace ptxguard {
namespace {

std::string built_for(const Expectation& expectation) {
    if (expectation.is_of(Vendor::rocm)) return "ROCm";
    if (expectation.is_of(Vendor::xpu)) return "Intel GPUs";
    return "CPUs only";
}

const Origin& who_says(const Expectation& expectation) {
    return expectation.vendor ? expectation.vendor.origin : expectation.cpu_only.origin;
}

}  // namespace

PTXGUARD_RULE(CC604) {
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const bool builds = toolkit && toolkit->part(PartKind::nvcc), gpu = names_a_gpu(scenario);
    if (!builds && !gpu) return;
    const Known<Version> version = builds ? release_of(*toolkit) : Known<Version>{};
    // --require framework asks for one that this build can be for.
    bool none_else = scenario.requires_("framework") &&
                     std::none_of(scenario.expectations.begin(), scenario.expectations.end(),
                                  [](const Expectation& one) { return one.may_use_cuda(); });
    for (const Expectation& expectation : scenario.expectations) {
        bool wanted = expectation.required || expectation.declared || none_else;
        if (!wanted || expectation.may_use_cuda() || never_released(expectation)) continue;
        Finding& finding =
            add(findings, "CC604", gpu ? Level::error : Level::warning, name_of(expectation),
                name_of(expectation) + " is built for " + built_for(expectation) +
                    (builds ? ", this build uses " + name_of(*toolkit) : " and will not use the GPU"));
        finding.found.push_back(
            {"build of " + expectation.package, built_for(expectation), who_says(expectation)});
        if (version)
            finding.expected.push_back(
                {"build of " + expectation.package, "CUDA " + version->release(), version.origin});
        finding.because =
            builds ? "CUDA code that is compiled for it finds neither its CUDA headers nor its CUDA libraries"
                   : "this build has no GPU code, and a GPU was named";
        if (version) finding.fix = other_build_fix(expectation, facts, version->major());
        if (finding.fix.empty())
            finding.fix.push_back(
                {FixKind::manual, "install a CUDA build of " + expectation.package +
                                      (builds ? ", or build this project without CUDA" : "")});
    }
}

}  // namespace ptxguard
