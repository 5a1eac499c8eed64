// The containers of device code. Advances only by the size fields and reads only headers: a library of 750 MB
// with 5,868 entries needs about 6,000 small reads. See docs/fatbin.md for the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/binary.hpp"
#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

constexpr std::uint32_t k_fatbin_magic = 0xBA55ED50;
// Far above any real file (the largest seen has 5,868), so that a crafted one cannot exhaust memory.
constexpr std::size_t k_max_entries = 1u << 18;

struct FatbinWalk {
    std::size_t fatbins = 0;
    std::vector<DeviceEntry> entries;  // the caller sets section and registered; `fatbin` counts from 0 here
    std::string trouble;               // why it stopped before the end; entries read before are kept
    std::vector<std::string> remarks;  // unusual, but harmless
};
// All consecutive fatbins in [offset, offset + size) of `source`; zero bytes between them are skipped. At
// most `most` entries are kept.
FatbinWalk walk_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size,
                        std::size_t most = k_max_entries);
// For files without section headers, or with other data in between: searches for valid headers at every 8th
// byte, in at most `most_bytes` of other data.
FatbinWalk scan_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size,
                        std::size_t most = k_max_entries, std::uint64_t most_bytes = std::uint64_t{1} << 30);

// A fatbin that contains only this entry, unchanged; "" if it has no header or can no longer be read.
std::string fatbin_of(const Source& source, const DeviceEntry& entry);

// LTO-IR and Tile IR: versions in the first bytes, outside a fatbin as well as inside.

struct RawIr {
    EntryKind kind = EntryKind::ltoir;  // or tileir
    std::optional<PtxVersion> version;  // LTO-IR: the container's, Tile IR: the bytecode's; empty = truncated
    std::optional<PtxVersion> nvvm;     // of the NVVM IR in LTO-IR
};
// Nothing if it is neither of them.
std::optional<RawIr> read_raw_ir(std::string_view head);

}  // namespace ptxguard
