// What the loader of the checked system resolves for a binary: glibc's rules and those of Windows, from files
// only. Runs and loads nothing. Folder names have no meaning: the same files elsewhere give the same answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct LoadOptions {
    bool all_libraries = false;  // also list libraries that are not from NVIDIA (libc.so.6 ...)
    bool all_missing = false;    // Linux: also those of them that the file needs and the loader does not find
    bool count_undefined = false;
    // The same for functions of NVIDIA's libraries only, and for the versions of the compiler's and the C
    // library.
    bool count_nvidias = false;
    // Of these functions only those of libraries that the file loads: a plugin's host has others.
    bool of_loaded_only = false;
    std::string program_folder;  // of the interpreter, if a Python loads the file; empty = not known
    bool opened_later = true;    // follow libraries that are opened by dlopen / LoadLibrary, where known
    std::string host_folder;     // --host-exe: folder of the program that loads the file (.NET, python.exe)
    std::vector<std::string> site_packages;  // folders whose packages' preloads apply
    // More files that are loaded into the same process after the first, and optional ones; names that the
    // first one opens (these replace the known ones), and optional ones.
    std::vector<std::string> together, optional, opens, opens_optional;
    // The CUDA and cuDNN that it was built with name what it opens if its package has no header with the
    // names.
    std::optional<Version> built_with_cuda, built_with_cudnn;
    bool opens_by_python = false;  // Windows: these names by os.add_dll_directory's folders, not by PATH
};
// An error if the file cannot be opened.
Result<LoadTrace> trace_file(const Host& host, const Facts& facts, const std::string& path,
                             const LoadOptions& options);
// Why glibc's loader refuses a library of any machine, in its wording: "file too short". Empty: it does not.
std::string why_not_loaded(const Host& host, const std::string& path);
// One trace per file. A file that cannot be opened goes to scenario.unreadable.
void trace_loading(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
                   const LoadOptions& options, Scenario& scenario);

// glibc's ld.so: DT_RPATH of the whole chain unless DT_RUNPATH, LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache,
// default folders; $ORIGIN, $LIB, $PLATFORM, hwcaps folders, LD_PRELOAD, names already loaded. Inner header
// of the room.
LoadTrace trace_linux(const Host& host, const Facts& facts, const std::string& path,
                      const LoadOptions& options);

// The loader of Windows: application folder, folders that Python packages add (os.add_dll_directory),
// System32, Windows, PATH if it applies; known DLLs, API sets, delay-load imports, side-by-side manifests.
//
LoadTrace trace_windows(const Host& host, const Facts& facts, const std::string& path,
                        const LoadOptions& options);

}  // namespace ptxguard
