// Modes of `ptxguard --child MODE ...`: work that may crash or hang its process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxguard {

// The compilers in libraries, MODE jit, nvrtc, nvvm or nvjitlink: LIBRARY [--limit] [--option=X]... ARCH...,
// the source on stdin (empty: a small one of our own, not for jit). JSON lines on stdout:
//   {"event":"trouble","text":...}          the library cannot be used
//   {"event":"loaded","version":"12.9"}     NVRTC also "archs":[50,52]; jit "api"; libNVVM "api", "ir",
//   "llvm"
//   {"event":"limit",...}                   the answer to PTX of an absurd version: jit, nvJitLink with
//   --limit
//   {"event":"oldest",...}                  jit: the answer to old PTX, which every driver compiles
//   {"event":"compile","arch":"sm_80","call":...,"result":0,"name":"NVRTC_SUCCESS","log":"","ms":12.5,
//    "ptx":... (NVRTC, libNVVM), "ltoir":"7f43..." (NVRTC with -dlto) or "made":true (jit, nvJitLink)}
//   {"event":"version",...}                 jit, after an unsupported arch: only the PTX version, for a
//                                           supported arch
// nvJitLink's --option=8.0: .version of our own kernels. Nothing for another MODE.
std::optional<int> child_compiler(const std::string& mode, const std::vector<std::string>& arguments);

// LIBCUDA: what a driver's library reports about itself and its GPUs, one line of JSON; code is a CUresult:
//   {"cuda":12020,"devices":[{"name":"NVIDIA H100","cc":"9.0"}],"code":0,"error":""}
int child_driver(const std::vector<std::string>& arguments);

// LIBCUDA ARCH: like the compilers, on a GPU of this machine; "result" is a CUresult.
int child_cuda(const std::vector<std::string>& arguments);

}  // namespace ptxguard
