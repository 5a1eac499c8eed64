// What conda-forge has built itself: facts/conda_forge.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// Releases of a package, and the CUDA releases that compiled their builds.
struct ForgeBuilds {
    std::string package;
    std::optional<Version> from, to;
    std::vector<Version> cudas;  // ascending
    Origin origin;

    // A build requires the CUDA that compiled it, or a newer one of its major.
    bool has_build_for(const Version& cuda) const;
};
// A minor release that was compiled for another torch than the project's own wheels.
struct ForgePair {
    std::string package;
    std::optional<Version> release, torch;
    Origin origin;
};
struct CondaForge {
    std::vector<ForgeBuilds> builds;
    std::vector<ForgePair> pairs;
};

// Null for a package or a release that is not listed.
const ForgeBuilds* forge_builds(const Facts& facts, const std::string& package, const Version& release);
// Those of the newest release that is listed; null for another package.
const ForgeBuilds* newest_forge_builds(const Facts& facts, const std::string& package);
bool is_forge_pair(const Facts& facts, const std::string& package, const Version& release,
                   const Version& torch);

}  // namespace ptxguard
