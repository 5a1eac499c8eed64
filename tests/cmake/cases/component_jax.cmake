# JAX of CUDA 13 with its packages, then a plugin of another release than its jaxlib.
set(site "${CMAKE_CURRENT_BINARY_DIR}/site-packages")
file(MAKE_DIRECTORY "${site}")
file(GLOB entries "${PARTS}/jax-cuda13-set/jax*" "${PARTS}/torch-2.11.0-set/nvidia*")
foreach(entry IN LISTS entries)
  get_filename_component(name "${entry}" NAME)
  file(CREATE_LINK "${entry}" "${site}/${name}" SYMBOLIC)
endforeach()
set(ENV{CUDA_ROOT} "${REPAIRED}")  # where JAX searches for ptxas
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CudaConsistent_PYTHON "${site}")
set(CudaConsistent_PROBE off)
find_package(CudaConsistent REQUIRED COMPONENTS JAX)
message(STATUS "JAX ${CudaConsistent_JAX_FOUND}")
