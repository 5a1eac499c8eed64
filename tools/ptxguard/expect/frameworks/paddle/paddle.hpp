// PaddlePaddle as a wheel (paddlepaddle, paddlepaddle-gpu, builds of other indexes), and as a name on the
// command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::paddle {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// paddle/version/__init__.py, before 2.2 paddle/version.py: full_version, and since 2.2 cuda_version and
// cudnn_version ('False' in a build without CUDA), later hip_version, xpu_version, compiled_cuda_archs.
// Invalid content is an error, and then nothing of the file is used.
void read_version_file(std::string_view text, const std::string& path, Expectation& expectation);
// From the suffix of a version: 1.8.5.post97 was built with some CUDA 9 and cuDNN 7, 2.4.2.post117 with CUDA
// 11.7.
struct PostSuffix {
    std::optional<Version> cuda, cudnn;
};
PostSuffix read_post_suffix(const Version& version);

}  // namespace ptxguard::paddle
