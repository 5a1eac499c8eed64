# Dependencies: an installed one first, else (CMake 3.24 and newer, PTXGUARD_FETCH) fetched from its project.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include(FetchContent)

function(_ptxguard_dependency name debian_package)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24 AND PTXGUARD_FETCH)
    FetchContent_Declare(${name} ${ARGN} FIND_PACKAGE_ARGS)
    FetchContent_MakeAvailable(${name})
  else()
    find_package(${name} QUIET)
    if(NOT ${name}_FOUND)
      message(FATAL_ERROR "ptxguard needs ${name}: install it (Debian, Ubuntu: apt-get install ${debian_package})")
    endif()
  endif()
endfunction()

_ptxguard_dependency(nlohmann_json nlohmann-json3-dev
  GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.3 GIT_SHALLOW ON)
_ptxguard_dependency(CLI11 libcli11-dev
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2 GIT_SHALLOW ON)
_ptxguard_dependency(tomlplusplus libtomlplusplus-dev
  GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG v3.4.0 GIT_SHALLOW ON)
if(PTXGUARD_TESTS)
  _ptxguard_dependency(doctest doctest-dev
    GIT_REPOSITORY https://github.com/doctest/doctest.git GIT_TAG v2.4.11 GIT_SHALLOW ON)
endif()
