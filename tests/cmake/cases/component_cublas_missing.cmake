# A project that links cuBLAS with a toolkit that has none.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PYTHON "${REPAIRED}")
set(CudaConsistent_PROBE off)
find_package(CudaConsistent REQUIRED COMPONENTS cuBLAS)
