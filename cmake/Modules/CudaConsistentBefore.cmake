# Checks a project without editing it:
#   cmake -S . -B build -DCMAKE_PROJECT_INCLUDE_BEFORE=<this file>
# or, from CMake 3.24, -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file>. Checks when CUDA is enabled, before CMake tries the compiler,
# and at the end of a project that compiles CUDA in another way. A project without CUDA is left alone. Sets no variables.
# SPDX-License-Identifier: Apache-2.0

# MOMENT: "enabling" or "the end".
macro(_cuda_consistent_before moment)
  list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(_CudaConsistent_before "${moment}")
  find_package(CudaConsistent MODULE REQUIRED)
endmacro()

# The variable is set when CUDA is enabled.
function(_cuda_consistent_before_language variable access)
  get_property(done GLOBAL PROPERTY CudaConsistent_checked_before)
  if(access STREQUAL "MODIFIED_ACCESS" AND NOT done)
    set_property(GLOBAL PROPERTY CudaConsistent_checked_before TRUE)
    _cuda_consistent_before(enabling)
    _cuda_consistent_enabling(${variable} ${access})  # its own watch begins with the next change
  endif()
endfunction()

# nvcc as C++ compiler, without a CUDA language.
function(_cuda_consistent_before_cxx variable access)
  if(access STREQUAL "MODIFIED_ACCESS" AND "${CMAKE_CXX_COMPILER}" MATCHES "nvcc[^/]*$")
    _cuda_consistent_before(enabling)
    _cuda_consistent_enabling_cxx(${variable} ${access})
  endif()
endfunction()

# CMake looked for CUDA and found none, though an nvcc is there.
function(_cuda_consistent_before_looked variable access)
  _cuda_consistent_looked_in_vain("${variable}" "${access}" "${ARGV2}" who)
  if(who)
    find_program(_CudaConsistent_asked nvcc PATHS ENV CUDA_PATH PATH_SUFFIXES bin)
    set(found "${_CudaConsistent_asked}")
    unset(_CudaConsistent_asked CACHE)
    if(found OR DEFINED ENV{CUDACXX})
      _cuda_consistent_before("the end")
      _cuda_consistent_looked(${variable} ${access} "${ARGV2}")
    endif()
  endif()
endfunction()

# Without the language, FindCUDA compiles CUDA sources, or nothing does.
function(_cuda_consistent_before_end)
  get_cmake_property(settings CACHE_VARIABLES)
  list(FILTER settings INCLUDE REGEX "^CudaConsistent_")
  foreach(setting IN LISTS settings)
    set(read "${${setting}}")  # CMake warns of options that a configure did not use
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CUDA" IN_LIST languages OR "HIP" IN_LIST languages)
    return()
  endif()
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CudaConsistent/dropped.cmake")
  _cuda_consistent_has_sources(any)
  if(any)
    if(any STREQUAL "FindCUDA")
      set_property(GLOBAL PROPERTY CudaConsistent_open TRUE)
    endif()
    _cuda_consistent_before("the end")
    _cuda_consistent_project_ends()
  endif()
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/looked.cmake")
get_property(_CudaConsistent_done GLOBAL PROPERTY CudaConsistent_watched_before)
if(NOT _CudaConsistent_done)
  set_property(GLOBAL PROPERTY CudaConsistent_watched_before TRUE)
  variable_watch(CMAKE_CUDA_COMPILER_ID_RUN _cuda_consistent_before_language)
  variable_watch(CMAKE_CXX_COMPILER_ID_RUN _cuda_consistent_before_cxx)
  variable_watch(CMAKE_CUDA_COMPILER _cuda_consistent_before_looked)
  variable_watch(CUDAToolkit_FOUND _cuda_consistent_before_looked)
  cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _cuda_consistent_before_end)
endif()
unset(_CudaConsistent_done)
