// cupy-cuda12x==13.6.0: CUDA is in the package's name, cuDNN in the tables. `cupy` is compiled where it is
// installed.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/cupy/cupy.hpp"
#include "host/paths.hpp"

namespace ptxguard::cupy {

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    const std::string package = starts_with(build.name, "cupy-") ? build.name : "cupy";
    Expectation expectation = declared_expectation("CuPy", package, build);
    const Origin origin = option_origin(build);
    if (const auto cuda = cuda_of_package(package)) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (starts_with(package, "cupy-rocm")) {
        set_vendor(expectation, Vendor::rocm, origin);
    }
    if (const FrameworkRelease* release =
            build.version ? facts.framework_release(package, *build.version) : nullptr)
        apply_common_release(*release, system, expectation);
    return expectation;
}

}  // namespace ptxguard::cupy
