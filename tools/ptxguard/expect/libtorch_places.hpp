// Where CMake's find_package(Torch) would look besides Python: Torch_ROOT, Torch_DIR, CMAKE_PREFIX_PATH,
// LIBTORCH. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct LibtorchPlace {
    std::string root;  // the folder above share/cmake/Torch
    std::string
        site;  // what to read: the root, or the site-packages above it where the root is a wheel's torch/
    std::string because;  // "CMAKE_PREFIX_PATH"
};
std::vector<LibtorchPlace> libtorch_places(const Host& host);

}  // namespace ptxguard
