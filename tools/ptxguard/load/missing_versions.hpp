// Versions of the system's and the compiler's libraries (GLIBC_2.38, GLIBCXX_3.4.30) that a module and its
// dependencies need of the files which are in their process. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "load/trace_linux_process.hpp"
#include "model/modules.hpp"

namespace ptxguard {

// What is certain of the search for libstdc++. A Python may bring its own, as conda's does by a DT_RPATH,
// which is searched before all else; a module's DT_RUNPATH is searched after the variables.
enum class SearchKnown {
    c_library,   // nothing: only the C library is that of the system in any case
    variables,   // what LD_LIBRARY_PATH or LD_PRELOAD gives: no other Python than one without a DT_RPATH
    brings_own,  // what a search list in a file gives: else an earlier module may have loaded Python's own
    all
};

// The Python that imports the modules.
struct ImportingPython {
    std::string program;       // empty = not here
    std::string conda_folder;  // libraries of conda's, where its program is not here
    SearchKnown known = SearchKnown::all;
};
ImportingPython importing_python(const Host& host, const std::string& program,
                                 const std::vector<std::string>& site_packages);

// As ld.so compares them. Of the objects from `first`: what was loaded before has been reported with its own
// package.
void add_missing_versions(const Host& host, LinuxProcess& process, std::size_t module, std::size_t first,
                          SearchKnown known, std::vector<LackingLibrary>& lacking);

// An object and all that it needs, by index in the process, each once.
void add_closure(const LinuxProcess& process, std::size_t start, std::vector<std::size_t>& reached);

}  // namespace ptxguard
