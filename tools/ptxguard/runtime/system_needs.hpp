// Packages whose modules need libraries of the system that are not here: FFmpeg, MPI. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "load/modules.hpp"
#include "model/modules.hpp"
#include "runtime/module_candidates.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// One for each package that imports such a module, or of whose modules none loads. `loaded`: in the order of
// `candidates`, of which those of one package follow each other.
std::vector<NativeModule> modules_without_system(const Host& host, const Facts& facts,
                                                 const std::vector<PackageFiles>& packages,
                                                 const std::vector<ModuleCandidate>& candidates,
                                                 const std::vector<LoadedModule>& loaded);

}  // namespace ptxguard
