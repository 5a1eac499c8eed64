// Copies of cuDNN on a machine: in system folders, toolkits, wheels, conda's prefix, the folders of NVIDIA's
// Windows installer, on the search paths, and wherever a trace resolves one. Reads files only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.cudnns from its Python, toolkits, expectations and traces.
void find_cudnn_copies(const Host& host, const Facts& facts, Scenario& scenario);

// Folders that may hold cuDNN, and headers that may belong to a copy.
struct CudnnPlace {
    std::string folder;
    std::string source;  // as in CudnnCopy
};
// The more specific source comes first if several yield the same folder.
std::vector<CudnnPlace> cudnn_places(const Host& host, const Scenario& scenario);

// cudnn_version.h and, for cuDNN 7, cudnn.h that may belong to the libraries of that folder, nearest first.
std::vector<std::string> cudnn_headers(const Host& host, const CudnnPlace& place);

// Libraries that a module of a Python package needs and the loader does not find, although a package of the
// environment contains them: its import loads them by path, or the interpreter's own search list finds
// them.

// Adds the file to the losers, as not searched. The interpreter's own library becomes optional.
void find_copies_of_site(const Host& host, LoadTrace& trace);

}  // namespace ptxguard
