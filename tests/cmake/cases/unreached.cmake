# PyPI's nvcc passes; CMake does not find it, and it does not find its libraries.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CudaConsistent REQUIRED)
