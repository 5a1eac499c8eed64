# Configures (and builds, where it asks for it) one case with one CMake and compares exit code and output with what is
# expected.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
foreach(set IN LISTS SETS)
  if(NOT EXISTS "${PARTS}/${set}")
    message("skip: ${set} could not be laid")
    return()
  endif()
endforeach()

set(cases "${SOURCE}/tests/cmake/cases")
set(mixed "${PARTS}/pypi-mixed-13.0.88/nvidia/cu13")
set(repaired "${PARTS}/pypi-repaired-13.0.2/nvidia/cu13")
set(binary "${WORK}/${CASE}")
set(project "${SOURCE}/tests/cmake/project")
if(EXISTS "${cases}/${CASE}/CMakeLists.txt")
  set(project "${cases}/${CASE}")
endif()
set(options "-DCudaConsistent_PTXGUARD=${PTXGUARD}")
set(environment "")
set(generator Ninja)
set(build FALSE)  # build it too, where the configure ends well
include("${cases}/${CASE}-options.cmake" OPTIONAL)

file(REMOVE_RECURSE "${binary}")
# A toolkit of the machine must not decide: the case says which one is used.
set(clean --unset=CUDA_HOME --unset=CUDA_PATH --unset=CUDA_ROOT --unset=CUDACXX --unset=CUDAToolkit_ROOT --unset=CUDAARCHS
    --unset=VIRTUAL_ENV --unset=CONDA_PREFIX --unset=TORCH_CUDA_ARCH_LIST --unset=LIBRARY_PATH --unset=LD_LIBRARY_PATH --unset=CPATH COLUMNS=10000)
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env ${clean} ${environment}
    "${CMAKE}" -Werror=dev -G "${generator}" -S "${project}" -B "${binary}" "-DCASE=${CASE}" "-DCASES=${cases}"
    "-DMODULES=${SOURCE}/cmake/Modules" "-DBUILD=${BUILD}" "-DMIXED=${mixed}" "-DREPAIRED=${repaired}" "-DPARTS=${PARTS}" ${options}
  RESULT_VARIABLE result OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)

if(build AND result EQUAL 0)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${clean} ${environment} "${CMAKE}" --build "${binary}"
    RESULT_VARIABLE result OUTPUT_VARIABLE build_stdout ERROR_VARIABLE build_stderr)
  string(APPEND stdout "${build_stdout}")
  string(APPEND stderr "${build_stderr}")
endif()

set(failures "")
set(expected 0)
if(EXISTS "${cases}/${CASE}-result.txt")
  file(STRINGS "${cases}/${CASE}-result.txt" expected)
endif()
if(NOT result EQUAL expected)
  string(APPEND failures "exit code ${result}, expected ${expected}\n")
endif()
foreach(stream stdout stderr)
  set(lines "")
  if(EXISTS "${cases}/${CASE}-${stream}.txt")
    file(STRINGS "${cases}/${CASE}-${stream}.txt" lines)
  endif()
  foreach(line IN LISTS lines)
    # In a file "\n" is a backslash and an n, and [^\n] would stop at the first n of a path.
    string(REPLACE "\\n" "\n" line "${line}")
    if(line MATCHES "^!(.*)$")
      if("${${stream}}" MATCHES "${CMAKE_MATCH_1}")
        string(APPEND failures "${stream} must not match: ${line}\n")
      endif()
    elseif(NOT "${${stream}}" MATCHES "${line}")
      string(APPEND failures "${stream} does not match: ${line}\n")
    endif()
  endforeach()
endforeach()
if(failures)
  message(FATAL_ERROR "${failures}--- stdout\n${stdout}\n--- stderr\n${stderr}")
endif()
