// Producers and consumers of device code, by their file names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard {

enum class ToolFile { none, nvcc, ptxas, nvrtc, nvjitlink, libnvvm, driver_jit, clang, tileiras };
// "libnvrtc.so.12", "libnvrtc-5e8a26c9.so.10.1" (renamed by auditwheel), "ptxas-blackwell",
// "nvJitLink_130_0.dll", or a path.
ToolFile tool_file(const std::string& path);

}  // namespace ptxguard
