set(project "${SOURCE}/examples/old_driver")
list(APPEND options "-DCMAKE_CUDA_COMPILER=${repaired}/bin/nvcc")
