# "native" on a machine without GPUs: a warning, and CMake continues as it does without this package.
if(EXISTS /dev/nvidia0 OR EXISTS /dev/dxg)
  message("warning[CC211] is for machines without a GPU")
  return()
endif()
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CMAKE_CUDA_ARCHITECTURES native)
set(CudaConsistent_GPUS "RTX 3090")
find_package(CudaConsistent REQUIRED)
