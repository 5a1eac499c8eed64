// Compilers in libraries: the functions of each, looked up by name, and one compilation. Inner header of the
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/library.hpp"
#include "model/arch.hpp"

namespace ptxguard {

enum class Library { jit, nvrtc, nvvm, nvjitlink };
enum Role {
    k_version,
    k_create,
    k_destroy,
    k_add,
    k_compile,
    k_made_size,
    k_made,
    k_log_size,
    k_log,
    k_error,
    k_roles
};

struct Interface {
    Library library;
    const char* mode;
    const char* name;                // as shown
    const char* functions[k_roles];  // null = it has none of this kind
    const char* option;              // selects the target, as sm_ or compute_
    bool compute;
};

const Interface* compiler_interface(const std::string& mode);  // null: no such mode

template <typename... Arguments>
int call(void* function, Arguments... arguments) {
    return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

// A library with the functions of its interface.
struct LoadedCompiler {
    const Interface& kind;
    const LoadedLibrary& library;
    void* functions[k_roles] = {};
    std::string number;  // in nvJitLink's functions: "_13_0"

    void* find(const char* name) const { return library.symbol(name); }
    bool is(Library other) const { return kind.library == other; }
};

// The first function that the library lacks; "" if it has all.
std::string look_up(LoadedCompiler& compiler);

struct Reply {
    int result = 0;
    std::string step, log;
    std::string ptx;  // or other output: LTO-IR
    bool made = false;
    double milliseconds = 0;
};

Reply compile(const LoadedCompiler& compiler, const std::string& input, Arch arch,
              const std::vector<std::string>& more = {});

}  // namespace ptxguard
