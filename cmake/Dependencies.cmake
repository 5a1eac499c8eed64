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

# Boost.Process (v1) for child processes. Headers alone where it can use std::filesystem (Boost 1.78); before that it
# needs boost_filesystem.
add_library(ptxguard_boost_process INTERFACE)
find_path(PTXGUARD_BOOST_INCLUDE boost/process.hpp)
if(PTXGUARD_BOOST_INCLUDE)
  target_include_directories(ptxguard_boost_process SYSTEM INTERFACE "${PTXGUARD_BOOST_INCLUDE}")
  file(STRINGS "${PTXGUARD_BOOST_INCLUDE}/boost/version.hpp" ptxguard_boost_version REGEX "define BOOST_VERSION ")
  string(REGEX MATCH "[0-9]+" ptxguard_boost_version "${ptxguard_boost_version}")
  if(ptxguard_boost_version LESS 107800)
    find_package(Boost QUIET COMPONENTS filesystem)
    if(NOT TARGET Boost::filesystem)
      message(FATAL_ERROR "ptxguard needs boost_filesystem: install it (Debian, Ubuntu: apt-get install libboost-filesystem-dev)")
    endif()
    target_link_libraries(ptxguard_boost_process INTERFACE Boost::filesystem)
  endif()
else()
  message(FATAL_ERROR "ptxguard needs Boost.Process: install it (Debian, Ubuntu: apt-get install libboost-dev)")
endif()
target_compile_definitions(ptxguard_boost_process INTERFACE BOOST_PROCESS_USE_STD_FS)
