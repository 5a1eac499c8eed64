// Which releases the indexes of one CUDA have: facts/index_builds.json, written by tools/dev/index_builds.py.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct IndexBuilds {
    std::string package;
    std::string index;                     // of the addresses, without "https://" and the folder of a CUDA
    std::vector<std::string> releases;     // ascending
    std::vector<std::string> builds;       // the folders that have them: "cu121"
    std::vector<std::string> not_windows;  // those of them without wheels for Windows
    std::vector<std::string> local;        // local versions; the other builds have none
    bool else_for_cpus = false;            // PyPI has sources only, which are built for CPUs
    Origin origin;

    bool has_local(const std::string& build) const;
    // Whether the folder of that build has the releases, for that system.
    bool has(const std::string& build, bool windows) const;
};

// Null for a release that no row lists: it is not known.
const IndexBuilds* index_builds(const Facts& facts, const std::string& package, const Version& version);

// The newest CUDA of which the index has a folder, of any release.
std::optional<Version> newest_cuda(const Facts& facts, const IndexBuilds& row);
bool has_folder(const Facts& facts, const IndexBuilds& row, const std::string& build);

// The releases before and after it that the folder of that build has: "0.2.77, 0.2.81".
std::string indexed_around(const Facts& facts, const IndexBuilds& row, const std::string& build,
                           bool windows);

}  // namespace ptxguard
