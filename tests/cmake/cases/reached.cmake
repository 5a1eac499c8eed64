# The values that unreached reports.
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CudaConsistent REQUIRED)
enable_language(CXX)
enable_language(CUDA)
