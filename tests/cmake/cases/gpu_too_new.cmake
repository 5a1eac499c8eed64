set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_DRIVER 550.54.14)
set(CudaConsistent_GPUS "RTX 5090")
find_package(CudaConsistent REQUIRED)
