// Where NVIDIA's libraries lie, whether or not a loader looks there: the one list for all that search for a
// copy. Folders need not exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct LibraryPlace {
    std::string folder;
    std::string source;           // "wheel", "conda", "toolkit", "installer", "system", as in CudnnCopy
    std::string variable, value;  // the variable that leads to it, and its value; empty = none does
};
// Of CUDA_PATH, CUDA_HOME, CUDNN* and their like; toolkits in the default folders; cuDNN as Windows'
// installer lays it.
std::vector<LibraryPlace> installed_libraries(const Host& host);
// NVIDIA's wheels in a site-packages folder, and the lib folder of the environment that it belongs to.
std::vector<LibraryPlace> libraries_of_site(const Host& host, const std::string& site);
std::vector<std::string> library_folders_of_toolkit(const Host& host, const std::string& root);
// Where a distribution puts libraries of x86-64 and AArch64.
const std::vector<std::string>& system_library_folders();

// Folders where installers put toolkits and where there is one, /usr/local/cuda first, then newest first.
std::vector<std::string> default_folders(const Host& host);

}  // namespace ptxguard
