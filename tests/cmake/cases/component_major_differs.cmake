set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PYTHON "${PARTS}/torch-2.0.0")
find_package(CudaConsistent REQUIRED COMPONENTS PyTorch)
