# SPDX-License-Identifier: Apache-2.0
set(CudaConsistent_PROVIDE off)
find_package(CudaConsistent)
message("taken: ${CudaConsistent_PTXGUARD_EXECUTABLE}")
