set(CudaConsistent_FAIL_ON errors)
find_package(CudaConsistent REQUIRED)
