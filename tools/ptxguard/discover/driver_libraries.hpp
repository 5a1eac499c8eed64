// The driver's user-mode libraries as files: its PTX compiler and libcuda, and the versions in their names
// and strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/driver.hpp"

namespace ptxguard {

// PTX compilers below a folder (a few levels deep), or the file itself under any name. Each once.
std::vector<JitLibrary> find_jit_libraries(const Host& host, const std::string& folder_or_file);
// Only directly in this folder.
std::vector<JitLibrary> jit_libraries_in(const Host& host, const std::string& folder);

struct LibCuda {
    std::string path;           // empty = none
    bool stub = false;          // the toolkit's, for linking only
    Known<Version> version;     // of the driver, from the real file's name or its strings
    std::string origin_folder;  // where it was found, for people: "LD_LIBRARY_PATH"
};
LibCuda libcuda_in(const Host& host, const std::string& folder);

// The CUDA release of the driver's compiler, from a string in it.
Known<Version> jit_release(const Host& host, const JitLibrary& library);

}  // namespace ptxguard
