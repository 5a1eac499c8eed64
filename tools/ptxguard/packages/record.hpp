// pip's list of the files of an installed package: RECORD next to its METADATA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "packages/wheels.hpp"

namespace ptxguard {

struct RecordedFile {
    std::string path;  // below site-packages: "nvidia/nccl/lib/libnccl.so.2"
    std::string size;  // in bytes; empty if the line has none
};
// In its order; empty if there is no readable RECORD.
std::vector<RecordedFile> recorded_files(const Host& host, const InstalledWheel& wheel);

}  // namespace ptxguard
