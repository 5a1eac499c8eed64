# "native" on a machine without GPUs: CMake stops when it generates, so this package stops with the cure.
if(EXISTS /dev/nvidia0 OR EXISTS /dev/dxg)
  return()
endif()
include("${CASES}/late/configure.cmake")
set(nvcc "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc")
configure(variable OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=native "-DCudaConsistent_GPUS=RTX 3090" STOPS "error.CC211." HAS "to \"86-real\""
  NOT "no GPU was detected|no NVIDIA GPU was detected")
configure(target OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES native)"
  STOPS "error.CC211.: CUDA_ARCHITECTURES of target x is `native`" HAS "name the architectures in CUDA_ARCHITECTURES of target x")
# nvcc's own word compiles for its default target.
configure(flags OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=OFF ENABLED "set(CMAKE_CUDA_FLAGS -arch=native)" HAS "warning.CC211.")
