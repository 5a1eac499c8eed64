# ptxguard_sbom(FILE): a CycloneDX list of what is compiled into the program, with the versions that are installed here.
# SPDX-License-Identifier: Apache-2.0
function(_ptxguard_header_version header out)
  set(${out} "unknown" PARENT_SCOPE)
  string(MAKE_C_IDENTIFIER "PTXGUARD_SBOM_${header}" variable)
  string(REGEX REPLACE "\\.h$" "" library "${header}")
  find_path(${variable} NAMES "${header}" HINTS ${ptxguard_${library}_include} ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES}
    PATHS "${PTXGUARD_BUILD_MACHINE_INCLUDE}" NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(${variable})
  if(NOT ${variable})
    return()
  endif()
  file(STRINGS "${${variable}}/${header}" lines REGEX "^ *# *define[ \t]+[A-Z0-9_]+[ \t]+\"?[0-9]")
  set(numbers "")
  foreach(name IN LISTS ARGN)
    if("${lines}" MATCHES "define[ \t]+${name}[ \t]+\"?([0-9._]+)")
      list(APPEND numbers "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(JOIN numbers "." version)
  string(REPLACE "_" "." version "${version}")
  if(NOT version STREQUAL "")
    set(${out} "${version}" PARENT_SCOPE)
  endif()
endfunction()

function(ptxguard_sbom file)
  _ptxguard_header_version(CLI/Version.hpp cli CLI11_VERSION)
  _ptxguard_header_version(toml++/impl/version.h toml TOML_LIB_MAJOR TOML_LIB_MINOR TOML_LIB_PATCH)
  if(toml STREQUAL "unknown")
    _ptxguard_header_version(toml++/toml.h toml TOML_LIB_MAJOR TOML_LIB_MINOR TOML_LIB_PATCH)
  endif()
  _ptxguard_header_version(boost/version.hpp boost BOOST_LIB_VERSION)
  _ptxguard_header_version(lz4.h lz4 LZ4_VERSION_MAJOR LZ4_VERSION_MINOR LZ4_VERSION_RELEASE)
  _ptxguard_header_version(zstd.h zstd ZSTD_VERSION_MAJOR ZSTD_VERSION_MINOR ZSTD_VERSION_RELEASE)
  _ptxguard_header_version(libdeflate.h libdeflate LIBDEFLATE_VERSION_MAJOR LIBDEFLATE_VERSION_MINOR)
  # yaml.h has no version; the library's own is a text in it.
  set(yaml "0.2.5")
  if(EXISTS "${PTXGUARD_LIBYAML_LIBRARY}" AND NOT FETCHCONTENT_SOURCE_DIR_LIBYAML)
    file(STRINGS "${PTXGUARD_LIBYAML_LIBRARY}" versions REGEX "^[0-9]+\\.[0-9]+\\.[0-9]+$" LIMIT_COUNT 1)
    if(versions)
      set(yaml "${versions}")
    endif()
  endif()
  set(libraries "libstdc++|${CMAKE_CXX_COMPILER_VERSION}|GPL-3.0-or-later WITH GCC-exception-3.1")
  if(PTXGUARD_ZIG_TARGET)
    set(libraries "libc++|${CMAKE_CXX_COMPILER_VERSION}|Apache-2.0 WITH LLVM-exception")
    if(PTXGUARD_ZIG_TARGET MATCHES "musl")
      list(APPEND libraries "musl|unknown|MIT")
    endif()
  endif()
  set(components "")
  foreach(row "CLI11|${cli}|BSD-3-Clause" "tomlplusplus|${toml}|MIT" "Boost|${boost}|BSL-1.0"
      "lz4|${lz4}|BSD-2-Clause" "zstd|${zstd}|BSD-3-Clause" "libyaml|${yaml}|MIT" "libdeflate|${libdeflate}|MIT" ${libraries})
    string(REGEX MATCH "^([^|]*)\\|([^|]*)\\|(.*)$" row "${row}")
    string(APPEND components ",\n    {\"type\": \"library\", \"name\": \"${CMAKE_MATCH_1}\", \"version\": \"${CMAKE_MATCH_2}\","
      " \"licenses\": [{\"expression\": \"${CMAKE_MATCH_3}\"}]}")
  endforeach()
  string(SUBSTRING "${components}" 2 -1 components)
  file(WRITE "${file}" "{
  \"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\", \"version\": 1,
  \"metadata\": {\"component\": {\"type\": \"application\", \"name\": \"ptxguard\", \"version\": \"${PROJECT_VERSION}\",
    \"purl\": \"pkg:pypi/ptxguard@${PROJECT_VERSION}\", \"licenses\": [{\"license\": {\"id\": \"Apache-2.0\"}}]}},
  \"components\": [
${components}
  ]
}
")
endfunction()
