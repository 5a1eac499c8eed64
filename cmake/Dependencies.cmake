# Dependencies: the installed one if there is one, otherwise fetched from its project (CMake 3.24 and newer, PTXGUARD_FETCH).
# Cross builds use the build machine's headers: they are header-only, so no library of the wrong system is linked. LZ4 and
# zstd are compiled libraries and needed for little: without them ptxguard reports what it could not unpack. libyaml is
# compiled from its sources where it is not installed.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include(FetchContent)

set(PTXGUARD_BUILD_MACHINE_INCLUDE "/usr/include" CACHE PATH "Where cross builds take header-only dependencies from")

# _ptxguard_headers(RESULT FOLDER): the include folder that contains FOLDER ("nlohmann"), or nothing. In a cross build it is
# a folder of links, because the original also contains the build machine's C library headers.
function(_ptxguard_headers result folder)
  set(${result} "" PARENT_SCOPE)
  if(NOT CMAKE_CROSSCOMPILING)
    string(MAKE_C_IDENTIFIER "PTXGUARD_${folder}_INCLUDE" variable)
    find_path(${variable} NAMES "${folder}")
    mark_as_advanced(${variable})
    if(${variable})
      set(${result} "${${variable}}" PARENT_SCOPE)
    endif()
  elseif(EXISTS "${PTXGUARD_BUILD_MACHINE_INCLUDE}/${folder}")
    set(links "${PROJECT_BINARY_DIR}/headers/${folder}")
    file(MAKE_DIRECTORY "${links}")
    if(NOT EXISTS "${links}/${folder}")
      file(CREATE_LINK "${PTXGUARD_BUILD_MACHINE_INCLUDE}/${folder}" "${links}/${folder}" SYMBOLIC)
    endif()
    set(${result} "${links}" PARENT_SCOPE)
  endif()
endfunction()

# _ptxguard_dependency(PACKAGE TARGET FOLDER DEBIAN_PACKAGE fetch arguments...)
function(_ptxguard_dependency name target folder debian_package)
  if(NOT CMAKE_CROSSCOMPILING AND NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
    find_package(${name} QUIET)
  endif()
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
    return()
  endif()
  # Older packages contain headers but no CMake files.
  _ptxguard_headers(include "${folder}")
  if(include)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE "${include}")
  elseif(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24 AND PTXGUARD_FETCH)
    message(STATUS "ptxguard needs ${name}: fetched, as it is not installed (Debian, Ubuntu: apt-get install ${debian_package})")
    FetchContent_Declare(${name} ${ARGN} FIND_PACKAGE_ARGS)
    FetchContent_MakeAvailable(${name})
  else()
    message(FATAL_ERROR "ptxguard needs ${name}: install it (Debian, Ubuntu: apt-get install ${debian_package})")
  endif()
endfunction()

_ptxguard_dependency(nlohmann_json nlohmann_json::nlohmann_json nlohmann nlohmann-json3-dev
  GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.3 GIT_SHALLOW ON)
_ptxguard_dependency(CLI11 CLI11::CLI11 CLI libcli11-dev
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2 GIT_SHALLOW ON)
_ptxguard_dependency(tomlplusplus tomlplusplus::tomlplusplus toml++ libtomlplusplus-dev
  GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG v3.4.0 GIT_SHALLOW ON)
if(PTXGUARD_TESTS)
  _ptxguard_dependency(doctest doctest::doctest doctest doctest-dev
    GIT_REPOSITORY https://github.com/doctest/doctest.git GIT_TAG v2.4.11 GIT_SHALLOW ON)
endif()

# Boost.Process (v1) for child processes. Headers only if it can use std::filesystem (Boost 1.78 and newer); older versions
# need boost_filesystem.
function(_ptxguard_boost_process)
  add_library(ptxguard_boost_process INTERFACE)
  target_compile_definitions(ptxguard_boost_process INTERFACE BOOST_PROCESS_USE_STD_FS)
  if(WIN32)
    target_link_libraries(ptxguard_boost_process INTERFACE ws2_32 mswsock)
  endif()
  _ptxguard_headers(include boost)
  if(include AND EXISTS "${include}/boost/process.hpp")
    target_include_directories(ptxguard_boost_process SYSTEM INTERFACE "${include}")
    file(STRINGS "${include}/boost/version.hpp" version REGEX "define BOOST_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" version "${version}")
    if(version LESS 107800)
      set(Boost_USE_STATIC_LIBS ${PTXGUARD_STATIC})
      find_package(Boost QUIET COMPONENTS filesystem)
      if(NOT TARGET Boost::filesystem)
        message(FATAL_ERROR
          "ptxguard needs boost_filesystem: install it (Debian, Ubuntu: apt-get install libboost-filesystem-dev)")
      endif()
      target_link_libraries(ptxguard_boost_process INTERFACE Boost::filesystem)
    endif()
  elseif(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24 AND PTXGUARD_FETCH)
    message(STATUS "ptxguard needs Boost.Process: fetched, as it is not installed (Debian, Ubuntu: apt-get install libboost-dev)")
    set(BOOST_INCLUDE_LIBRARIES process)
    FetchContent_Declare(Boost
      URL https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
      DOWNLOAD_EXTRACT_TIMESTAMP OFF)
    FetchContent_MakeAvailable(Boost)
    target_link_libraries(ptxguard_boost_process INTERFACE Boost::process)
  else()
    message(FATAL_ERROR "ptxguard needs Boost.Process: install it (Debian, Ubuntu: apt-get install libboost-dev)")
  endif()
endfunction()
_ptxguard_boost_process()

# _ptxguard_compression(NAME HEADER DEFINITION ARCHIVES...): target ptxguard_NAME, empty if the library is not installed.
# The static library is preferred, so that the program runs on machines without the shared one.
function(_ptxguard_compression name header definition)
  string(TOUPPER "PTXGUARD_${name}" variable)
  find_path(${variable}_HEADER NAMES "${header}")
  find_library(${variable}_LIBRARY NAMES ${ARGN})
  mark_as_advanced(${variable}_HEADER ${variable}_LIBRARY)
  add_library(ptxguard_${name} INTERFACE)
  if(${variable}_HEADER AND ${variable}_LIBRARY)
    target_include_directories(ptxguard_${name} SYSTEM INTERFACE "${${variable}_HEADER}")
    target_link_libraries(ptxguard_${name} INTERFACE "${${variable}_LIBRARY}")
    target_compile_definitions(ptxguard_${name} INTERFACE ${definition}=1)
  else()
    message(STATUS "ptxguard: no ${name} here (Debian, Ubuntu: lib${name}-dev), so that device code compressed with it is not unpacked")
    target_compile_definitions(ptxguard_${name} INTERFACE ${definition}=0)
  endif()
endfunction()
if(PTXGUARD_STATIC)
  _ptxguard_compression(lz4 lz4.h PTXGUARD_HAS_LZ4 liblz4.a lz4 liblz4 lz4_static)
  _ptxguard_compression(zstd zstd.h PTXGUARD_HAS_ZSTD libzstd.a zstd libzstd zstd_static)
else()
  _ptxguard_compression(lz4 lz4.h PTXGUARD_HAS_LZ4 lz4 liblz4)
  _ptxguard_compression(zstd zstd.h PTXGUARD_HAS_ZSTD zstd libzstd)
endif()

# libyaml, target ptxguard_libyaml: the installed one (the static library is preferred), otherwise compiled from its sources.
# FETCHCONTENT_SOURCE_DIR_LIBYAML names sources that are here already: libyaml's own, or those in ruamel.yaml.clib from PyPI.
set(names yaml libyaml)
if(PTXGUARD_STATIC)
  list(PREPEND names libyaml.a yaml_static)
endif()
find_path(PTXGUARD_LIBYAML_HEADER NAMES yaml.h)
find_library(PTXGUARD_LIBYAML_LIBRARY NAMES ${names})
mark_as_advanced(PTXGUARD_LIBYAML_HEADER PTXGUARD_LIBYAML_LIBRARY)
if(PTXGUARD_LIBYAML_HEADER AND PTXGUARD_LIBYAML_LIBRARY AND NOT FETCHCONTENT_SOURCE_DIR_LIBYAML)
  add_library(ptxguard_libyaml INTERFACE)
  target_include_directories(ptxguard_libyaml SYSTEM INTERFACE "${PTXGUARD_LIBYAML_HEADER}")
  target_link_libraries(ptxguard_libyaml INTERFACE "${PTXGUARD_LIBYAML_LIBRARY}")
elseif(PTXGUARD_FETCH OR FETCHCONTENT_SOURCE_DIR_LIBYAML)
  enable_language(C)
  if(NOT FETCHCONTENT_SOURCE_DIR_LIBYAML)
    message(STATUS "ptxguard needs libyaml: fetched, as it is not installed (Debian, Ubuntu: apt-get install libyaml-dev)")
  endif()
  # SOURCE_SUBDIR names a folder without a CMakeLists.txt: libyaml's own would add its tests and install rules.
  FetchContent_Declare(libyaml URL https://github.com/yaml/libyaml/releases/download/0.2.5/yaml-0.2.5.tar.gz
    URL_HASH SHA256=c642ae9b75fee120b2d96c712538bd2cf283228d2337df2cf2988e3c02678ef4 SOURCE_SUBDIR include)
  FetchContent_MakeAvailable(libyaml)
  set(libyaml_sources "${libyaml_SOURCE_DIR}/src")
  if(NOT EXISTS "${libyaml_sources}/scanner.c")
    set(libyaml_sources "${libyaml_SOURCE_DIR}")
  endif()
  add_library(ptxguard_libyaml STATIC "${libyaml_sources}/api.c" "${libyaml_sources}/reader.c" "${libyaml_sources}/scanner.c"
    "${libyaml_sources}/parser.c")
  target_include_directories(ptxguard_libyaml SYSTEM PUBLIC "${libyaml_SOURCE_DIR}/include" "${libyaml_sources}")
  target_compile_definitions(ptxguard_libyaml PUBLIC YAML_DECLARE_STATIC PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2
    YAML_VERSION_PATCH=5 "YAML_VERSION_STRING=\"0.2.5\"")
  if(NOT MSVC)
    target_compile_options(ptxguard_libyaml PRIVATE -w)
  endif()
else()
  message(FATAL_ERROR "ptxguard needs libyaml: install it (Debian, Ubuntu: apt-get install libyaml-dev)")
endif()
