set(project "${SOURCE}/examples/plain_cuda")
list(APPEND options "-DCMAKE_CUDA_COMPILER=${repaired}/bin/nvcc")
