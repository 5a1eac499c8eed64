// ONNX Runtime as a wheel: onnxruntime-gpu, and onnxruntime for CPUs, which overwrites its files if both are
// installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::onnxruntime {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// capi/version_info.py (Windows: use_cuda, cuda_version, cudnn_version) and build_and_package_info.py
// (package_name, __version__, cuda_version). Fills only what is still unknown; invalid content is an error.
void read_build_file(std::string_view text, const std::string& path, Expectation& expectation);

}  // namespace ptxguard::onnxruntime
