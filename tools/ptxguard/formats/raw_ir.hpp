// LTO-IR and Tile IR: what the first bytes tell, outside of a fatbin as inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/arch.hpp"
#include "model/binary.hpp"

namespace ptxguard {

struct RawIr {
    EntryKind kind = EntryKind::ltoir;  // or tileir
    std::optional<PtxVersion> version;  // of LTO-IR its container's, of Tile IR its bytecode's; none: cut off
    std::optional<PtxVersion> nvvm;     // of the NVVM IR in LTO-IR
};
// Nothing if it is neither.
std::optional<RawIr> read_raw_ir(std::string_view head);

}  // namespace ptxguard
