// Questions about drivers and CUDA releases: which is the first driver that runs programs of a release, and
// is this one older?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// From CUDA 11 on one minimum holds for a whole major; before, each release needs its own driver.
Known<Version> minimum_for(const Scenario& scenario, const Facts& facts, const Version& cuda);

// Is this driver older than the first that runs programs of release `cuda` (`minimum` as minimum_for tells
// it)? Nothing where it cannot be told: a bare branch or a shortened number that holds drivers on both
// sides of the minimum.
std::optional<bool> too_old(const Scenario& scenario, const Facts& facts, const Driver& driver,
                            const Version& cuda, const Known<Version>& minimum);

}  // namespace ptxguard
