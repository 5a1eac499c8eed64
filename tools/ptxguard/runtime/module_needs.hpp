// What native modules of a package lack, and the CUDA whose runtime they start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Fills module.missing with those of the libraries that nothing brings: which are elsewhere, or only for
// another CUDA. What another package of the environment has, the package's own code may load by path.
void add_missing(const Host& host, const Facts& facts, const std::vector<LoadedFile>& missing,
                 const PackageFiles& package, NativeModule& module);

// NVIDIA's own packages that need a library of a CUDA that nothing brings, where that of another one is:
// cuDSS of CUDA 13 beside a torch of CUDA 12.
std::vector<NativeModule> nvidias_for_other_cuda(const Host& host, const Facts& facts,
                                                 const std::vector<PackageFiles>& files,
                                                 const Scenario& scenario);

// The oldest CUDA whose runtime modules with these needs start; nothing if none starts one by name.
Known<Version> runtime_needed(const Facts& facts, const std::string& path,
                              const std::vector<std::vector<std::string>>& needed);

// Libraries of packages that use CUDA that are shorter than their record says, and that the loader refuses: a
// full disk, an interrupted download. Each lacks itself.
std::vector<NativeModule> damaged_modules(const Host& host, const Facts& facts,
                                          const std::vector<PackageFiles>& files, const Scenario& scenario);

bool lacks(const NativeModule& module);
// A finding reports what the others lack.
void keep_whole(const std::vector<NativeModule>& found, std::vector<PackageLibraries>& libraries);

// By what its file defines, and what the package imports.
ModuleUse use_of(const Host& host, const std::string& path, const PackageFiles& package);
// The Python files that import it, if none of them can be without it.
std::vector<std::string> unguarded_importers(const Host& host, const PackageFiles& package,
                                             const std::string& path);
// The Python files that load it by its path, if none of them can be without it; of one with device code.
std::vector<std::string> unguarded_loaders(const Host& host, const PackageFiles& package,
                                           const std::string& path);

// What is looked for on its own, in packages of any kind: plugins, stubs, damaged files, other Pythons.
std::vector<NativeModule> special_modules(const Host& host, const Facts& facts,
                                          const std::vector<PackageFiles>& files, const Scenario& scenario);

}  // namespace ptxguard
