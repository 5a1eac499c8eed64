// The driver's user-mode libraries as files: its PTX compiler and libcuda, and what their names and texts
// tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/driver.hpp"

namespace ptxguard {

// PTX compilers below a folder (a few levels deep), or the file itself under whatever name. Each once.
std::vector<JitLibrary> find_jit_libraries(const Host& host, const std::string& folder_or_file);
// Right in this folder.
std::vector<JitLibrary> jit_libraries_in(const Host& host, const std::string& folder);

struct LibCuda {
    std::string path;           // empty = none
    bool stub = false;          // the toolkit's, for linking only
    Known<Version> version;     // of the driver, from the real file's name or its text
    std::string origin_folder;  // where it was found, for people: "LD_LIBRARY_PATH"
};
LibCuda libcuda_in(const Host& host, const std::string& folder);

// The CUDA release that the driver's compiler belongs to, from the text inside it.
Known<Version> jit_release(const Host& host, const JitLibrary& library);

}  // namespace ptxguard
