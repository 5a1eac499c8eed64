// paddlepaddle-gpu==2.6.2: the CUDA of the package index's build is in the tables; a post suffix names that
// of the other builds.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/paddle/paddle.hpp"
#include "host/paths.hpp"

namespace ptxguard::paddle {

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("PaddlePaddle", "paddlepaddle-gpu", build);
    if (!build.version || expectation.vendor) return expectation;
    const Origin origin = option_origin(build);
    const PostSuffix post = read_post_suffix(*build.version);
    if (post.cuda) {
        expectation.cuda = {*post.cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    }
    if (post.cudnn) expectation.cudnn = {*post.cudnn, origin};
    if (starts_with(build.version->suffix, ".post")) return expectation;
    const FrameworkRelease* release = facts.framework_release("paddlepaddle-gpu", *build.version);
    if (release) apply_common_release(*release, system, expectation);
    return expectation;
}

}  // namespace ptxguard::paddle
