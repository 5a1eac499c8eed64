// SPDX-License-Identifier: Apache-2.0
#include "judge/fitting_builds.hpp"

#include <algorithm>

#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"

namespace ptxguard {
namespace {

// Of several, the one for the newest CUDA. PTX of an old target is no recommendation: the libraries that the
// build links have none for that GPU.
const CudaBuild* fitting(const FrameworkRelease& release, Arch gpu, const Scenario& scenario,
                         const Facts& facts) {
    const CudaBuild* newest = nullptr;
    for (const CudaBuild& build : release.builds) {
        if (build.system != scenario.system || build.archs.empty()) continue;
        if (code_fit(build.archs, gpu, scenario, facts) != CodeFit::cubin) continue;
        if (!newest || newest->cuda < build.cuda) newest = &build;
    }
    return newest;
}

// "cu128"; empty if the package has only one build.
std::string variant_for(const FrameworkRelease& release, const Version& cuda) {
    for (const std::string& variant : release.variants)
        if (const auto of = cuda_of_variant(variant); of && same_release(*of, cuda)) return variant;
    return {};
}

}  // namespace

bool is_newer_than_all(const std::vector<Target>& code, Arch gpu) {
    return std::none_of(code.begin(), code.end(),
                        [&](const Target& t) { return t.arch.number >= gpu.number; });
}

std::vector<Fix> fitting_build_fix(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                   const Facts& facts) {
    if (!expectation.version || !expectation.archs) return {};
    const FrameworkRelease* own = facts.framework_release(expectation.package, *expectation.version);
    const CudaBuild* sibling = own ? fitting(*own, gpu, scenario, facts) : nullptr;
    if (sibling && (!expectation.cuda || !same_release(*expectation.cuda, sibling->cuda)))
        if (const std::string variant = variant_for(*own, sibling->cuda); !variant.empty())
            return {build_fix(expectation, *own, variant)};
    const bool newer = is_newer_than_all(*expectation.archs, gpu);
    std::vector<Version> releases = facts.framework_releases(expectation.package);
    if (!newer) std::reverse(releases.begin(), releases.end());
    for (const Version& version : releases) {
        if (newer ? !(*expectation.version < version) : !(version < *expectation.version)) continue;
        const FrameworkRelease* release = facts.framework_release(expectation.package, version);
        const CudaBuild* build = release ? fitting(*release, gpu, scenario, facts) : nullptr;
        if (!build) continue;
        const std::string variant = variant_for(*release, build->cuda);
        std::vector<Fix> fixes = {
            {FixKind::manual, expectation.package + " " + version.text + (newer ? " or newer" : " or older") +
                                  (variant.empty() ? "" : " (its " + variant + " build)") +
                                  ", which holds code for " + gpu.sm()}};
        if (!variant.empty()) fixes.push_back(build_fix(expectation, *release, variant));
        return fixes;
    }
    return {};
}

}  // namespace ptxguard
