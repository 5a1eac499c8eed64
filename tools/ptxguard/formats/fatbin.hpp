// The containers of device code. Walks by the size fields alone and reads only headers: a library of 750 MB with 5,868
// entries costs some 10,000 small reads. See docs/fatbin.md for the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/binary.hpp"
#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

constexpr std::uint32_t k_fatbin_magic = 0xBA55ED50;

struct FatbinWalk {
    std::size_t fatbins = 0;
    std::vector<DeviceEntry> entries;  // section and registered are the caller's to set; `fatbin` counts from 0 here
    std::string trouble;               // why it stopped before the end; entries read before stay
};
// All fatbins in [offset, offset + size) of `source`, one behind the other; zero bytes between them are skipped.
FatbinWalk walk_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size);
// Where section headers are missing, or data of another kind lies between: looks for valid headers at every 8th byte.
FatbinWalk scan_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size);

}  // namespace ptxguard
