// The C++ compiler that nvcc will call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/host.hpp"
#include "model/request.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct HostCompilerChoice {
    HostCompiler compiler;
    std::optional<Command> question;  // tells its version; none where nothing may run or nothing was found
};
HostCompilerChoice choose_host_compiler(const Host& host, const Request& request);
void take_compiler_answer(HostCompiler& compiler, const Command& command, const ProcessResult& result);

}  // namespace ptxguard
