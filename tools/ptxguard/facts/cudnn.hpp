// cuDNN by release: the files of a complete set, the CUDA majors that it was built for, the device code of
// its libraries. Queries on facts/cudnn/*.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

// File names of the complete set ("libcudnn.so.9", "libcudnn_graph.so.9" ...), in the order in which they are
// opened; empty if no table lists the release.
std::vector<std::string> cudnn_files(const Facts& facts, const Version& version, System system);

// The device code of one release for one CUDA major, measured in its cudnn_ops.
struct CudnnCode {
    Version version;
    std::vector<Target> code;
    Origin origin;
};
// The measured release, otherwise the nearest measured ones before and after it. If both agree on a GPU, the
// releases between them do too.
struct CudnnCodeNear {
    std::optional<CudnnCode> before, after;  // the same for a measured release
};
CudnnCodeNear cudnn_code(const Facts& facts, const Version& version, int cuda_major);

}  // namespace ptxguard
