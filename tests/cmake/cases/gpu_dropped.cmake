set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_DRIVER 590.48.01)
set(CudaConsistent_GPUS "V100")
find_package(CudaConsistent REQUIRED)
