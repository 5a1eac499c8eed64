# CMake finds it; its link fails, as was reported.
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CudaConsistent REQUIRED)
enable_language(CXX)
enable_language(CUDA)
