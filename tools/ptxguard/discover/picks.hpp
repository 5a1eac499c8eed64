// Which nvcc and ptxas each consumer uses, and why: this build, CMake, torch.utils.cpp_extension, and a bare
// name on PATH.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discover/selectors.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

constexpr std::size_t k_no_lead = static_cast<std::size_t>(-1);

// The candidate that this build uses; k_no_lead if none gives a compiler.
std::size_t deciding_lead(const Host& host, const Request& request, const std::vector<Lead>& leads);
// "CUDA_HOME", "first nvcc on PATH (entry 2)".
std::string reason_of(const Selector& selector);
// The nvcc that this candidate makes a consumer call.
std::string nvcc_of(const Lead& lead);

// Rows of scenario.picks; `leads` have their toolkit's id already. `bare_ptxas` is the first ptxas on PATH.
void write_picks(const Host& host, const Request& request, const std::vector<Lead>& leads,
                 const Part* bare_ptxas, Scenario& scenario);

}  // namespace ptxguard
