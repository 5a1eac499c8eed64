# No ptxguard is given: it is built from the sources beside the module, once.
unset(CudaConsistent_PTXGUARD CACHE)
set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent REQUIRED)
find_package(CudaConsistent REQUIRED)
if(NOT CudaConsistent_PTXGUARD_EXECUTABLE MATCHES "/bootstrap-cache/ptxguard/programs/")
  message(SEND_ERROR "took '${CudaConsistent_PTXGUARD_EXECUTABLE}'")
endif()
