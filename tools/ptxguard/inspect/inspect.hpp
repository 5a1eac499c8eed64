// Reads what a binary holds for GPUs. Runs and loads nothing; a file of any kind, whole or damaged, is
// answered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/binary.hpp"
#include "model/matrix.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct InspectOptions {
    bool deep = false;  // look into payloads and into data outside the registered sections
};
// One BinaryFile for a file; one for each member with device code (and one for the whole) of an archive.
// Files that cannot be opened at all go to scenario.unreadable (named by the user); what is damaged inside is
// `trouble`.
void inspect(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
             const InspectOptions& options, Scenario& scenario);

// --extract SM DIR: writes the payloads for that architecture ("sm_90a", "compute_90", "all"), decompressed,
// as <file>.<n>.sm_90a.cubin and .ptx. Returns the paths written.
Result<std::vector<std::string>> extract(const Host& host, const std::string& path, const std::string& sm,
                                         const std::string& folder);

// The PTX that a file holds, decompressed: of each target and version the smallest text. Trouble where it
// cannot be read or is no file that holds device code.
Result<std::vector<PtxText>> ptx_texts(const Host& host, const Facts& facts, const std::string& path);

}  // namespace ptxguard
