// What the loader of the judged system gives a binary: glibc's rules and those of Windows, from files alone.
// Runs and loads nothing. Folder names mean nothing here: the same files elsewhere give the same answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct LoadOptions {
    bool all_libraries = false;  // list those that are none of NVIDIA's, too (libc.so.6 ...)
    bool count_undefined = false;
    bool opened_later = true;  // follow libraries that are opened by dlopen / LoadLibrary, where known
    std::string host_folder;   // --host-exe: folder of the program that loads the file (.NET, python.exe)
    std::vector<std::string> site_packages;  // folders whose packages' own loading habits count
    // More files that come into the same process after the first, and those that it does without; names that
    // the first one opens, instead of those that are known of it, and those that it does without.
    std::vector<std::string> together, optional, opens, opens_optional;
    bool opens_by_python = false;  // Windows: these names by os.add_dll_directory's folders, not by PATH
};
// Trouble where the file cannot be opened at all.
Result<LoadTrace> trace_file(const Host& host, const Facts& facts, const std::string& path,
                             const LoadOptions& options);
// One trace per file. One that cannot be opened goes to scenario.unreadable.
void trace_loading(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
                   const LoadOptions& options, Scenario& scenario);

}  // namespace ptxguard
