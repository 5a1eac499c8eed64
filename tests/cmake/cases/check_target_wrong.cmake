set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent REQUIRED)
add_library(headers INTERFACE)
cuda_consistent_check_target(headers)
