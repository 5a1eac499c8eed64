// Where frameworks without Python are installed: the places for CMake's find_package (Torch_ROOT,
// CMAKE_PREFIX_PATH ...), prefixes on PATH (an active conda environment), and the system's prefixes, which it
// searches by default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "expect/expect.hpp"
#include "host/host.hpp"

namespace ptxguard {

struct NativePlace {
    std::string root;     // the folder above share/cmake/Torch, or above include/tensorflow
    std::string site;     // what to read: the root, or the site-packages if the root is a wheel's torch/
    std::string because;  // "CMAKE_PREFIX_PATH"
};
// From variables, in CMake's search order. Empty for frameworks without such an installation.
std::vector<NativePlace> native_places(const Host& host, const FrameworkReader& reader);
// From an environment's root, or its Library folder (Windows), the prefix that contains conda-meta.
std::string conda_prefix_of(const std::string& root);
// /usr/local and /usr.
std::vector<NativePlace> system_places(const Host& host, const FrameworkReader& reader);

}  // namespace ptxguard
