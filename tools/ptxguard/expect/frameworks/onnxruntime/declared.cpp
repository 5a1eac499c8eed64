// onnxruntime-gpu==1.20.1: one build per system. Some releases were withdrawn from PyPI, so the tables lack
// them; those of one minor are built alike.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "host/paths.hpp"

namespace ptxguard::onnxruntime {
namespace {

// The release itself, otherwise the newest before it (or the oldest after it) of its minor.
const FrameworkRelease* nearest(const Facts& facts, const Version& version) {
    const char* package = "onnxruntime-gpu";
    if (const FrameworkRelease* release = facts.framework_release(package, version)) return release;
    const FrameworkRelease* found = nullptr;
    for (const Version& other : facts.framework_releases(package)) {
        if (!same_release(other, version)) continue;
        if (!found || other < version) found = facts.framework_release(package, other);
    }
    return found;
}

Known<Version> known(const std::optional<Version>& version, const FrameworkRelease& release, const char* of) {
    if (!version) return {};
    Origin origin = release.origin;
    origin.text += of;
    return {*version, origin};
}

}  // namespace

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("ONNXRuntime", "onnxruntime-gpu", build);
    if (build.build == "cpu" || build.name == "onnxruntime") {
        expectation.package = "onnxruntime";
        if (!expectation.vendor) set_vendor(expectation, Vendor::cpu, option_origin(build));
    }
    const FrameworkRelease* release = build.version ? nearest(facts, *build.version) : nullptr;
    if (!release || (expectation.vendor && *expectation.vendor != Vendor::cuda)) return expectation;
    const bool windows = system == System::windows;
    const char* other = windows ? ", of the Linux build" : ", of the Windows build";
    const auto &cuda = windows ? release->cuda_windows : release->cuda,
               &cuda_other = windows ? release->cuda : release->cuda_windows;
    const auto &cudnn = windows ? release->cudnn_windows : release->cudnn,
               &cudnn_other = windows ? release->cudnn : release->cudnn_windows;
    if (!expectation.cuda) expectation.cuda = known(cuda, *release, "");
    if (!expectation.cuda) expectation.cuda = known(cuda_other, *release, other);
    if (!expectation.cudnn) expectation.cudnn = known(cudnn, *release, "");
    if (!expectation.cudnn) expectation.cudnn = known(cudnn_other, *release, other);
    if (expectation.cuda && !expectation.vendor)
        set_vendor(expectation, Vendor::cuda, expectation.cuda.origin);
    return expectation;
}

}  // namespace ptxguard::onnxruntime
