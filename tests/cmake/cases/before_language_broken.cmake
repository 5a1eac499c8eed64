set(CudaConsistent_TOOLKIT "${MIXED}")
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CudaConsistent REQUIRED)
message(FATAL_ERROR "must not be reached")
