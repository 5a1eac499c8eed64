// The programs and libraries that make or read device code, by their files' names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard {

enum class ToolFile { none, nvcc, ptxas, nvrtc, nvjitlink, libnvvm, driver_jit, clang, tileiras };
// "libnvrtc.so.12", "libnvrtc-5e8a26c9.so.10.1" (as auditwheel renames), "ptxas-blackwell",
// "nvJitLink_130_0.dll"; a path is as good.
ToolFile tool_file(const std::string& path);

}  // namespace ptxguard
