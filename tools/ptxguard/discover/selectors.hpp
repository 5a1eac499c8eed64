// Everything on a machine that names a toolkit: options, variables, PATH entries, packages, default folders.
// Each lead is followed to its nvcc or to the reason why it leads nowhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "discover/layout.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct Lead {
    Selector selector;           // `toolkit` and `decides` are still empty
    NvccFile found;              // site.found() is false where it leads nowhere
    bool names_program = false;  // the selector names nvcc itself, not a folder
};

// All leads in the order in which a build would follow them: CMake's order when it is the one that builds,
// else that of torch.utils.cpp_extension, which most Python builds share: CUDA_HOME, CUDA_PATH, nvcc on PATH,
// /usr/local/cuda. Packages and default folders without a toolkit are no leads; variables that lead nowhere
// are, with their problem.
std::vector<Lead> follow_leads(const Host& host, const Request& request);

// Folder with a toolkit that was probably meant by `value`; empty where none is plausible.
std::string nearest_toolkit(const Host& host, const std::string& value);

// Folders where installers put toolkits and where there is one, /usr/local/cuda first, then newest first.
std::vector<std::string> default_folders(const Host& host);

}  // namespace ptxguard
