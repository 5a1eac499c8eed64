// triton==3.2.0: the tables list the ptxas in each release's wheel.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/triton/triton.hpp"
#include "host/paths.hpp"

namespace ptxguard::triton {

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("Triton", "triton", build);
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return expectation;
    const bool windows = system == System::windows || build.name == "triton-windows";
    if (windows) {
        expectation.build_package = "triton-windows";
        expectation.build_version = expectation.version;
    }
    const FrameworkRelease* release =
        build.version ? facts.framework_release(windows ? "triton-windows" : "triton", *build.version)
                      : nullptr;
    if (!release) return expectation;
    const bool two = release->tools.count("ptxas-blackwell") != 0;
    for (const auto& [tool, version] : release->tools) {
        const char* used_for = tool == "ptxas-blackwell" ? "Triton, compute capability 10.0 and above"
                               : two                     ? "Triton, compute capability below 10.0"
                                                         : "Triton";
        expectation.tools.push_back({"", tool, {version, release->origin}, used_for});
        if (tool != "ptxas") continue;
        expectation.cuda = {version, release->origin};
        set_vendor(expectation, Vendor::cuda, release->origin);
    }
    return expectation;
}

}  // namespace ptxguard::triton
