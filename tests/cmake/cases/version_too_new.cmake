set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent 99.0 REQUIRED)
