// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "load/modules.hpp"
#include "load/opened_names.hpp"
#include "model/scenario.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {

// Modules that open the driver's library as "libcuda.so" and get a toolkit's stub, the first of each package.
// Linux only.
std::vector<NativeModule> modules_with_stubs(const Host& host, const Facts& facts,
                                             const std::vector<PackageFiles>& files);

// Packages whose native modules are all for another release of Python than the environment's.

// Of the frameworks, NVIDIA's own packages, and those that require one of either.
std::vector<NativeModule> modules_for_other_python(const Host& host,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario);

// The same where the system has musl's loader and not glibc's: packages of which every library is for glibc.
// Of NVIDIA's none: those that use them are named. Linux only.
std::vector<NativeModule> modules_for_glibc(const Host& host, const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario);

// Packages that link the CUDA runtime statically, or open the driver themselves (Warp, Open3D): nothing of
// them needs NVIDIA's libraries, and only their device code shows that they use a GPU.

// The PTX that these files pass to the driver themselves; without other code it is the module's code.
void add_texts(const Host& host, const std::vector<std::string>& paths, NativeModule& module);
// The device code of these files, as that of the module's package.
void set_code(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
              NativeModule& module);
// For each such package one module with the device code of all its files.
std::vector<NativeModule> modules_with_code(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario);

// Files that open NVIDIA's libraries by name, when they first use a GPU: those that lack one, and those of
// frameworks. What other packages find is added to `libraries`. `files` are of `packages`. Linux only.
std::vector<NativeModule> modules_that_open(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const std::vector<OpeningFile>& files, const Scenario& scenario,
                                            std::vector<PackageLibraries>& libraries);

// Packages for numba-cuda that have device code beside their Python code (cudf's shim.fatbin), which it links
// into its kernels. Only where an nvJitLink is known.
std::vector<NativeModule> modules_that_numba_links(const Host& host, const Facts& facts,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario);

// NVIDIA's bindings for Python: they contain CUDA's runtime, and their number is its release.
std::vector<NativeModule> bindings_of_cuda(const Host& host, const std::vector<PackageFiles>& files,
                                           const Scenario& scenario);

// A framework's plugin for TensorRT is loaded only if a program asks for it, and most environments have no
// TensorRT: a missing library of it is optional. If TensorRT of another major is installed, the plugin is
// expected to load, and does not. Linux only.
std::vector<NativeModule> plugins_without_tensorrt(const Host& host, const std::vector<PackageFiles>& files,
                                                   const Scenario& scenario);

// Beside a torch for CPUs a package leaves its plugins alone.
bool may_use_cuda(const std::string& framework, const Scenario& scenario);

// By its metadata, always and not by an extra.
bool requires_package(const Host& host, const PackageFiles& package, const std::string& name);

// A libtorch folder: torch's libraries are beside the file.
bool brings_provider(const Host& host, const std::string& path, const std::vector<std::string>& needed,
                     const NeededNames& names);

}  // namespace ptxguard
