# Checks a project without editing it:
#   cmake -S . -B build -DCMAKE_PROJECT_INCLUDE_BEFORE=<this file>
# or, from CMake 3.24, -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file>. Runs once, before the first project() enables a language,
# so that the cause is reported before CMake reports a broken compiler. Leaves no variables of its own in the project.
# SPDX-License-Identifier: Apache-2.0

# project() goes on after a fatal error in this file, and reports what it could not set: the build program, the first compiler.
# Called by FindCudaConsistent.cmake in the scope of _cuda_consistent_before().
macro(_cuda_consistent_stopped)
  if(CMAKE_GENERATOR MATCHES "^Ninja")
    include(CMakeNinjaFindMake)
  elseif(CMAKE_GENERATOR STREQUAL "Unix Makefiles")
    include(CMakeUnixFindMake)
  endif()
  foreach(variable C CXX CUDA Fortran)
    if(NOT CMAKE_${variable}_COMPILER)
      set(CMAKE_${variable}_COMPILER "not set" PARENT_SCOPE)
    endif()
  endforeach()
endmacro()

# CMake reads the toolchain file after CMAKE_PROJECT_INCLUDE_BEFORE: the compiler that it names is the one to check.
function(_cuda_consistent_before)
  if(CMAKE_TOOLCHAIN_FILE AND NOT CMAKE_SYSTEM_NAME)
    get_filename_component(file "${CMAKE_TOOLCHAIN_FILE}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
    if(NOT EXISTS "${file}")
      get_filename_component(file "${CMAKE_TOOLCHAIN_FILE}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    endif()
    include("${file}" OPTIONAL)
    if(NOT DEFINED CMAKE_CUDA_FLAGS AND DEFINED CMAKE_CUDA_FLAGS_INIT)
      set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS_INIT}")
    endif()
  endif()
  list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(_CudaConsistent_before TRUE)
  find_package(CudaConsistent MODULE REQUIRED)
endfunction()

get_property(_CudaConsistent_done GLOBAL PROPERTY CudaConsistent_checked_before)
if(NOT _CudaConsistent_done)
  set_property(GLOBAL PROPERTY CudaConsistent_checked_before TRUE)
  _cuda_consistent_before()
endif()
unset(_CudaConsistent_done)
