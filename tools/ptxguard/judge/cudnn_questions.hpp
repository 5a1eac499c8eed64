// What the rules about cuDNN ask: which cuDNN a process gets, of which release and for which CUDA, and what
// the framework that runs in it was built with. Only what is loaded counts; copies that lie about explain why
// something is missing. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"

namespace ptxguard {

// The cuDNN of one traced process.
struct CudnnInUse {
    const LoadTrace* trace = nullptr;
    const Expectation* framework = nullptr;  // null: the trace is of no framework that was read
    const LoadedFile* asked = nullptr;       // the library that the process asks for; it may not be taken
    const LoadedFile* speaker = nullptr;     // the part whose version counts; null where none tells one
    Known<Version> version;                  // of the speaker
    Known<Version> cuda;                     // that it was made for
    bool mixed = false;  // its parts are of several releases: CC303 tells of it, and one cause is told once
};
// Of each trace that asks for cuDNN.
std::vector<CudnnInUse> cudnns_in_use(const Scenario& scenario);

const Expectation* framework_of(const Scenario& scenario, const LoadTrace& trace);  // null = none
std::string name_of(const CudnnInUse& cudnn);  // "TensorFlow 2.18.0"; of no framework the traced file
// The major that it asks for by name: 8 of libcudnn.so.8.
int major_asked(const CudnnInUse& cudnn, const Facts& facts);
bool is_cudnn(const LoadedFile& library);
// The loader looked and found none, and the process does not do without.
bool is_absent(const LoadedFile& library);

// Libraries without which the process does not start, else those that it opens later; the first kind that is
// missing. Those of the driver and NVRTC's builtins are other rules' matter.
std::vector<const LoadedFile*> missing_libraries(const LoadTrace& trace, const Facts& facts);
// Nothing but cuDNN is missing, so that CC301 and CC305 tell of it and CC401 does not.
bool only_cudnn_is_missing(const LoadTrace& trace, const Facts& facts);
// Does somebody mean to use a GPU here? TensorFlow's one wheel serves CPUs too.
bool is_meant_for_gpu(const Scenario& scenario);
bool is_meant_for_gpu(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn);

// Brings a cuDNN of `major`.`minor` or newer for that CUDA major: pip's line, or in words.
Fix get_cudnn_fix(const CudnnInUse& cudnn, const Version& wanted, int cuda_major);
// The variable that put the wrong copy in front; empty where none did.
std::vector<Fix> variable_fix(const LoadedFile& library);

}  // namespace ptxguard
