// What files say about the host compiler, without running it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

// Of gcc or clang: from the name of its program (x86_64-linux-gnu-g++-14), otherwise from the only folder of
// its own libraries (lib/gcc/x86_64-redhat-linux/16). Unknown if these do not decide.
Known<Version> version_in_files(const Host& host, const HostCompiler& compiler);

// The functions that the C library of this system declares with noexcept and the toolkit's
// crt/math_functions.h without it. Linux only; empty for a compiler that brings its own C library.
std::vector<std::string> contradicted_functions(const Host& host, const HostCompiler& compiler,
                                                const Toolkit& toolkit);

}  // namespace ptxguard
