// Verified with output of NVRTC, nvcc and cuda-tile: the version follows the magic number.
// SPDX-License-Identifier: Apache-2.0
#include "formats/raw_ir.hpp"

namespace ptxguard {
namespace {

constexpr std::string_view k_ltoir = "\xed\x43\x4e\x7f";
constexpr std::string_view k_tileir(
    "\x7f"
    "TileIR\0",
    8);

std::optional<PtxVersion> version_at(std::string_view head, std::size_t at) {
    if (head.size() < at + 2) return std::nullopt;
    return PtxVersion{static_cast<unsigned char>(head[at]), static_cast<unsigned char>(head[at + 1])};
}

}  // namespace

std::optional<RawIr> read_raw_ir(std::string_view head) {
    if (head.substr(0, k_ltoir.size()) == k_ltoir)
        return RawIr{EntryKind::ltoir, version_at(head, k_ltoir.size()),
                     version_at(head, k_ltoir.size() + 2)};
    if (head.substr(0, k_tileir.size()) == k_tileir)
        return RawIr{EntryKind::tileir, version_at(head, k_tileir.size()), std::nullopt};
    return std::nullopt;
}

}  // namespace ptxguard
