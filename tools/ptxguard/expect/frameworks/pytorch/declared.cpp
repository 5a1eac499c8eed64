// torch==2.5.1+cu121: the build tag names CUDA; the tables list the existing builds and the CUDA of the
// default one.
// SPDX-License-Identifier: Apache-2.0

#include "expect/filling.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "facts/variants.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::pytorch {
namespace {

// "cu199" is ambiguous; a major up to one above the newest known one is accepted as written.
bool believable(const Facts& facts, const Version& cuda) {
    const auto known = facts.cuda_releases();
    return known.empty() || cuda.major() <= known.back().major() + 1;
}

// With an unknown build tag ("computecanada", "nv24.5") everything is unknown.
Expectation by_tag(const Facts& facts, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("PyTorch", "torch", build);
    if (expectation.cuda && !believable(facts, *expectation.cuda)) distrust(expectation, "");
    if (build.build == "xpu") set_vendor(expectation, Vendor::xpu, option_origin(build));
    return expectation;
}

// PyPI's build: CUDA on Linux; on Windows as in the table (CPU only).
void apply_default(const FrameworkRelease& release, System system, Expectation& expectation) {
    const auto& cuda = system == System::windows ? release.cuda_windows : release.cuda;
    if (cuda) {
        expectation.cuda = {*cuda, release.origin};
        set_vendor(expectation, Vendor::cuda, release.origin);
    } else if (system == System::windows && release.cpu_only_windows) {
        set_vendor(expectation, Vendor::cpu, release.origin);
    }
}

std::vector<std::string> variants_of(const FrameworkRelease& release) {
    std::vector<std::string> variants = release.variants;
    const std::string tag = release.cuda ? tag_of_cuda(*release.cuda) : "";
    if (!variants.empty() && !tag.empty() && !contains(variants, tag)) variants.push_back(tag);
    return variants;
}

void apply_published(const FrameworkRelease& release, const DeclaredBuild& build, Expectation& expectation) {
    const auto variants = variants_of(release);
    if (variants.empty()) return;
    expectation.published_variants = variants;
    const bool listed = contains(variants, build.build);
    // The tables list CUDA builds: it means nothing that a CPU or ROCm build, or one with a longer tag, is
    // not listed.
    if (build.build.empty() || listed)
        expectation.published = {true, release.origin};
    else if (starts_with(build.build, "cu") && build.build.find('.') == std::string::npos)  // cu121.with.x
        expectation.published = {false, release.origin};
}

// What the tables list for the build with that CUDA; the C++ standard is that of the sources.
void apply_details(const FrameworkRelease& release, System system, Expectation& expectation) {
    if (release.cxx_standard) expectation.cxx_standard = {*release.cxx_standard, release.origin};
    if (!expectation.cuda) return;
    if (const auto cudnn = cudnn_of_build(release, system, *expectation.cuda))
        expectation.cudnn = {*cudnn, release.origin};
    const CudaBuild* build = release.build_for(system, *expectation.cuda);
    if (!build) return;
    if (!build->archs.empty()) expectation.archs = {build->archs, build->origin};
    if (build->cxx_abi) expectation.cxx_abi = {*build->cxx_abi, build->origin};
}

}  // namespace

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = by_tag(facts, build);
    const FrameworkRelease* release =
        build.version ? facts.framework_release("torch", *build.version) : nullptr;
    if (!release) return expectation;
    if (build.build.empty()) apply_default(*release, system, expectation);
    apply_published(*release, build, expectation);
    apply_details(*release, system, expectation);
    return expectation;
}

}  // namespace ptxguard::pytorch
