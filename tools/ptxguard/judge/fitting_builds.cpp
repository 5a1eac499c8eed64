// SPDX-License-Identifier: Apache-2.0
#include "judge/fitting_builds.hpp"

#include <algorithm>

#include "facts/cudnn.hpp"
#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

// "cu128"; empty if the package has only one build.
std::string variant_for(const FrameworkRelease& release, const Version& cuda) {
    for (const std::string& variant : release.variants)
        if (const auto of = cuda_of_tag(variant); of && same_release(*of, cuda) && release.offers(variant))
            return variant;
    return {};
}

// If there are several, the one for the newest CUDA. PTX of an old target is not recommended: the libraries
// that the build links have none for that GPU.
const CudaBuild* fitting(const FrameworkRelease& release, Arch gpu, const Scenario& scenario,
                         const Facts& facts) {
    const CudaBuild* newest = nullptr;
    for (const CudaBuild& build : release.builds) {
        if (build.system != scenario.system || build.archs.empty()) continue;
        if (code_fit(build.archs, gpu, scenario, facts) != CodeFit::cubin) continue;
        if (variant_for(release, build.cuda).empty() != release.variants.empty()) continue;
        if (!newest || newest->cuda < build.cuda) newest = &build;
    }
    return newest;
}

}  // namespace

bool is_newer_than_all(const std::vector<Target>& code, Arch gpu) {
    return none_of(code, [&](const Target& t) { return t.arch.number >= gpu.number; });
}

namespace {

// A build of the same release for another CUDA.
std::vector<Fix> sibling_fix(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                             const Facts& facts) {
    const FrameworkRelease* own = facts.framework_release(expectation.package, *expectation.version);
    const CudaBuild* sibling = own ? fitting(*own, gpu, scenario, facts) : nullptr;
    if (!sibling || (expectation.cuda && same_release(*expectation.cuda, sibling->cuda))) return {};
    const std::string variant = variant_for(*own, sibling->cuda);
    if (variant.empty()) return {};
    return {build_fix(expectation, *own, variant, facts)};
}

}  // namespace

std::vector<Fix> fitting_build_fix(const Expectation& expectation, Arch gpu, const Scenario& scenario,
                                   const Facts& facts) {
    if (!expectation.version || !expectation.archs) return {};
    if (std::vector<Fix> sibling = sibling_fix(expectation, gpu, scenario, facts); !sibling.empty())
        return sibling;
    const bool newer = is_newer_than_all(*expectation.archs, gpu);
    std::vector<Version> releases = facts.framework_releases(expectation.package);
    if (!newer) std::reverse(releases.begin(), releases.end());
    for (const Version& version : releases) {
        if (newer ? !(*expectation.version < version) : !(version < *expectation.version)) continue;
        const FrameworkRelease* release = facts.framework_release(expectation.package, version);
        const CudaBuild* build = release ? fitting(*release, gpu, scenario, facts) : nullptr;
        if (!build) continue;
        const std::string variant = variant_for(*release, build->cuda);
        if (!variant.empty() || !release->pip.empty())
            return {build_fix(expectation, *release, variant, facts)};
        Fix fix = by_hand(SAY("{} {} or {}, which has code for {}", expectation.package, version.text,
                              newer ? "newer" : "older", gpu.sm()));
        fix.step = build_step(expectation, *release, build->cuda, variant);
        return {fix};
    }
    return {};
}

bool is_own_build(const Step& build, const Facts& facts) {
    const FrameworkRelease* release = facts.framework_release(build.package, build.version);
    return release && release->cuda && build.cuda && same_release(*release->cuda, *build.cuda);
}

namespace {

// Whether `fix` is nearer than the `best` of the newer releases, or of the older ones, before it. Newest
// first, and for one release the build for the newest CUDA first.
bool is_nearer(const Step& step, const std::optional<Fix>& best, bool newer, const Version& cuda) {
    if (!best) return true;
    const Version& other = best->step->version;
    return (newer && other.release() != step.version.release()) ||
           (other.without_local() == step.version.without_local() && same_release(*step.cuda, cuda));
}

}  // namespace

std::vector<Fix> build_for_toolkit_fix(const Expectation& expectation, const Version& cuda,
                                       const Scenario& scenario, const Facts& facts) {
    if (!expectation.version) return {};
    const std::vector<Fix> same = other_build_fix(expectation, facts, cuda.major());
    if (!same.empty()) return same;
    std::optional<Fix> newer, older;
    for (const Fix& fix : published_builds(expectation, scenario.system, facts)) {
        if (!fix.step || !fix.step->cuda || fix.step->cuda->major() != cuda.major()) continue;
        const FrameworkRelease* release = facts.framework_release(fix.step->package, fix.step->version);
        if (!release || !has_wheel_for(*release, parse_version(scenario.python.version))) continue;
        const bool is_newer = compare(fix.step->version, *expectation.version) > 0;
        std::optional<Fix>& best = is_newer ? newer : older;
        if (is_nearer(*fix.step, best, is_newer, cuda)) best = fix;
    }
    if (newer) return {*newer};
    return older ? std::vector<Fix>{*older} : std::vector<Fix>{};
}

namespace {

// Those of the releases in one table.
std::vector<Fix> listed_builds(const Expectation& like, const std::string& table, System system,
                               const Facts& facts, bool installable) {
    std::vector<Fix> fixes;
    for (const Version& version : facts.framework_releases(table)) {
        const FrameworkRelease* release = facts.framework_release(table, version);
        if (!release || version.is_prerelease() || (installable && release->pip.empty())) continue;
        for (const CudaBuild& build : release->builds) {
            const std::string variant = variant_for(*release, build.cuda);
            if (build.system == system && variant.empty() == release->variants.empty())
                fixes.push_back(build_fix(like, *release, variant, facts));
        }
    }
    return fixes;
}

}  // namespace

std::vector<Fix> published_builds(const Expectation& like, System system, const Facts& facts,
                                  bool installable) {
    const std::string& table = like.build_package.empty() ? like.package : like.build_package;
    std::vector<Fix> fixes = listed_builds(like, table, system, facts, installable);
    if (fixes.empty() && like.build_package.empty() && !like.cuda)  // cupy: one package for each CUDA
        for (const std::string& package : facts.sibling_packages(table)) {
            Expectation one = like;
            one.package = one.build_package = package;
            for (Fix& fix : published_builds(one, system, facts, installable))
                fixes.push_back(std::move(fix));
        }
    std::stable_sort(fixes.begin(), fixes.end(), [](const Fix& a, const Fix& b) {
        const int order = compare(a.step->version, b.step->version);
        return order != 0 ? order > 0 : a.step->cuda && b.step->cuda && *a.step->cuda > *b.step->cuda;
    });
    return fixes;
}

namespace {

// The first minor release of cuDNN 9 for that CUDA without code for one of the GPUs; 0 = none is known.
int first_cudnn_without(const std::vector<const Gpu*>& gpus, int cuda_major, const Scenario& scenario,
                        const Facts& facts) {
    constexpr int k_last_minor = 60;
    for (int minor = 1; minor <= k_last_minor; ++minor) {
        const CudnnCodeNear near = cudnn_code(facts, *parse_version(SAY("9.{}.99", minor)), cuda_major);
        if (!near.before || near.before->version.numbers.size() < 2 ||
            near.before->version.numbers[1] != minor)
            continue;
        const auto lacks = [&](const Gpu* gpu) {  // no older release has code for one that is not listed
            return facts.arch(Arch{gpu->arch->number, 0}) &&
                   code_fit(near.before->code, *gpu->arch, scenario, facts) == CodeFit::none;
        };
        if (any_of(gpus, lacks)) return minor;
    }
    return 0;
}

// Whether the release requires that package without pinning it.
bool takes_newest(const FrameworkRelease& release, const std::string& package, const Facts& facts) {
    for (const RequiredPackage& required : release.required)
        if (required.package == package) return !starts_with(required.range, "==");
    const Requirement* required = requirement_on(facts, release.package, release.version, package,
                                                 parse_requirement(release.pip).extras);
    return required && !required->pinned();
}

}  // namespace

std::vector<std::string> bounds_for_gpus(const Step& build, const Scenario& scenario, const Facts& facts) {
    std::vector<std::string> bounds;
    const FrameworkRelease* release = facts.framework_release(build.package, build.version);
    if (!release || !build.cuda) return bounds;
    const std::string cudnn = SAY("nvidia-cudnn-cu{}", build.cuda->major());
    if (!takes_newest(*release, cudnn, facts)) return bounds;
    if (const int minor = first_cudnn_without(gpus_judged(scenario), build.cuda->major(), scenario, facts))
        bounds.push_back(SAY("{}<9.{}", cudnn, minor));
    return bounds;
}

void bound_installs(const Scenario& scenario, const Facts& facts, std::vector<Fix>& fixes) {
    for (Fix& fix : fixes) {
        if (fix.kind != FixKind::command || !fix.step || fix.step->kind != StepKind::framework) continue;
        for (const std::string& bound : bounds_for_gpus(*fix.step, scenario, facts))
            fix.text += SAY(" '{}'", bound);
    }
}

namespace {

// A finder takes the first folder with a library of that name, for any CUDA: measured with cuda-pathfinder,
// which finds the libcublas.so.13 of a remaining package, and CuPy for CUDA 12 then fails with an
// ImportError.
std::string packages_in_the_way(const Expectation& like, const Scenario& scenario, const Facts& facts) {
    std::vector<std::string> packages;
    for (const LoadTrace& trace : scenario.traces) {
        if (scenario.framework_of(trace) != &like) continue;
        for (const LoadedFile& library : trace.libraries) {
            if (!library.taken || library.rule.step != LoadStep::finder) continue;
            for (const LibrarySource& source :
                 library_sources(facts, file_of(*library.taken), scenario.system))
                if (ends_with(folder_of(*library.taken), SAY("/{}", source.folder)))
                    add_once(packages, source.package);
        }
    }
    std::string words;
    for (const std::string& package : packages) words += SAY(" {}", package);
    return words;
}

// Builds in its packages for other CUDA releases (cupy-cuda12x for an installed cupy-cuda13x). pip would keep
// the installed one beside the new one, so it is removed first.
std::vector<Fix> builds_of_other_packages(const Expectation& like, const Scenario& scenario,
                                          const Facts& facts) {
    if (like.how != Installation::wheel || like.declared) return {};
    const std::string& table = like.build_package.empty() ? like.package : like.build_package;
    const std::vector<std::string> packages = facts.sibling_packages(table);
    if (packages.size() < 2) return {};
    const std::string installed =
        like.jax.plugin.empty() ? table : SAY("{} {}", like.jax.plugin, like.jax.pjrt);
    const std::string remove = k_pip_uninstall + installed + packages_in_the_way(like, scenario, facts) +
                               (scenario.system == System::windows ? "; " : " && ");
    std::vector<Fix> fixes;
    for (const std::string& package : packages) {
        if (package == table) continue;
        Expectation other = like;
        other.build_package = package;
        for (Fix& fix : published_builds(other, scenario.system, facts)) {
            if (fix.kind != FixKind::command) continue;
            fix.text = remove + fix.text;
            fixes.push_back(std::move(fix));
        }
    }
    return fixes;
}

}  // namespace

BuildsAround builds_around(const Expectation& like, const Scenario& scenario, const Facts& facts) {
    std::vector<Fix> builds = published_builds(like, scenario.system, facts);
    append(builds, builds_of_other_packages(like, scenario, facts));
    std::stable_sort(builds.begin(), builds.end(), [](const Fix& a, const Fix& b) {
        return compare(a.step->version, b.step->version) > 0;
    });
    BuildsAround around;
    for (Fix& fix : builds) {
        const int order = compare(fix.step->version, *like.version);  // +cu126 does not count
        (order == 0 ? around.same : order < 0 ? around.older : around.newer).push_back(std::move(fix));
    }
    std::stable_sort(around.newer.begin(), around.newer.end(),
                     [](const Fix& a, const Fix& b) { return a.step->version < b.step->version; });
    return around;
}

bool is_other_patch(const Expectation& like, const Version& release, const Facts& facts) {
    return any_of(like.companions, [&](const InstalledCompanion& one) {
        if (!one.version) return false;
        const Requirement* required = requirement_on(facts, one.package, *one.version, like.package);
        const Companion* row = companion_of(facts, like.package, one.package);
        const CompanionWheel* wheel = row ? row->wheel(*one.version) : nullptr;
        const auto exact = required ? required->pinned() : wheel ? std::optional(wheel->of) : std::nullopt;
        return exact && same_release(*exact, release) && exact->without_local() != release.without_local();
    });
}

std::optional<Expectation> published_build(const Step& build, const Expectation& like, System system,
                                           const Facts& facts) {
    const FrameworkRelease* release = facts.framework_release(build.package, build.version);
    const CudaBuild* code = release && build.cuda ? release->build_for(system, *build.cuda) : nullptr;
    if (!code) return std::nullopt;
    Expectation one;
    one.framework = like.framework;
    one.package = build.subject;
    one.how = like.how;
    one.site = like.site;
    one.python = like.python;
    one.declared = true;
    one.required = like.required;
    one.version = {build.version, release->origin};
    one.cpu_only = {false, release->origin};
    one.vendor = {Vendor::cuda, release->origin};
    one.cuda = {*build.cuda, code->origin};
    if (const auto cudnn = cudnn_of_build(*release, system, *build.cuda))
        one.cudnn = {*cudnn, release->origin};
    one.cudnn_from = like.cudnn_from;
    if (!code->archs.empty()) one.archs = {code->archs, code->origin};
    if (code->cxx_abi) one.cxx_abi = {*code->cxx_abi, code->origin};
    if (release->cxx_standard) one.cxx_standard = {*release->cxx_standard, release->origin};
    one.companions = like.companions;  // they stay installed
    if (build.package != build.subject) {
        one.build_package = build.package;
        one.build_version = {release->version, release->origin};
    }
    return one;
}

namespace {

// "xformers" 0.0.28 for ".../xformers-0.0.28-cp311-cp311-manylinux_2_28_x86_64.whl".
std::optional<std::pair<std::string, Version>> wheel_named_by(const BinaryFile& file) {
    for (const std::string& path : {file.path, file.container}) {
        const std::string name = file_of(path);
        const std::size_t dash = name.find('-'), end = name.find('-', dash + 1);
        if (!ends_with(name, ".whl") || dash == npos || end == npos) continue;
        if (const auto version = parse_version(name.substr(dash + 1, end - dash - 1)))
            return std::pair(canonical_package(name.substr(0, dash)), *version);
    }
    return std::nullopt;
}

std::vector<Target> code_in(const BinaryFile& file) {
    std::vector<Target> code;
    for (const DeviceEntry& entry : file.entries) {
        const bool cubin = entry.kind == EntryKind::cubin, ptx = entry.kind == EntryKind::ptx;
        if ((cubin || ptx) && entry.arch.number != 0) code.push_back({entry.arch, cubin, ptx});
    }
    return code;
}

}  // namespace

std::vector<Fix> code_for_gpu_fix(const BinaryFile& file, Arch gpu, const Scenario& scenario,
                                  const Facts& facts) {
    const auto wheel = wheel_named_by(file);
    if (!wheel) return {compile_for_fix(gpu.name())};
    const auto& [package, version] = *wheel;
    Expectation like;
    like.framework = like.package = package;
    like.how = Installation::wheel;
    like.version = {version, file.origin};
    like.archs = {code_in(file), file.origin};
    std::vector<Fix> fixes = fitting_build_fix(like, gpu, scenario, facts);
    for (Fix& fix : fixes) fix.step.reset();  // it is no framework of the scenario
    if (!fixes.empty()) return fixes;
    const bool newer = is_newer_than_all(*like.archs, gpu);
    fixes.push_back(
        by_hand(SAY("{} release of {} with code for {} (ptxguard inspect shows it before you install it)",
                    newer ? "install a newer" : "install an older", package, gpu.sm())));
    const DeviceSources* sources = recipe_tables(facts).device_source(package);
    if (sources && !sources->own_archs && sources->by_option.empty() && scenario.system == System::linux_)
        fixes.push_back(
            {FixKind::command, SAY("TORCH_CUDA_ARCH_LIST={} {}--no-build-isolation --no-binary {} '{}=={}'",
                                   gpu.cc(), k_pip_install, package, package, version.without_local())});
    return fixes;
}

Fix older_cuda_fix(const BinaryFile& file, const Version& newest) {
    const std::string bound = SAY("CUDA {} or older, which that driver supports", newest.release());
    const auto wheel = wheel_named_by(file);
    return by_hand(wheel ? SAY("install a release of {} that was built with {}", wheel->first, bound)
                         : SAY("build it with {}", bound));
}

}  // namespace ptxguard
