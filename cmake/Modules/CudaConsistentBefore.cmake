# Checks a project without editing it:
#   cmake -S . -B build -DCMAKE_PROJECT_INCLUDE_BEFORE=<this file>
# Runs once, before the first project() enables a language, so that the cause is reported before CMake reports a broken
# compiler. Leaves no variables of its own in the project.
# SPDX-License-Identifier: Apache-2.0
get_property(_CudaConsistent_done GLOBAL PROPERTY CudaConsistent_checked_before)
if(NOT _CudaConsistent_done)
  set_property(GLOBAL PROPERTY CudaConsistent_checked_before TRUE)
  set(_CudaConsistent_path "${CMAKE_MODULE_PATH}")
  list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
  find_package(CudaConsistent MODULE REQUIRED)
  set(CMAKE_MODULE_PATH "${_CudaConsistent_path}")
  unset(_CudaConsistent_path)
endif()
unset(_CudaConsistent_done)
