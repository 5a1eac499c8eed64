// LTO-IR and Tile IR that test whether a compiler's results are valid: it refuses the one and compiles the
// other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/binary.hpp"

namespace ptxguard {

// The head of code with a version that no compiler will support for a long time. `code`: ltoir or tileir.
std::string absurd_ir(EntryKind code);
// A kernel in Tile IR 13.1, the oldest version, which stores one number: an empty module is accepted in any
// version. Made by cuda-tile 1.7.0.
std::string oldest_tile_ir();

}  // namespace ptxguard
