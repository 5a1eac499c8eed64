// PyTorch as a wheel, a conda package, a libtorch archive or a source tree, and as a name on the command
// line. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::pytorch {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// torch/version.py: version, CUDA, vendor. What makes no sense is trouble, and then nothing of the file is
// believed.
void read_version_file(std::string_view text, const std::string& path, Expectation& expectation);
// TorchConfig.cmake: _GLIBCXX_USE_CXX11_ABI (Linux only) and CXX_STANDARD.
void read_cmake_config(std::string_view text, const std::string& path, System system,
                       Expectation& expectation);
// The libraries of `folder` (torch/, libtorch/): by name vendor, CUDA and cuDNN; from their bytes C++ ABI and
// architectures. Fills only what is still unknown.
void read_libraries(const Host& host, const std::string& folder, Expectation& expectation);
// ptxas of torch itself and of the Triton beside it.
void add_tools(const Host& host, const std::string& site, const std::string& folder,
               Expectation& expectation);

}  // namespace ptxguard::pytorch
