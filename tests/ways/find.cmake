# SPDX-License-Identifier: Apache-2.0
if(NOT CudaConsistent_PROVIDE)
  set(CudaConsistent_PROVIDE off)
endif()
find_package(CudaConsistent)
message("taken: ${CudaConsistent_PTXGUARD_EXECUTABLE}")
