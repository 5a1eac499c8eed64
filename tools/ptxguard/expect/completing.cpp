// SPDX-License-Identifier: Apache-2.0
#include "expect/completing.hpp"

#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/variants.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_near = 3;  // neighbouring releases to suggest

const FrameworkRelease* release_of(const Facts& facts, const Expectation& expectation) {
    const bool other = !expectation.build_package.empty();
    const Known<Version>& version = other ? expectation.build_version : expectation.version;
    if (!version) return nullptr;
    return facts.framework_release(other ? expectation.build_package : expectation.package, *version);
}

// Compares only the numbers that both have: 12.2 agrees with 12.2.128, 9 with 9.1.0.
bool differ(const Version& a, const Version& b) {
    for (std::size_t i = 0; i < std::min(a.numbers.size(), b.numbers.size()); ++i)
        if (a.at(i) != b.at(i)) return true;
    return false;
}

void compare(const char* what, const Known<Version>& used, const std::optional<Version>& other,
             const Origin& table, Expectation& expectation) {
    const bool reads = used && used.origin.kind != OriginKind::table;
    if (!reads || !other || !differ(*used, *other)) return;
    expectation.disagreements.push_back({what, used->text, other->text, used.origin, table});
}

// The tables describe one build per system, PyPI's. Another build (torch 2.5.1+cu121) may legitimately
// differ.
bool is_default_build(const FrameworkRelease& release, const Expectation& expectation, System system) {
    const auto& cuda = system == System::windows ? release.cuda_windows : release.cuda;
    const std::string tag = expectation.version ? expectation.version->local() : "";
    return expectation.how == Installation::wheel && cuda && (tag.empty() || tag == tag_of_cuda(*cuda));
}

void note_differences(const FrameworkRelease& release, System system, Expectation& expectation) {
    if (!is_default_build(release, expectation, system)) return;
    const bool windows = system == System::windows;
    compare("CUDA", expectation.cuda, windows ? release.cuda_windows : release.cuda, release.origin,
            expectation);
    compare("cuDNN", expectation.cudnn, windows ? release.cudnn_windows : release.cudnn, release.origin,
            expectation);
}

// CUDA and cuDNN of a build published for Linux.
void fill_cuda(const FrameworkRelease& release, Expectation& expectation) {
    const bool cuda_build = expectation.is_of(Vendor::cuda);
    const bool one_build =
        !expectation.build_package.empty() || expectation.how == Installation::libtensorflow;
    if (one_build && cuda_build && !expectation.cuda && release.cuda)
        expectation.cuda = {*release.cuda, release.origin};
    if (!expectation.cuda || expectation.cudnn) return;
    if (const auto cudnn = cudnn_of_build(release, System::linux_, *expectation.cuda))
        expectation.cudnn = {*cudnn, release.origin};
}

void fill(const FrameworkRelease& release, System system, bool published, Expectation& expectation) {
    if (!expectation.cxx_standard && release.cxx_standard)
        expectation.cxx_standard = {*release.cxx_standard, release.origin};
    if (!published) return;
    if (system == System::linux_) fill_cuda(release, expectation);
    const CudaBuild* build = expectation.cuda ? release.build_for(system, *expectation.cuda) : nullptr;
    if (!build) return;
    if (!expectation.archs && !build->archs.empty()) expectation.archs = {build->archs, build->origin};
    if (!expectation.cxx_abi && build->cxx_abi) expectation.cxx_abi = {*build->cxx_abi, build->origin};
}

std::string cudnn_in(const Host& host, const std::string& folder) {
    for (const DirectoryEntry& entry : entries_in(host, folder))
        if (cudnn_of_library(entry.name)) return join_path(folder, entry.name);
    return "";
}

Known<CudnnWay> way_to_cudnn(const Host& host, const Expectation& expectation, bool asks) {
    // auditwheel puts a wheel's libraries into PACKAGE.libs next to it.
    for (const char* place : {"/lib", "", "/capi", ".libs"})
        if (const std::string file = cudnn_in(host, expectation.path + place); !file.empty())
            return {CudnnWay::bundled, Origin::from_file(file)};
    const std::string wheel = join_path(expectation.site, "nvidia/cudnn");
    if (!expectation.site.empty() && is_folder(host, wheel))
        return {CudnnWay::wheels, Origin::from_file(wheel)};
    if (expectation.how == Installation::conda) return {CudnnWay::conda, Origin::from_file(expectation.path)};
    Origin origin = Origin::from_file(expectation.path);
    origin.text =
        asks ? "its record requires NVIDIA's package" : "neither its folder nor " + wheel + " holds one";
    return {asks ? CudnnWay::wheels : CudnnWay::system, origin};
}

}  // namespace

void complete_from_tables(const Facts& facts, System system, bool published, Expectation& expectation) {
    if (!expectation.version || !expectation.trouble.empty()) return;
    if (expectation.cpu_only && *expectation.cpu_only && expectation.cxx_standard) return;
    const FrameworkRelease* release = release_of(facts, expectation);
    if (!release) return;
    note_differences(*release, system, expectation);
    fill(*release, system, published, expectation);
}

void add_way_to_cudnn(const Host& host, const Facts& facts, Expectation& expectation) {
    if (expectation.cudnn_from) return;
    const FrameworkTraits& traits = framework_traits(facts, expectation.framework);
    if (!traits.cudnn) {
        expectation.cudnn_from = {CudnnWay::none, traits.origin};
        return;
    }
    const bool cuda = expectation.is_of(Vendor::cuda);
    if (!cuda || expectation.path.empty()) return;
    bool asks = false;
    if (!expectation.site.empty() && expectation.how == Installation::wheel)
        for (const InstalledWheel& wheel : installed_wheels(host, expectation.site, {expectation.package})) {
            const auto always = nvidia_packages(wheel, host.system(), {});
            asks = any_of(always, [](const std::string& name) { return nvidia_component(name) == "cudnn"; });
            if (expectation.asks_for.empty())
                expectation.asks_for = nvidia_packages(wheel, host.system(), {"and-cuda"});
            break;
        }
    expectation.cudnn_from = way_to_cudnn(host, expectation, asks);
}

void judge_existence(const Facts& facts, const std::string& package, Expectation& expectation) {
    if (!expectation.version || expectation.published) return;
    const Version& wanted = *expectation.version;
    const ReleaseList* list = facts.release_list(package);
    if (!list || !list->judges(wanted) || list->holds(wanted)) return;
    std::vector<std::string> before, after;
    for (const Version& version : list->releases) (version < wanted ? before : after).push_back(version.text);
    expectation.published = {false, list->origin};
    if (package != expectation.package) expectation.named_package = package;
    const std::size_t skipped = before.size() > k_near ? before.size() - k_near : 0;
    for (std::size_t i = skipped; i < before.size(); ++i) expectation.near_releases.push_back(before[i]);
    for (std::size_t i = 0; i < std::min(k_near, after.size()); ++i)
        expectation.near_releases.push_back(after[i]);
    for (const std::string& other : facts.sibling_packages(package)) {
        const ReleaseList* others = facts.release_list(other);
        const bool there = others ? others->holds(wanted) : facts.framework_release(other, wanted) != nullptr;
        if (other != package && there) expectation.other_packages.push_back(other);
        if (other == list->successor && there) expectation.successor = other;
    }
}

}  // namespace ptxguard
