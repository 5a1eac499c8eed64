list(APPEND options "-DCMAKE_PROJECT_INCLUDE_BEFORE=${SOURCE}/cmake/Modules/CudaConsistentBefore.cmake"
  "-DCMAKE_CUDA_COMPILER=${mixed}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80)
