// For the rules about a framework's own search for ptxas and libdevice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// GPUs that will run it, otherwise the targets of the build; nothing if neither is known.
std::vector<Arch> archs_concerned(const Scenario& scenario);
// Whether the search is that of this framework: "jax" for jax-cuda12-pjrt. `pick` has a search.
bool is_of(const Pick& pick, const Expectation& framework, const Facts& facts);
// The frameworks of that search.
std::vector<Entity> users_of(const Scenario& scenario, const Facts& facts, const Pick& pick);
// What the package asks its ptxas for, for this GPU. `pick` has a search.
Arch asked_for(const Pick& pick, Arch gpu);
// Whether the tool makes code for a GPU: ptxas, libNVVM.
bool makes_code(const Pick& pick);
// Whether the tool of this search is used. One for newer GPUs is not if none of these is among them.
bool is_used(const Scenario& scenario, const Pick& pick);
// Whether a framework needs the tool of this search.
bool is_needed(const Scenario& scenario, const Pick& pick);
// Whether all its places were looked at: not if the PATH of an unpacked image is not known.
bool is_complete(const Scenario& scenario, const Pick& pick);
// Its setting is a variable with the path of the file itself ("TRITON_PTXAS_PATH"), not a folder or a list.
bool setting_names_file(const Pick& pick);
// The tool that the search takes, from "path, by because". `pick` has a version.
Evidence evidence_of(const Pick& pick, const std::string& what);
// Package of the framework that installs the tool found by its search; empty = another package does.
std::string brought_by(const Scenario& scenario, const Facts& facts, const Pick& pick);
// XLA_FLAGS with this folder, quoted as XLA reads it.
Fix xla_folder_fix(const std::string& folder, System system);
// "where `condition`: SETTING"
Fix where_there(const std::string& condition, const Fix& setting);
// A finding for each search for `tool` that finds none, if the framework needs it.
void judge_searches(const Scenario& scenario, const Facts& facts, const char* code, const std::string& tool,
                    Findings& findings);

}  // namespace ptxguard
