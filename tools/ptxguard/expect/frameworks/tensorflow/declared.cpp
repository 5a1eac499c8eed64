// tensorflow==2.4.1: one build per platform; the tables say which CUDA it was built with.
// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "host/paths.hpp"

namespace ptxguard::tensorflow {
namespace {

void set_vendor(Expectation& expectation, const char* vendor, const Origin& origin) {
    expectation.vendor = {vendor, origin};
    expectation.cpu_only = {std::string(vendor) == "cpu", origin};
}

void apply_release(const FrameworkRelease& release, System system, Expectation& expectation) {
    const bool windows = system == System::windows;
    const auto& cuda = windows ? release.cuda_windows : release.cuda;
    const auto& cudnn = windows ? release.cudnn_windows : release.cudnn;
    if (cuda) {
        expectation.cuda = {*cuda, release.origin};
        set_vendor(expectation, "cuda", release.origin);
    } else if (windows ? release.cpu_only_windows : release.cpu_only) {
        set_vendor(expectation, "cpu", release.origin);
    }
    if (cudnn) expectation.cudnn = {*cudnn, release.origin};
    if (cuda && !windows && !release.archs.empty()) expectation.archs = {release.archs, release.origin};
    if (!windows && release.cxx_abi) expectation.cxx_abi = {*release.cxx_abi, release.origin};
    if (release.cxx_standard) expectation.cxx_standard = {*release.cxx_standard, release.origin};
}

}  // namespace

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation;
    expectation.framework = "TensorFlow";
    expectation.package = "tensorflow";
    expectation.how = "declared";
    expectation.declared = true;
    Origin option = Origin::from_option("--framework");
    option.text = "--framework " + build.text;
    if (build.version) expectation.version = {*build.version, option};
    if (const auto cuda = cuda_of_tag(build.build)) {
        expectation.cuda = {*cuda, option};
        set_vendor(expectation, "cuda", option);
    } else if (build.build == "cpu") {
        set_vendor(expectation, "cpu", option);
    } else if (starts_with(build.build, "rocm")) {
        set_vendor(expectation, "rocm", option);
    } else if (build.build.empty() && build.version) {
        // Up to 2.0 the CUDA builds were packages of their own.
        const FrameworkRelease* release = build.name == "tensorflow-gpu"
                                              ? facts.framework_release("tensorflow-gpu", *build.version)
                                              : nullptr;
        if (!release) release = facts.framework_release("tensorflow", *build.version);
        if (release) apply_release(*release, system, expectation);
    }
    return expectation;
}

}  // namespace ptxguard::tensorflow
