// For libraries that the loader does not find: other folders that contain them, and libraries for another
// CUDA in their place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// Adds near misses to the missing libraries of a trace for Linux: files of that name in folders that are not
// searched (packages in `site`, then in other folders of the same Python, the environment's lib, toolkits),
// else the same library with another number in these and in LD_LIBRARY_PATH.
void find_elsewhere(const Host& host, const Facts& facts, const std::string& site, LoadTrace& trace,
                    const std::vector<std::string>& other_sites = {});
// To the missing libraries of a file in one of `sites` adds those in the packages there: for another CUDA,
// and what a part of it opens by a name that it puts together.
void find_in_sites(const Host& host, const Facts& facts, const std::vector<std::string>& sites,
                   LoadTrace& trace);
// The same for a cuDNN on Windows: the one that torch, which holds its own, has in these folders.
void find_other_dlls(const Host& host, const Facts& facts, const std::vector<std::string>& sites,
                     LoadTrace& trace);

}  // namespace ptxguard
