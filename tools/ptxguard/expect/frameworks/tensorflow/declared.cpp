// tensorflow==2.4.1: one build per platform; the tables list the CUDA that it was built with.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"

namespace ptxguard::tensorflow {

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("TensorFlow", "tensorflow", build);
    if (!build.build.empty() || !build.version) return expectation;
    // Up to 2.0 the CUDA builds were separate packages.
    const FrameworkRelease* release =
        build.name == "tensorflow-gpu" ? facts.framework_release("tensorflow-gpu", *build.version) : nullptr;
    if (!release) release = facts.framework_release("tensorflow", *build.version);
    if (!release) return expectation;
    apply_release(*release, system, expectation);
    const bool cpu_only = system == System::windows ? release->cpu_only_windows : release->cpu_only;
    if (!expectation.cuda && cpu_only) set_vendor(expectation, Vendor::cpu, release->origin);
    return expectation;
}

}  // namespace ptxguard::tensorflow
