// Drivers and CUDA releases: the first driver that supports programs of a release, and whether a driver is
// older.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Since CUDA 11 one minimum applies to a whole major; before, each release needs its own driver.
Known<Version> minimum_for(const Scenario& scenario, const Facts& facts, const Version& cuda);

// Whether this driver is older than the first that supports programs of release `cuda` (`minimum` from
// minimum_for). Nothing if not known: a bare branch or a shortened number with drivers on both sides of the
// minimum.
std::optional<bool> too_old(const Scenario& scenario, const Facts& facts, const Driver& driver,
                            const Version& cuda, const Known<Version>& minimum);
// Whether the runtime of that CUDA starts on the driver; nothing = not known.
std::optional<bool> runtime_starts(const Scenario& scenario, const Facts& facts, const Driver& driver,
                                   const Version& cuda);

// Whether this driver supports the GPU: not if it was released before it, nor if its branch has dropped it.
// Nothing = not known.
std::optional<bool> driver_knows(const Scenario& scenario, const Facts& facts, const Driver& driver,
                                 Arch gpu);
// An installed package, and a driver that its releases were compared with.
struct PackageOnDriver {
    const KnownBad* row = nullptr;
    const DriverBoundPackage* package = nullptr;
    const DriverBoundPackage* with = nullptr;  // the package that the row names beside it; null = none
    const Driver* driver = nullptr;
    bool works = true;
};
// Each row of facts/known_bad.json about an installed package, with each driver of a known version.
std::vector<PackageOnDriver> packages_on_drivers(const Scenario& scenario, const Facts& facts);
bool is_refused(const std::vector<PackageOnDriver>& met, const std::string& package, const Driver& driver);
// The kind of kernel modules that runs, the kind that this GPU needs, and which GPUs the running kind is for.
struct ModuleForOthers {
    const char* here;
    const char* needed;
    const char* drives;
};
// Nothing: they drive this GPU, or their kind is not known.
std::optional<ModuleForOthers> module_for_others(const Driver& driver, Arch gpu);
// The last branch that supports the GPU, if this driver is of a later one.
std::optional<int> dropped_after(const Facts& facts, const Driver& driver, Arch gpu);
Known<Version> first_driver_for(const Scenario& scenario, const Facts& facts, Arch gpu);
// Newer than every driver in the tables, and without a JIT library to run.
bool is_beyond_the_table(const Facts& facts, const Driver& driver);

}  // namespace ptxguard
