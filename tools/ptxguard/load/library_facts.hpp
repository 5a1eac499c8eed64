// What a library file is, from the file and what lies beside it: which NVIDIA library, its version, the CUDA
// release it belongs to, whether it is a stub. Runs nothing. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// Fills library, cuda_major, version, cuda, stub of one that was taken (from taken / real_path); of a missing
// one library and cuda_major from its name. Sources in this order: the library's own strings or version
// resource, file name (libcublas.so.12.8.4.1), the package that its folder belongs to (RECORD of a wheel,
// conda-meta, dpkg).
void identify_library(const Host& host, const Facts& facts, LoadedFile& library);
Known<Version> library_version(const Host& host, const Facts& facts, const std::string& path);

// ldd -r without running anything: fills undefined, undefined_names, missing_versions of every library of the
// trace.
void count_undefined(const Host& host, LoadTrace& trace);

}  // namespace ptxguard
