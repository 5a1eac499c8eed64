// A private folder with the test source, made when first needed and always removed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/result.hpp"

namespace ptxguard {

class WorkFolder {
public:
    WorkFolder() = default;
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    // Its path, or why there is none (a full or read-only disk).
    Result<std::string> path();
    // Is there room for the output of a compile (a few MiB)? Checked after a failure without a clear message.
    bool has_room();

private:
    std::string m_path;
};

}  // namespace ptxguard
