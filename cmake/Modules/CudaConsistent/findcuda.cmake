# The flags of FindCUDA. Each cuda_add_library(), cuda_compile_ptx() ... writes a script for each source, with CUDA_NVCC_FLAGS as they
# are in the call, and the call's OPTIONS: these are read, because the variable may change later.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/walk.cmake")

# Notes the flags in one script of a directory.
function(_cuda_consistent_note_script script folder)
  file(READ "${script}" text)
  string(REGEX MATCH "\nset\\(source_file \"([^\"\n]*)\"" line "${text}")
  set(source "${CMAKE_MATCH_1}")
  get_property(configurations GLOBAL PROPERTY CudaConsistent_configurations)
  if("${configurations}" STREQUAL "")
    set(configurations Debug)  # as FindCUDA
  endif()
  set(variables CUDA_NVCC_FLAGS)
  foreach(config IN LISTS configurations)
    string(TOUPPER "CUDA_NVCC_FLAGS_${config}" variable)
    list(APPEND variables "${variable}")
  endforeach()
  foreach(variable IN LISTS variables)
    if(text MATCHES "\nset\\(${variable} ([^\n]*) ;;? ([^\n]*)\\)")
      set(flags "${CMAKE_MATCH_1}")
      string(REGEX REPLACE " +" ";" options "${CMAKE_MATCH_2}")  # the script reads words without quotes
      string(REGEX REPLACE " +" ";" flags "${flags}")
      _cuda_consistent_inherited(${variable} "${folder}" from)
      _cuda_consistent_note_flags(${variable} "${flags}" "${from}" "${from}")
      _cuda_consistent_note_flags(OPTIONS "${options}" "${folder}" "${source}")
    endif()
  endforeach()
endfunction()

# Is a script's result built? One that no target names may be a dependency of a custom target, which cannot be read.
function(_cuda_consistent_script_counts script folder out)
  set(${out} FALSE PARENT_SCOPE)
  file(STRINGS "${script}" line REGEX "^set\\(generated_file_internal \"")
  string(REGEX MATCH "\"(.*)\"" line "${line}")
  set(result "${CMAKE_MATCH_1}")
  get_property(generated SOURCE "${result}" DIRECTORY "${folder}" PROPERTY GENERATED)  # a script of an earlier configure is not
  get_property(built GLOBAL PROPERTY CudaConsistent_generated_objects)
  get_property(utilities GLOBAL PROPERTY CudaConsistent_utilities)
  get_property(external SOURCE "${result}" DIRECTORY "${folder}" PROPERTY EXTERNAL_OBJECT)
  if(generated AND (result IN_LIST built OR (utilities AND NOT external)))
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Notes what the calls in all directories name.
function(_cuda_consistent_note_findcuda)
  if(NOT CUDA_run_nvcc)  # FindCUDA's own script, in the cache
    return()
  endif()
  set(folders "${CMAKE_SOURCE_DIR}")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(binary DIRECTORY "${folder}" PROPERTY BINARY_DIR)
    file(GLOB_RECURSE scripts "${binary}/CMakeFiles/*_generated_*.cmake.pre-gen")
    foreach(script IN LISTS scripts)
      _cuda_consistent_script_counts("${script}" "${folder}" counts)
      if(counts)
        set_property(GLOBAL PROPERTY CudaConsistent_findcuda TRUE)
        _cuda_consistent_note_script("${script}" "${folder}")
      endif()
    endforeach()
  endwhile()
endfunction()
