// For the cuDNN rules: which cuDNN a process loads, its release and CUDA, and what its framework was built
// with. Only what is loaded counts; other copies explain why something is missing. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// The cuDNN of one traced process.
struct CudnnInUse {
    const LoadTrace* trace = nullptr;
    const Expectation* framework = nullptr;  // null: not the trace of a framework
    const LoadedFile* asked = nullptr;       // the library that the process requests; it may not be found
    const LoadedFile* version_library = nullptr;  // the library whose version counts; null = not known
    Known<Version> version;                       // of that library
    Known<Version> cuda;                          // CUDA that it was built for
    bool mixed = false;  // its libraries are of several releases: only CC303 reports that
};
// For each trace that needs cuDNN.
std::vector<CudnnInUse> cudnns_in_use(const Scenario& scenario);

CudnnInUse cudnn_of(const Scenario& scenario, const LoadTrace& trace);  // `asked` is null if it needs none

// libcudnn.so.9 before a libcudnn_graph.so.9 of another release: it only forwards to it and to the others.
// Measured on an H100 with torch 2.11: libcudnn of 9.9, 9.12 and 9.20 before the others of 9.19 computes;
// without one: that of 9.1.0 before the others of 9.10.2 and 9.23.2 makes descriptors.
bool only_forwards(const LoadedFile& library, const LoadedFile& graph);

// The major in the requested name: 8 for libcudnn.so.8; without a number that of the framework's build.
int major_asked(const LoadedFile& cudnn, const Expectation* framework, const Facts& facts);
// Installs a cuDNN of `wanted` or newer within its major: pip's command, or prose. Without `cuda_major`: for
// the framework's CUDA.
Fix get_cudnn_fix(const Expectation* framework, const Version& wanted, const Facts& facts,
                  int cuda_major = 0);

}  // namespace ptxguard
