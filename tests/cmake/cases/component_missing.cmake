set(CudaConsistent_TOOLKIT "${REPAIRED}")
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/empty-site-packages")
set(CudaConsistent_PYTHON "${CMAKE_CURRENT_BINARY_DIR}/empty-site-packages")
find_package(CudaConsistent REQUIRED COMPONENTS PyTorch)
