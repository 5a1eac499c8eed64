# A variable that is nearly a hint is warned about, once; others are the project's own.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PROBE off)
set(CudaConsistent_DRIVERS 550.54.14)
set(CudaConsistent_FAILON never)
set(CudaConsistent_OWN_THING 1)
find_package(CudaConsistent)
find_package(CudaConsistent)
