set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent 0.1...<1 REQUIRED)
find_package(CudaConsistent ${CudaConsistent_VERSION} EXACT REQUIRED)
