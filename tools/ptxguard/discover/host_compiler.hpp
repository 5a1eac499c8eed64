// The C++ compiler that nvcc will call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/version.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

// The last -ccbin (--compiler-bindir) in flags of nvcc; empty = none.
std::string ccbin_in(std::string flags);
// The compiler that an nvcc calls that reads NVCC_CCBIN, or does not, and the question for its version.
void find_host_compiler(const Request& request, bool reads_ccbin, Questions& questions,
                        HostCompiler& compiler);
// The gcc in nvcc's own folder, which it finds before that of PATH; empty if there is none.
std::string own_gcc(const Host& host, const Part& nvcc);
// The family of the compiler at its path, and the question for its version.
void identify_host_compiler(Questions& questions, HostCompiler& compiler);
// Whether this nvcc reads NVCC_CCBIN. 11.8 and 12.4 do not, 13.0 does.
bool reads_nvcc_ccbin(const Host& host, const Part& nvcc);
// g++-11, clang++-14 ... on PATH within the limits, newest first, those of the family of `compiler` before
// others.
std::vector<std::string> fitting_compilers(const Host& host, const HostCompilerLimits& limits,
                                           const HostCompiler& compiler);

// On Windows: the installed compilers of Visual Studio, by the limits in the toolkit's own host_config.h,
// else those of the table.
void find_installed_msvc(const Host& host, const Toolkit& toolkit, const HostCompilerLimits* limits,
                         HostCompiler& compiler);

// The C++ compilers of Visual Studio. An ordinary prompt has none of them on PATH.

// .../VC/Tools/MSVC/14.38.33130/bin/Hostx64/x64/cl.exe: toolset 14.38 is compiler 19.38 (_MSC_VER 1938).
Known<Version> msvc_version(const std::string& path);
// The cl.exe of each installed toolset, newest first.
std::vector<std::string> installed_msvc(const Host& host);

}  // namespace ptxguard
