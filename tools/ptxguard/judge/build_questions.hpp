// What the build at hand makes, and which architectures its compiler knows. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Does this nvcc, or a ptxas that stands alone, know an architecture? Its own words count before the table.
enum class ArchAnswer { known, refused, not_told };
struct ArchKnowledge {
    ArchAnswer answer = ArchAnswer::not_told;
    Origin origin;  // who refused it
};
ArchKnowledge ask_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Arch arch);
bool knows_all(const Facts& facts, const Toolkit& toolkit, const std::vector<Target>& targets);

// The code of this build: what was asked for, else the default target of its nvcc. Unknown where there is no
// build, where words such as `native` could not be resolved, and for an nvcc of which no table tells.
Known<std::vector<Target>> code_of_build(const Scenario& scenario, const Facts& facts);
bool asks_for_architectures(const Scenario& scenario);

// GPUs that must run the build: the named ones; without any those found here, unless one of them runs it: a
// second one may be there for the screen.
std::vector<const Gpu*> gpus_of_build(const Scenario& scenario, const Facts& facts,
                                      const std::vector<Target>& code);

}  // namespace ptxguard
