# Makes an installed CudaConsistent available through CMAKE_PREFIX_PATH or an active environment, without
# CMAKE_MODULE_PATH.
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/FindCudaConsistent.cmake")
