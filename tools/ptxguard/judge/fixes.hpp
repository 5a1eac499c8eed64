// Fix lines that several rules give: parts brought to one release, another toolkit chosen, a list of
// architectures written anew. Each is worded for the way in which this toolkit was installed or this build
// was told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Brings all parts of `toolkit` to the release of its nvcc (without one: of its ptxas): the package manager's
// line where it came from one, else another toolkit of the scenario whose parts agree, else prose. Empty
// where no release is known.
std::vector<Fix> same_release_fix(const Scenario& scenario, const Toolkit& toolkit, const Facts& facts);

// The packages of Debian and Ubuntu that hold the programs and the headers.
Fix debian_fix();

// conda's line for a whole compiler of that release.
Fix conda_fix(const Version& release);

// The build uses `toolkit` instead: in the words of whatever decides today (a variable, a CMake variable, an
// option).
Fix choose_toolkit_fix(const Scenario& scenario, const Toolkit& toolkit);

// The first toolkit of the scenario with an nvcc of that release (or only major) whose parts agree; null =
// none.
const Toolkit* toolkit_of_release(const Scenario& scenario, const Version& release);
const Toolkit* toolkit_of_major(const Scenario& scenario, int major);

// The build asks for `targets`: TORCH_CUDA_ARCH_LIST, CUDAARCHS or CMake's line, as the list was given today.
Fix arch_list_fix(const Scenario& scenario, const std::vector<Target>& targets);

// How a toolkit of that release is had: a setting where one lies here, else prose ("CUDA 12.9: ...").
Fix get_toolkit_fix(const Scenario& scenario, const Version& release, const std::string& why);

}  // namespace ptxguard
