// The inputs of probes: one small .cu file, and the smallest PTX to measure a version with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/arch.hpp"
#include "model/binary.hpp"
#include "model/version.hpp"

namespace ptxguard {

// Math from libdevice, shared memory, an atomic, a launch and a runtime call, so that each program of a
// toolkit is used.
extern const char* const k_probe_source;
extern const char* const k_link_source;
// Its device part, which NVRTC can compile without any header.
extern const char* const k_device_source;

// What the preprocessor leaves of a kernel, as cl.exe spells it: cicc compiles it without any header. It
// calls a function of libdevice.
extern const char* const k_preprocessed_source;

// An empty kernel with these two directives.
std::string minimal_ptx(PtxVersion version, Arch target);
// An empty kernel as NVVM IR of this version, with opaque or typed pointers.
std::string minimal_ir(int major, int minor, bool opaque);

// Newer than any compiler for a long time: a consumer refuses it and reports the newest version that it
// accepts.
constexpr PtxVersion k_absurd_ptx_version{99, 9};
// The oldest pair that every driver from 390 to 555 and every ptxas up to 13.5 compiles, for each GPU.
constexpr PtxVersion k_oldest_ptx_version{3, 0};
constexpr Arch k_oldest_ptx_target{20, 0};

// LTO-IR and Tile IR that test whether a compiler's results are valid: it refuses the one and compiles the
// other.

// The head of code with a version that no compiler will support for a long time. `code`: ltoir or tileir.
std::string absurd_ir(EntryKind code);
// A kernel in Tile IR 13.1, the oldest version, which stores one number: an empty module is accepted in any
// version. Made by cuda-tile 1.7.0.
std::string oldest_tile_ir();

}  // namespace ptxguard
