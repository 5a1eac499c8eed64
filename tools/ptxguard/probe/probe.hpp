// Really compiles: test .cu to PTX with the nvcc that this build uses, that PTX with its ptxas and with
// drivers' JIT compilers, and one whole object. Results are cached by everything that can change them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct ProbeOptions {
    ProbeMode mode = ProbeMode::auto_;
    bool architectures_only = false;  // only test whether nvcc supports the build's architectures
    bool links = true;                // whether nvcc links a program; CMake tests that itself
    std::string flags;                // of one place of a project, which a dry run of its nvcc also tests
    std::chrono::milliseconds time_limit{60000};
};

// Fills scenario.probes, and completes scenario.project.archs (words such as `all`, the default target) from
// nvcc's output. Without a toolkit that can run, or with mode off, results are predicted from the tables or
// absent.
void probe(const Asker& ask, const Facts& facts, const ProbeOptions& options, Scenario& scenario);

// The child's side: `ptxguard --child jit LIBRARY ARCH...` with PTX on stdin, one JSON line per answer on
// stdout.
int child_main(const std::vector<std::string>& arguments);

}  // namespace ptxguard
