// Names of libraries that a file opens at run time: those that a framework builds from numbers in a header of
// its package, those in its constants, and those that its package loads first. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "host/host.hpp"
#include "load/load.hpp"

namespace ptxguard {

struct ComposedLibraries {
    std::vector<std::string> names;
    std::string asks_by;  // as in ComposedNames
};
// What the file at `path` opens this way: "cublas64_11.dll", "libcublas.so.12"; from the first package folder
// with a header, else from the CUDA and cuDNN that the framework was built with.
ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const LoadOptions& options);

// Strings in a file's constants that look like shared libraries: what it may dlopen.

// Complete strings of .rodata such as "libnvrtc.so.12", each once, in file order.
std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file);
// "cublas64_12.dll", also in UTF-16.
std::set<std::string> dll_names_in_text(const Source& source, const PeFile& pe);

// When a package's own preloads apply, and the places that they name.

// By the release in `site`; `unknown`: the answer if its record has no release.
bool habit_applies(const Host& host, const std::string& site, const PackageHabit& habit, bool unknown);

// "{site}/nvidia/cublas/lib/libcublas.so.12", "$CUDA_PATH/lib64/libcublas.so.12"; empty if the variable is
// not set.
std::string place_of_find(const Host& host, const std::string& site, const std::string& place);

}  // namespace ptxguard
