// Functions of NVIDIA's libraries that files call, and whether a library defines them. For libraries without
// symbol versions: nothing binds their functions to a file. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "load/trace_linux_process.hpp"
#include "model/modules.hpp"

namespace ptxguard {

// A function that is called, and the file that should define it.
struct FunctionCalled {
    std::string name;
    LoadedFile library;
};

// The libraries of NVIDIA in one process, and what its files call in them.
struct Callers {
    std::vector<LoadedFile> libraries;
    std::vector<FunctionCalled> functions;
};
Callers callers_of(const Host& host, const Facts& facts, const LinuxProcess& process);

// Adds an entry if `path` lacks some of the functions that are called in the library of that name.
void add_lacking(const Host& host, const std::string& path, const LoadedFile& library, const Callers& callers,
                 const std::string& framework, std::vector<LackingLibrary>& found);

}  // namespace ptxguard
