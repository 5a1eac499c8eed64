// mxnet-cu112==1.9.1: the package's name contains CUDA; `mxnet` has none.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/mxnet/mxnet.hpp"
#include "host/paths.hpp"

namespace ptxguard::mxnet {

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    const std::string package = starts_with(build.name, "mxnet-") ? build.name : "mxnet";
    Expectation expectation = declared_expectation("MXNet", package, build);
    const Origin origin = option_origin(build);
    const auto cuda = cuda_of_package(package);
    if (cuda) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (!expectation.vendor && build.version) {
        set_vendor(expectation, Vendor::cpu, origin);
    }
    if (const FrameworkRelease* release =
            build.version ? facts.framework_release(package, *build.version) : nullptr)
        apply_common_release(*release, system, expectation);
    return expectation;
}

}  // namespace ptxguard::mxnet
