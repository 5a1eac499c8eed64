// Descriptions of a binary's content, and archives assembled from their members. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/binary.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

std::string ptx_words(const DeviceEntry& entry);  // "PTX 8.7 for sm_90"

// inspect reports an archive's entries with its members; here they are combined, and each fatbin gets its own
// number.
BinaryFile with_members(const Scenario& scenario, const BinaryFile& archive);

}  // namespace ptxguard
