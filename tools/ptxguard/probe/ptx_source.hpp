// What the probes compile: one small .cu file and the smallest PTX that a version can be asked with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/arch.hpp"
#include "model/version.hpp"

namespace ptxguard {

// Math from libdevice, shared memory, an atomic, a launch and a runtime call: each program of a toolkit has
// work to do.
extern const char* const k_probe_source;
// The part of it for the device: what NVRTC can compile without any header.
extern const char* const k_device_source;

// An empty kernel with these two directives.
std::string minimal_ptx(PtxVersion version, Arch target);

// Newer than any compiler will be for long: a consumer answers it with the version that it does read.
constexpr PtxVersion k_absurd_ptx_version{99, 9};

}  // namespace ptxguard
