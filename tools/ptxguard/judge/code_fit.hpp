// Would a GPU run a list of code from a framework's build or a table? Only by architecture; whether a driver
// accepts the PTX is a separate question. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

enum class CodeFit { cubin, ptx, none, open };  // open: no rule promises or excludes it
CodeFit code_fit(const std::vector<Target>& code, Arch gpu, const Scenario& scenario, const Facts& facts);

// GPUs with a known architecture that the verdict is about: the named ones; without any, those that were
// found.
std::vector<const Gpu*> gpus_judged(const Scenario& scenario);

}  // namespace ptxguard
