// A whole machine: everything is found, its programs are asked, test code is compiled. What is found does not
// depend on a verdict, and nothing is judged here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct MachineOptions {
    std::string host_folder;                                    // of the program that hosts Python
    std::vector<std::string> modules;                           // one more native module each
    std::function<void(const char*)> say = [](const char*) {};  // what is done now
};

// Fills a scenario whose host is described.
void look_at_machine(const Asker& ask, const Facts& facts, const Request& request,
                     const MachineOptions& options, Scenario& scenario);

}  // namespace ptxguard
