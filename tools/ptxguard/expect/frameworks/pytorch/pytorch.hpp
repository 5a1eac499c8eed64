// PyTorch as a wheel, a conda package, a libtorch archive or a source tree, and as a name on the command
// line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"

namespace ptxguard::pytorch {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// torch/version.py: version, CUDA, vendor. Invalid content is an error, and then nothing of the file is used.
void read_version_file(std::string_view text, const std::string& path, Expectation& expectation);
// TorchConfig.cmake: _GLIBCXX_USE_CXX11_ABI (Linux only) and CXX_STANDARD.
void read_cmake_config(std::string_view text, const std::string& path, System system,
                       Expectation& expectation);
// The libraries in `folder` (torch/lib): vendor, CUDA and cuDNN from their names; C++ ABI, architectures and
// the CUDA that they need from their bytes. Fills only what is still unknown.
void read_libraries(const Host& host, const std::string& folder, Expectation& expectation);
// A torch without Python: the archive from pytorch.org, conda's or Debian's package, or an installed build.
// Nothing if the folder has none.
std::vector<Expectation> read_libtorch(const Host& host, const std::string& root);
// The root for a folder given to CMake: the folder itself, or it is ROOT/share/cmake (or another place of
// CMake's files) or the folder of TorchConfig.cmake. Empty if none.
std::string libtorch_root(const Host& host, const std::string& prefix);
// The records of conda's packages that belong to this torch.
void add_conda(const Host& host, const std::string& prefix, Expectation& expectation);
// TorchConfig.cmake of Debian's libtorch-dev, and dpkg's version, for a torch in /usr/lib/python3.
void add_debian(const Host& host, const std::string& folder, Expectation& expectation);
Expectation blank(const std::string& folder, Installation how);
// ptxas of torch itself and of the Triton next to it.
void add_tools(const Host& host, const std::string& site, const std::string& folder,
               Expectation& expectation);

}  // namespace ptxguard::pytorch
