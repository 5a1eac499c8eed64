# An nvcc that passes the check, but that enable_language(CUDA) does not find, or that does not find its libraries: PyPI's nvcc.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# The folder of the CUDA runtime for the link, if nvcc links nothing without it, else "". CMake links a program when it tries
# the compiler.
function(_cuda_consistent_unlinked nvcc out)
  set(${out} "" PARENT_SCOPE)
  get_filename_component(top "${nvcc}" REALPATH)
  get_filename_component(top "${top}/../.." ABSOLUTE)
  if(EXISTS "${top}/lib64/libcudart_static.a" OR NOT EXISTS "${top}/lib/libcudart_static.a")
    return()
  endif()
  # CMAKE_EXE_LINKER_FLAGS does not help: CMake identifies nvcc without it.
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS} $ENV{CUDAFLAGS}")
  list(FILTER flags INCLUDE REGEX "^-L.")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/CudaConsistent")
  set(link "${nvcc}" -shared -x c++ /dev/null -o "${CMAKE_BINARY_DIR}/CudaConsistent/linked" ${flags})
  execute_process(COMMAND ${link} RESULT_VARIABLE plain OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
  if(NOT plain EQUAL 0)
    execute_process(COMMAND ${link} "-L${top}/lib" RESULT_VARIABLE named OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
    if(named EQUAL 0)
      set(${out} "${top}/lib" PARENT_SCOPE)
    endif()
  endif()
  file(REMOVE "${CMAKE_BINARY_DIR}/CudaConsistent/linked")
endfunction()

# Says what enable_language(CUDA) will meet with the nvcc that was checked, and the values to set.
function(_cuda_consistent_reach nvcc)
  if(NOT nvcc OR CMAKE_CUDA_COMPILER_LOADED OR CMAKE_SCRIPT_MODE_FILE OR CudaConsistent_FIND_QUIETLY OR NOT CMAKE_HOST_UNIX)
    return()
  endif()
  set(named "${CMAKE_CUDA_COMPILER}$ENV{CUDACXX}")
  if(named AND NOT named STREQUAL nvcc)  # architectures.cmake compares the two
    return()
  endif()
  set(lines "")
  if(NOT named)
    find_program(_CudaConsistent_reached nvcc PATHS ENV CUDA_PATH PATH_SUFFIXES bin)  # as CMake does; NO_CACHE is of CMake 3.21
    set(found "${_CudaConsistent_reached}")
    unset(_CudaConsistent_reached CACHE)
    if(NOT found)
      string(APPEND lines "\n    CMake does not find ${nvcc}, which was checked: set CMAKE_CUDA_COMPILER (or the variable CUDACXX of the environment) to it")
    endif()
  endif()
  _cuda_consistent_unlinked("${nvcc}" lib)
  if(lib)
    string(APPEND lines "\n    nvcc does not find libcudart_static.a for the link: set the variable LIBRARY_PATH of the environment to ${lib}, or CMAKE_CUDA_FLAGS to -L${lib}")
  endif()
  if(lines)
    message(NOTICE "  enable_language(CUDA) will fail in this environment:${lines}")
  endif()
endfunction()
