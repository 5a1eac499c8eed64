// What a binary holds, in words, and archives put together from their members. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/binary.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

std::string ptx_words(const DeviceEntry& entry);  // "PTX 8.7 for sm_90"

// Inspecting an archive gives its entries with its members; here they come together, each fatbin with a
// number of its own.
BinaryFile with_members(const Scenario& scenario, const BinaryFile& archive);

}  // namespace ptxguard
