// What NVIDIA's library files say of their own version. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/libraries.hpp"
#include "host/host.hpp"

namespace ptxguard {

struct OwnWords {
    Known<Version>
        version;          // as exact as the file has it: 12.4.5 of cuBLASLt 12.4.5.8, 12.8 of NVRTC 12.8.93
    Known<Version> cuda;  // CUDA release that it was made with, where it says so
    std::string machine;
    bool stub = false;
};
// Nothing is run: an exported constant, the constant that its version function gives back, or the version
// resource.
OwnWords own_words(const Source& source, const LibraryName& name, const std::string& path);

}  // namespace ptxguard
