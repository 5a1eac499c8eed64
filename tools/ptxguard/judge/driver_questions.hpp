// Drivers and CUDA releases: the first driver that supports programs of a release, and whether a driver is
// older.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Since CUDA 11 one minimum applies to a whole major; before, each release needs its own driver.
Known<Version> minimum_for(const Scenario& scenario, const Facts& facts, const Version& cuda);

// Is this driver older than the first that supports programs of release `cuda` (`minimum` from minimum_for)?
// Nothing if that is not known: a bare branch or a shortened number with drivers on both sides of the
// minimum.
std::optional<bool> too_old(const Scenario& scenario, const Facts& facts, const Driver& driver,
                            const Version& cuda, const Known<Version>& minimum);

}  // namespace ptxguard
