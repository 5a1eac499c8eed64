# Architectures in generator expressions that only CMake's generator can evaluate: it writes the options of the targets into a
# file for each configuration, and one command checks that file before the targets compile, when the file has changed.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/walk.cmake")

# MORE: options of `ptxguard check`, as code. After the walk.
function(_cuda_consistent_check_generated more)
  get_property(wanted GLOBAL PROPERTY CudaConsistent_generate)
  get_property(targets GLOBAL PROPERTY CudaConsistent_compiled)
  if(NOT wanted OR NOT targets)
    return()
  endif()
  get_property(lines GLOBAL PROPERTY CudaConsistent_lines)
  foreach(target IN LISTS targets)
    get_property(folder TARGET ${target} PROPERTY SOURCE_DIR)
    _cuda_consistent_near("${folder}/CMakeLists.txt" file)
    string(APPEND lines "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS> @ ${file} @ COMPILE_OPTIONS of target ${target}\n")
  endforeach()
  set(folder "${CMAKE_BINARY_DIR}/CudaConsistent/generated")
  file(GENERATE OUTPUT "${folder}/options-$<CONFIG>-$<COMPILE_LANGUAGE>.txt" CONTENT "${lines}")
  set(options "${folder}/options-$<CONFIG>-CUDA.txt")
  set(stamp "${folder}/checked-$<CONFIG>.stamp")
  get_property(program GLOBAL PROPERTY CudaConsistent_program)
  set(command "")
  _cuda_consistent_add(command "${program}" check --from-cmake --build --quiet --color never --only-findings)
  string(PREPEND more "${command}")
  string(REPLACE "$<" "$<1:$><" more "${more}")  # a reason is plain text, not a generator expression
  string(REPLACE ";" "\\;" more "${more}")        # and not a list
  cmake_language(EVAL CODE "add_custom_command(OUTPUT \"\${stamp}\"
    COMMAND ${more} --arch-places \"\${options}\"
    COMMAND \"\${CMAKE_COMMAND}\" -E touch \"\${stamp}\"
    DEPENDS \"\${options}\" WORKING_DIRECTORY \"\${CMAKE_SOURCE_DIR}\" COMMENT \"Checking architectures in compile options\" VERBATIM COMMAND_EXPAND_LISTS)")
  add_custom_target(CudaConsistent_options DEPENDS "${stamp}")
  foreach(target IN LISTS targets)
    add_dependencies(${target} CudaConsistent_options)
  endforeach()
endfunction()
