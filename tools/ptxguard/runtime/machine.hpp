// A whole machine: finds everything, runs its programs, compiles test code. Nothing is judged here, and what
// is found does not depend on a verdict.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// What a caller does in parallel: when only Python is known, and when frameworks and GPUs are.
struct Meanwhile {
    std::function<void()> first = [] {}, then = [] {};
};
// Fills Python, toolkits, drivers, frameworks, and the tools that each program uses. Returns frameworks that
// cannot be read.
std::vector<Unreadable> find_machine(const Asker& ask, const Facts& facts, const Request& request,
                                     Scenario& scenario, const Meanwhile& meanwhile = {});

struct MachineOptions {
    std::string host_folder;                                    // of the program that hosts Python
    std::vector<std::string> modules;                           // additional native modules
    std::function<void(const char*)> say = [](const char*) {};  // reports the current step
};

// Fills a scenario whose host is described.
void look_at_machine(const Asker& ask, const Facts& facts, const Request& request,
                     const MachineOptions& options, Scenario& scenario);

// Packages with one library for each CUDA release, which lack the one that they open.

// Adds a module for each. Linux only.
void find_missing_variants(const Host& host, const Facts& facts, Scenario& scenario);

}  // namespace ptxguard
