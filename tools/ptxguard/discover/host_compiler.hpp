// The C++ compiler that nvcc will call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ask/version.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct HostCompilerChoice {
    HostCompiler compiler;
    std::optional<Question>
        question;  // asks for its version; none if nothing may be run or nothing was found
};
HostCompilerChoice choose_host_compiler(const Host& host, const Request& request, bool reads_ccbin = true);
// Whether this nvcc reads NVCC_CCBIN. 11.8 and 12.4 do not, 13.0 does.
bool reads_nvcc_ccbin(const Host& host, const Part& nvcc);
// g++-11, clang++-14 ... on PATH within the limits, newest first, those of the family of `compiler` before
// others.
std::vector<std::string> fitting_compilers(const Host& host, const HostCompilerLimits& limits,
                                           const HostCompiler& compiler);
void take_compiler_answer(HostCompiler& compiler, const Question& question, const Answer& answer);

}  // namespace ptxguard
