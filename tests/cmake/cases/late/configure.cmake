# configure(NAME [LATE code] [ENABLED code] [TARGET code] [OPTIONS ...] [ENVIRONMENT ...] [STOPS regex] [HAS regex] [NOT regex]):
# code between find_package and enable_language(CUDA), before and after the target. Without STOPS the configure must end well.
# Sets `configured` to the output. The libraries for the link, which the set of nvcc 12.4 has not, are those of another, without
# device code, which nvlink 12.4 could not read.
set(t124 "${PARTS}/nvcc-12.4-working")
file(GLOB_RECURSE jit535 "${PARTS}/driver-535/*/libnvidia-ptxjitcompiler.so.1")
list(GET jit535 0 jit535)
get_filename_component(d535 "${jit535}" DIRECTORY)

# A compiler that nvcc refuses, and an nvcc that does not run.
set(tools "${CMAKE_CURRENT_BINARY_DIR}/tools")
foreach(name gcc g++)
  file(WRITE "${tools}/new/${name}" "#!/bin/sh\nexec /usr/bin/${name} -U__GNUC__ -D__GNUC__=17 \"$@\"\n")
  execute_process(COMMAND chmod +x "${tools}/new/${name}")
endforeach()
file(WRITE "${tools}/dead/nvcc" "#!/bin/sh\nexit 1\n")
execute_process(COMMAND chmod +x "${tools}/dead/nvcc")

file(MAKE_DIRECTORY "${tools}/lib")
file(WRITE "${tools}/lib/libcudadevrt.a" "!<arch>\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -E create_symlink "${REPAIRED}/lib/libcudart_static.a" "${tools}/lib/libcudart_static.a")

function(configure name)
  cmake_parse_arguments(PARSE_ARGV 1 own "" "LATE;ENABLED;TARGET;STOPS;HAS;NOT;GENERATOR;SOURCE" "OPTIONS;ENVIRONMENT")
  set(code "${CMAKE_CURRENT_BINARY_DIR}/code-${name}")
  foreach(when late enabled target)
    string(TOUPPER ${when} upper)
    file(WRITE "${code}/${when}.cmake" "${own_${upper}}\n")
  endforeach()
  if(NOT own_GENERATOR)
    set(own_GENERATOR "${CMAKE_GENERATOR}")
  endif()
  if(NOT own_SOURCE)
    set(own_SOURCE "${CASES}/late")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/build-${name}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env COLUMNS=10000 CUDAFLAGS= "LIBRARY_PATH=${tools}/lib" ${own_ENVIRONMENT} "${CMAKE_COMMAND}" -G "${own_GENERATOR}"
      -S "${own_SOURCE}" -B "${folder}" -DREQUIRED=REQUIRED "-DMODULES=${MODULES}" "-DCODE=${code}"
      "-DCudaConsistent_PTXGUARD=${CudaConsistent_PTXGUARD}" ${own_OPTIONS}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(configured "${output}" PARENT_SCOPE)
  set(wrong "")
  if(own_STOPS AND (result EQUAL 0 OR NOT output MATCHES "${own_STOPS}"))
    set(wrong "must stop with '${own_STOPS}'")
  elseif(NOT own_STOPS AND (NOT result EQUAL 0 OR output MATCHES "(error|warning).CC"))
    if(NOT (result EQUAL 0 AND own_HAS))
      set(wrong "must be silent")
    endif()
  endif()
  if(own_HAS AND NOT output MATCHES "${own_HAS}")
    string(APPEND wrong " must have '${own_HAS}'")
  endif()
  if(own_NOT AND output MATCHES "${own_NOT}")
    string(APPEND wrong " must not have '${own_NOT}'")
  endif()
  if(wrong)
    message(SEND_ERROR "${name}: ${wrong}: ${result}\n${output}")
  endif()
endfunction()
