// Modes of `ptxguard --child MODE ...`: work that may crash or hang the process that does it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

// Arguments after the mode. PTX (may be empty) on stdin; JSON lines on stdout:
//   {"event":"trouble","text":...}                       the library cannot be used
//   {"event":"loaded","api":"12.2"}
//   {"event":"limit","arch":"sm_52","result":7,"log":...}    an absurd .version, for the version that the
//   text names
//   {"event":"compile","arch":"sm_80","result":0,"log":"","made":true}
//   {"event":"version","arch":"sm_52",...}               after an arch that the library does not know: the
//   PTX's version
//                                                        alone, for one that it knows
int child_jit(const std::vector<std::string>& arguments);

// LIBCUDA: what a driver's library says of itself and its GPUs, one line of JSON; code is a CUresult:
//   {"cuda":12020,"devices":[{"name":"NVIDIA H100","cc":"9.0"}],"code":0,"error":""}
int child_driver(const std::vector<std::string>& arguments);

// The compilers in libraries: LIBRARY [--limit] [--option=X]... ARCH..., the source on stdin (empty: a small
// one of our own). JSON lines on stdout:
//   {"event":"trouble","text":...}          the library cannot be used
//   {"event":"loaded","version":"12.9"}     NVRTC also "archs":[50,52], libNVVM "api", "ir", "llvm"
//   {"event":"limit",...}                   nvJitLink with --limit, as for child_jit
//   {"event":"compile","arch":"sm_80","call":...,"result":0,"name":"NVRTC_SUCCESS","log":"","ms":12.5,
//    "ptx":... (NVRTC, libNVVM) or "made":true (nvJitLink)}
int child_nvrtc(const std::vector<std::string>& arguments);
int child_nvjitlink(const std::vector<std::string>& arguments);  // --option=8.0: .version of its own kernels
int child_nvvm(const std::vector<std::string>& arguments);
int child_cuda(
    const std::vector<std::string>& arguments);  // ARCH: of a GPU that is here; "result" is a CUresult

}  // namespace ptxguard
