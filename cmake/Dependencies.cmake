# Dependencies: the installed one if there is one, otherwise fetched from its project (CMake 3.24 and newer, PTXGUARD_FETCH).
# Cross builds use the build machine's headers of header-only libraries, so no library of the wrong system is linked; LZ4,
# zstd, libdeflate and libyaml are compiled from their sources there. What is fetched is named by its commit or its SHA-256:
# tests/cli/pinned.py requires it.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include(FetchContent)
if(NOT DEFINED CMAKE_TLS_VERIFY)
  set(CMAKE_TLS_VERIFY ON)  # the default from CMake 3.31
endif()

set(PTXGUARD_BUILD_MACHINE_INCLUDE "/usr/include" CACHE PATH "Where cross builds take header-only dependencies from")

# _ptxguard_headers(RESULT FOLDER): the include folder that contains FOLDER ("CLI"), or nothing. In a cross build it is
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

_ptxguard_dependency(CLI11 CLI11::CLI11 CLI libcli11-dev
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9)  # v2.4.2
_ptxguard_dependency(tomlplusplus tomlplusplus::tomlplusplus toml++ libtomlplusplus-dev
  GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG 30172438cee64926dc41fdd9c11fb3ba5b2ba9de)  # v3.4.0
if(PTXGUARD_TESTS)
  _ptxguard_dependency(doctest doctest::doctest doctest doctest-dev
    GIT_REPOSITORY https://github.com/doctest/doctest.git GIT_TAG ae7a13539fb71f270b87eb2e874fbac80bc8dda2)  # v2.4.11
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
      URL_HASH SHA256=2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e
      DOWNLOAD_EXTRACT_TIMESTAMP OFF)
    FetchContent_MakeAvailable(Boost)
    target_link_libraries(ptxguard_boost_process INTERFACE Boost::process)
  else()
    message(FATAL_ERROR "ptxguard needs Boost.Process: install it (Debian, Ubuntu: apt-get install libboost-dev)")
  endif()
endfunction()
_ptxguard_boost_process()

# _ptxguard_c_library(NAME HEADER URL SHA256 SOURCES...): target ptxguard_NAME. The installed library (the static one is
# preferred, so that the program runs on machines without the shared one), otherwise compiled from its sources.
# FETCHCONTENT_SOURCE_DIR_<NAME> names sources that are here already: the project's own, or a copy from Debian or in an
# sdist of PyPI (tools/dev/sources.py). SOURCES are patterns for all layouts. A macro, as languages are enabled in a
# file's scope only.
macro(_ptxguard_c_library name header url sha256)
  string(TOUPPER "${name}" upper)
  string(REGEX REPLACE "^lib" "" short "${name}")
  set(names ${short} lib${short} ${short}_static)
  if(PTXGUARD_STATIC)
    list(PREPEND names lib${short}.a)
  endif()
  find_path(PTXGUARD_${upper}_HEADER NAMES "${header}")
  find_library(PTXGUARD_${upper}_LIBRARY NAMES ${names})
  mark_as_advanced(PTXGUARD_${upper}_HEADER PTXGUARD_${upper}_LIBRARY)
  if(PTXGUARD_${upper}_HEADER AND PTXGUARD_${upper}_LIBRARY AND NOT FETCHCONTENT_SOURCE_DIR_${upper})
    set(ptxguard_${name}_include "${PTXGUARD_${upper}_HEADER}")
    add_library(ptxguard_${name} INTERFACE)
    target_include_directories(ptxguard_${name} SYSTEM INTERFACE "${PTXGUARD_${upper}_HEADER}")
    target_link_libraries(ptxguard_${name} INTERFACE "${PTXGUARD_${upper}_LIBRARY}")
  elseif(PTXGUARD_FETCH OR FETCHCONTENT_SOURCE_DIR_${upper})
    enable_language(C)
    if(NOT FETCHCONTENT_SOURCE_DIR_${upper})
      message(STATUS "ptxguard needs ${name}: fetched, as it is not installed (Debian, Ubuntu: apt-get install lib${short}-dev)")
    endif()
    # SOURCE_SUBDIR names a folder without a CMakeLists.txt: the project's own would add its tests and install rules.
    FetchContent_Declare(${name} URL "${url}" URL_HASH "SHA256=${sha256}" SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(${name})
    set(sources ${ARGN})
    list(TRANSFORM sources PREPEND "${${name}_SOURCE_DIR}/")
    file(GLOB sources ${sources})
    file(GLOB ptxguard_${name}_include "${${name}_SOURCE_DIR}/${header}" "${${name}_SOURCE_DIR}/*/${header}")
    if(NOT sources OR NOT ptxguard_${name}_include)
      message(FATAL_ERROR "${${name}_SOURCE_DIR} does not contain the sources of ${name}")
    endif()
    list(TRANSFORM ptxguard_${name}_include REPLACE "/[^/]*$" "")
    list(GET sources 0 folder)
    get_filename_component(folder "${folder}" DIRECTORY)
    add_library(ptxguard_${name} STATIC ${sources})
    target_include_directories(ptxguard_${name} SYSTEM PUBLIC ${ptxguard_${name}_include} "${folder}")
    if(NOT MSVC)
      # On Windows unwind tables keep the functions that --gc-sections would drop: a tenth of the program.
      target_compile_options(ptxguard_${name} PRIVATE -w -ffunction-sections -fdata-sections
        $<$<PLATFORM_ID:Windows>:-fno-asynchronous-unwind-tables>)
    endif()
  else()
    message(FATAL_ERROR "ptxguard needs ${name}: install it (Debian, Ubuntu: apt-get install lib${short}-dev)")
  endif()
endmacro()

_ptxguard_c_library(lz4 lz4.h https://github.com/lz4/lz4/releases/download/v1.10.0/lz4-1.10.0.tar.gz
  537512904744b35e232912055ccf8ec66d768639ff3abe5788d90d792ec5f48b lib/lz4.c lz4libs/lz4.c)
_ptxguard_c_library(zstd zstd.h https://github.com/facebook/zstd/releases/download/v1.5.5/zstd-1.5.5.tar.gz
  9c4396cc829cfae319a6e2615202e82aad41372073482fce286fac78646d3ee4 lib/common/*.c lib/decompress/*.c)
_ptxguard_c_library(libdeflate libdeflate.h https://github.com/ebiggers/libdeflate/archive/refs/tags/v1.25.tar.gz
  d11473c1ad4c57d874695e8026865e38b47116bbcb872bfc622ec8f37a86017d
  lib/deflate_decompress.c lib/utils.c lib/x86/cpu_features.c lib/arm/cpu_features.c
  libdeflate/lib/deflate_decompress.c libdeflate/lib/utils.c libdeflate/lib/x86/cpu_features.c libdeflate/lib/arm/cpu_features.c)
_ptxguard_c_library(libyaml yaml.h https://github.com/yaml/libyaml/releases/download/0.2.5/yaml-0.2.5.tar.gz
  c642ae9b75fee120b2d96c712538bd2cf283228d2337df2cf2988e3c02678ef4 src/api.c src/reader.c src/scanner.c src/parser.c)
get_target_property(type ptxguard_zstd TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  target_compile_definitions(ptxguard_zstd PRIVATE ZSTD_DISABLE_ASM=1)  # only C sources are compiled
endif()
get_target_property(type ptxguard_libyaml TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  target_compile_definitions(ptxguard_libyaml PUBLIC YAML_DECLARE_STATIC PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2
    YAML_VERSION_PATCH=5 "YAML_VERSION_STRING=\"0.2.5\"")
endif()
