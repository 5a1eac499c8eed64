# CUDA is enabled with another nvcc than the one that was checked.
set(CudaConsistent_TOOLKIT "${PARTS}/toolkit-13.3/nvidia/cu13")
set(CudaConsistent_PROBE off)
find_package(CudaConsistent)
enable_language(CXX)
set(CMAKE_CUDA_COMPILER "${REPAIRED}/bin/nvcc")
set(CMAKE_CUDA_ARCHITECTURES 80)
enable_language(CUDA)
