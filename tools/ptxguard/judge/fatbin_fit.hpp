// Which entry of a fatbin a GPU runs. Used by runs_on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "judge/entry_fit.hpp"

namespace ptxguard {

using FatbinEntries = std::vector<const DeviceEntry*>;

enum class UnitFit { cubin, jit, refused, old_driver, open, no };

// One fatbin, or all relocatable ones of a file.
struct Unit {
    UnitFit fit = UnitFit::no;
    const DeviceEntry* entry = nullptr;  // the deciding one
    EntryFit detail;
};

// A matching cubin is always selected, even if the driver then refuses it.
Unit judge_fatbin(const RunQuestion& question, const FatbinEntries& entries);

// A file of bytecode is compiled before it is loaded, by tileiras.
bool is_bytecode(const BinaryFile& file);
// Whether the driver compiles Tile IR that it finds in a fatbin. Nothing = not known.
std::optional<bool> compiles_tile_ir(const RunQuestion& question);

}  // namespace ptxguard
