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

}  // namespace ptxguard
