// Libraries of NVIDIA that modules of any package open by names in their constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "host/host.hpp"
#include "load/load.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// What a program that computes on GPUs does not do without, once it opens it. Not NCCL: one GPU needs none.
bool is_needed_to_compute(const std::string& library);

// A file of a package, all of which are looked at together.
struct OpeningFile {
    std::string path;
    std::string site;         // folder of the package's record
    std::size_t package = 0;  // the same number for all files of a package
};

// A file that names several releases of a library opens one of them.
bool has_other_release(const LoadTrace& trace, const LoadedFile& library);
// A copy of a library of a toolkit. What it opens matters only if a file asks for it: a package may bring
// cuDNN's front library without a file that calls it.
bool is_toolkit_library(const std::string& path, const Facts& facts);
// A part of cuDNN, or another such library, that one of NVIDIA's libraries opens.
bool is_opened_by_a_library(const LoadedFile& file, const Facts& facts);

struct OpenedLibraries {
    std::vector<LoadedFile> missing;
    std::vector<std::string> executable_stacks;  // as in NativeModule
    std::size_t found = 0;
};

// Linux only. For each file, how many are found, and those that neither the loader nor a package of its site
// provides, in any of the releases that it names, and those that a library of NVIDIA opens in its process:
// cuDNN opens its parts. The driver's libraries and those that programs do without (CUPTI, NVTX) are left
// out.
std::vector<OpenedLibraries> opened_libraries(const Host& host, const Facts& facts,
                                              const std::vector<OpeningFile>& files,
                                              const std::vector<std::string>& site_packages);

// Linux only. The driver's libraries for video and graphics that a file needs or, if it has device code,
// opens by name, and that the loader does not find: a container may get only those for computing.
std::vector<LoadedFile> missing_of_driver(const Host& host, const Facts& facts, const std::string& path);

// The toolkit's stub of the driver's library that a file gets as "libcuda.so". Only a link beside the
// driver's library and the stubs, which are in a folder for linkers only, have this name without a number.
std::optional<LoadedFile> opened_stub(const Host& host, const Facts& facts, const std::string& path);
// Whether LD_LIBRARY_PATH has such a file at all.
bool may_open_stubs(const Host& host);

// Names of libraries that a file opens at run time: those that a framework builds from numbers in a header
// of its package, those in its constants, and those that its package loads first.

struct ComposedLibraries {
    std::vector<std::string> names;
    std::string asks_by;  // as in ComposedNames
};
// What the file at `path` opens this way: "cublas64_11.dll", "libcublas.so.12"; from the first package folder
// with a header, else from the CUDA and cuDNN that the framework was built with.
ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const LoadOptions& options);

// When a package's own preloads apply, and the places that they name.

// Folders that Python imports from, in order, and the one that the package is in.
struct PackageSites {
    std::string own;
    const std::vector<std::string>& all;

    // Where the package looks for what it loads.
    std::vector<std::string> searched_by(const PackageHabit& habit) const {
        return habit.every_site ? all : std::vector<std::string>{own};
    }
};

// By the release in its own folder; `unknown`: the answer if its record has no release.
bool habit_applies(const Host& host, const PackageSites& sites, const PackageHabit& habit, bool unknown);

// "{site}/nvidia/cublas/lib/libcublas.so.12", "$CUDA_PATH/lib64/libcublas.so.12"; empty if the variable is
// not set.
std::string place_of_find(const Host& host, const std::string& site, const std::string& place);

}  // namespace ptxguard
