set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent REQUIRED COMPONENTS PyTroch)
