// LTO-IR and Tile IR that show whether a compiler can be believed: it refuses the one and compiles the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/binary.hpp"

namespace ptxguard {

// The head of code of a version that no compiler will have for a long time. `code`: ltoir or tileir.
std::string absurd_ir(EntryKind code);
// A kernel in Tile IR 13.1, the oldest version, which stores one number: an empty module is accepted whatever
// its version. Made by cuda-tile 1.7.0.
std::string oldest_tile_ir();

}  // namespace ptxguard
