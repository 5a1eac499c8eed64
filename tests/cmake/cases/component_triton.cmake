# Triton has no CUDA runtime: the project's toolkit may be of any release.
set(site "${CMAKE_CURRENT_BINARY_DIR}/site-packages")
file(WRITE "${site}/triton/__init__.py" "__version__ = '3.6.0'\n")
file(MAKE_DIRECTORY "${site}/triton/compiler" "${site}/triton/backends/nvidia")
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PYTHON "${site}")
set(CudaConsistent_PROBE off)
find_package(CudaConsistent REQUIRED COMPONENTS Triton)
message(STATUS "Triton ${CudaConsistent_Triton_FOUND}")
