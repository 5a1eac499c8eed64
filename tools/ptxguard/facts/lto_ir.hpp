// Which CUDA release wrote LTO-IR, from the versions in its first bytes, and which drivers compile Tile IR:
// facts/lto_ir.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct LtoIrRelease {
    std::optional<Version> release;
    std::optional<PtxVersion> container, ir;
    Origin origin;
};

const std::vector<LtoIrRelease>& lto_ir_releases(const Facts& facts);  // ascending
// By the version of the IR, which differs for each release; null if no row lists it.
const LtoIrRelease* lto_ir_release(const Facts& facts, PtxVersion ir);

// The CUDA release with the first driver that compiles Tile IR, and the newest PTX that it accepts.
struct FirstTileIr {
    Version release;
    PtxVersion ptx;
    Origin origin;
};
std::optional<FirstTileIr> first_tile_ir(const Facts& facts);

// The ABI in a cubin's header shows the CUDA that made it.

// The CUDA major that first wrote such cubins; 0 = any. ABI 8 came with CUDA 12.8 for sm_100 and newer, and
// with 13.0 for all.
inline int first_cuda_of_cubin(std::uint8_t abi, int arch) { return abi < 8 ? 0 : arch < 100 ? 13 : 12; }

}  // namespace ptxguard
