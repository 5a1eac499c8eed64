set(project "${SOURCE}/examples/plain_cuda")
list(APPEND options "-DCMAKE_CUDA_COMPILER=${repaired}/bin/nvcc")
# CMake links when it tests the compiler. A wheel's nvcc searches lib64, its libraries are in lib.
set(environment "LIBRARY_PATH=${repaired}/lib")
