# cmake -P: checked as in a project, without targets.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DMODULES=${MODULES}" "-DCudaConsistent_PTXGUARD=${CudaConsistent_PTXGUARD}"
      "-DCudaConsistent_TOOLKIT=${REPAIRED}" -DCudaConsistent_CHECK_ALL_TARGETS=ON -P "${CMAKE_CURRENT_LIST_FILE}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "ended with ${result}")
  endif()
  return()
endif()
list(PREPEND CMAKE_MODULE_PATH "${MODULES}")
find_package(CudaConsistent REQUIRED)
message(STATUS "PTX ${CudaConsistent_PTX_VERSION}, ${CudaConsistent_REPORT}")
