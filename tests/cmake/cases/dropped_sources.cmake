# CUDA sources that CMake ignores are reported; if that is intended, or cannot be known, nothing is reported.
function(configure place text)
  cmake_parse_arguments(PARSE_ARGV 2 own "" "" "OPTIONS")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/dropped-${place}")
  file(REMOVE_RECURSE "${folder}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env COLUMNS=10000 CUDACXX=/missing/nvcc "${CMAKE_COMMAND}" -G Ninja -S "${CASES}/dropped"
      -Werror=dev "-DMODULES=${MODULES}" "-DCudaConsistent_PTXGUARD=${CudaConsistent_PTXGUARD}" -DPLACE=${place} -B "${folder}" ${own_OPTIONS}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR (text AND NOT output MATCHES "warning.CC618.: ${text}") OR (NOT text AND output MATCHES "CC618"))
    message(SEND_ERROR "${place}, expected '${text}': ${result}\n${output}")
  endif()
endfunction()

set(nvcc "-DCMAKE_CUDA_COMPILER=${REPAIRED}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80)
configure(target "target app is built without [^ ]*src/a.cu: the project does not enable CUDA")
configure(looked "no target compiles the CUDA sources [^ ]*src/a.cu and [^ ]*src/b.cu: check_language\\(CUDA\\) found no CUDA compiler")
configure(toolkit "no target compiles the CUDA sources .*: find_package\\(CUDAToolkit\\) found no CUDA compiler")
foreach(place nobody_looked looked_elsewhere option_off looked_option_off as_cxx headers looked_headers objects interface excluded)
  configure(${place} "")
endforeach()
configure(toolkit_disabled "" OPTIONS -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
configure(enabled "" OPTIONS ${nvcc})
configure(enabled_later "" OPTIONS ${nvcc})
