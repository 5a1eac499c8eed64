// LTO-IR and Tile IR: versions in the first bytes, outside a fatbin as well as inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/arch.hpp"
#include "model/binary.hpp"

namespace ptxguard {

struct RawIr {
    EntryKind kind = EntryKind::ltoir;  // or tileir
    std::optional<PtxVersion> version;  // LTO-IR: the container's, Tile IR: the bytecode's; empty = truncated
    std::optional<PtxVersion> nvvm;     // of the NVVM IR in LTO-IR
};
// Nothing if it is neither of them.
std::optional<RawIr> read_raw_ir(std::string_view head);

}  // namespace ptxguard
