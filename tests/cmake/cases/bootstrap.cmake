# No ptxguard is given: it is built from the sources next to the module, once.
unset(CudaConsistent_PTXGUARD CACHE)
set(CudaConsistent_TOOLKIT "${REPAIRED}")
find_package(CudaConsistent REQUIRED)
file(WRITE "${CMAKE_BINARY_DIR}/elsewhere/CMakeLists.txt" "# a build tree below the sources is not one of them\n")
find_package(CudaConsistent REQUIRED)
if(NOT CudaConsistent_PTXGUARD_EXECUTABLE MATCHES "/bootstrap-cache/ptxguard/programs/")
  message(SEND_ERROR "took '${CudaConsistent_PTXGUARD_EXECUTABLE}'")
endif()
