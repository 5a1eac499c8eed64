// What the cuDNN rules need: which cuDNN a process gets, of which release and for which CUDA, and what its
// framework was built with. Only what is loaded counts; other copies explain why something is missing. Inner
// header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// The cuDNN of one traced process.
struct CudnnInUse {
    const LoadTrace* trace = nullptr;
    const Expectation* framework = nullptr;  // null: not the trace of a framework
    const LoadedFile* asked = nullptr;       // the library that the process requests; it may not be found
    const LoadedFile* speaker = nullptr;     // the library whose version counts; null if none is known
    Known<Version> version;                  // of the speaker
    Known<Version> cuda;                     // that it was built for
    bool mixed = false;                      // its libraries are of several releases: only CC303 reports that
};
// For each trace that needs cuDNN.
std::vector<CudnnInUse> cudnns_in_use(const Scenario& scenario);

std::string name_of(const CudnnInUse& cudnn);  // "TensorFlow 2.18.0"; of no framework the traced file
// The major in the requested name: 8 of libcudnn.so.8.
int major_asked(const CudnnInUse& cudnn, const Facts& facts);
bool is_cudnn(const LoadedFile& library);
// The loader found none, and the process needs one.
bool is_absent(const LoadedFile& library);

// Libraries that the process needs to start, otherwise those that it opens later; the first kind with a
// missing one. The driver's and NVRTC's builtins belong to other rules.
std::vector<const LoadedFile*> missing_libraries(const LoadTrace& trace, const Facts& facts);
// Only cuDNN is missing, so that CC301 and CC305 report it and CC401 does not.
bool only_cudnn_is_missing(const LoadTrace& trace, const Facts& facts);
// A GPU was named: a framework that would not use it is wrong.
bool names_a_gpu(const Scenario& scenario);
// Does somebody mean to use a GPU here? TensorFlow's one wheel serves CPUs too.
bool is_meant_for_gpu(const Scenario& scenario);
bool is_meant_for_gpu(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn);

// Installs a cuDNN of `major`.`minor` or newer for that CUDA major: pip's command, or prose.
Fix get_cudnn_fix(const CudnnInUse& cudnn, const Version& wanted, int cuda_major);
// The variable that put the wrong copy first; empty if none did.
std::vector<Fix> variable_fix(const LoadedFile& library);

}  // namespace ptxguard
