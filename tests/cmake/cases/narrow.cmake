# ptxguard breaks lines at the width of the terminal; CMake's error names each finding in full.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_DRIVER 535.104.05)
set(CudaConsistent_ARCHITECTURES 80-virtual)
find_package(CudaConsistent REQUIRED)
