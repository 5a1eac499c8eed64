// Follows one candidate to its toolkit, or to the reason why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "discover/selectors.hpp"

namespace ptxguard {

// `lenient` (for our own options): also accepts nvcc itself, its bin folder and relative paths.
void follow_folder(const Host& host, Lead& lead, bool lenient);
void follow_program(const Host& host, Lead& lead);  // CUDACXX, CMAKE_CUDA_COMPILER: a path, or a name on PATH
void follow_hpc_sdk(const Host& host, Lead& lead);  // NVHPC_ROOT: the toolkit is in cuda/ or cuda/13.0/

}  // namespace ptxguard
