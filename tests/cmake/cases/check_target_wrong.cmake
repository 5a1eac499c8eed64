# Each wrong use stops the configure with its own message: one nested configure per use.
function(wrong use words)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/wrong")
  file(REMOVE_RECURSE "${folder}")
  file(WRITE "${folder}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20...4.1)
project(wrong LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH \"${MODULES}\")
find_package(CudaConsistent REQUIRED)
add_library(headers INTERFACE)
cuda_consistent_check_target(${use})
")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env COLUMNS=10000 "${CMAKE_COMMAND}" -G Ninja -S "${folder}" -B "${folder}/build"
      "-DCudaConsistent_PTXGUARD=${CudaConsistent_PTXGUARD}" "-DCudaConsistent_TOOLKIT=${REPAIRED}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "\n *" " " output "${output}")  # CMake wraps messages
  if(result EQUAL 0 OR NOT output MATCHES "${words}")
    message(SEND_ERROR "${use}, expected '${words}': ${result}\n${output}")
  endif()
endfunction()

wrong("headers" "cuda_consistent_check_target: 'headers' is not built by this project")
wrong("header" "cuda_consistent_check_target: 'header' is not a target")
wrong("headers GPU 8.0" "unknown argument 'GPU': the arguments are GPUS and DRIVER")
wrong("headers gpus 8.0 DRIVER 550" "unknown argument 'gpus': the arguments are GPUS and DRIVER")
