# ptxguard_room(NAME [FAST] SOURCES files... DEPENDS rooms...): one static library per room, so that a forbidden include
# between rooms does not link either (tests/layers.cmake checks the includes themselves). FAST rooms are optimised for
# speed, the others for size.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

function(ptxguard_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  # Windows 10, for Boost.Process; the same in every source, or the precompiled header does not fit.
  target_compile_definitions(${target} PRIVATE $<$<PLATFORM_ID:Windows>:_WIN32_WINNT=0x0A00>)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 /permissive- $<$<BOOL:${PTXGUARD_WARNINGS_AS_ERRORS}>:/WX>)
    target_compile_definitions(${target} PRIVATE NOMINMAX WIN32_LEAN_AND_MEAN _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
      -Wno-missing-field-initializers $<$<BOOL:${PTXGUARD_WARNINGS_AS_ERRORS}>:-Werror>)
  endif()
endfunction()

# _ptxguard_precompile(TARGET LEVEL): the headers that nearly every source includes, compiled once per optimisation level.
# FAST: rooms that read bytes. SMALL: everything else in the program. TEST: doctest programs. Only Release differs; a
# precompiled header is valid for one set of compile options, so each level has its own. PTXGUARD_SMALL replaces the flags of
# SMALL where the time of the compiler counts (tools/dev/test.sh).
function(_ptxguard_precompile target level)
  if(MSVC)
    set(FAST /O2)
    set(SMALL /O1)
    set(TEST /Od)
  else()
    set(FAST -O2)
    # GCC: false reports of std::optional at -Os. Clang: a fifth smaller; zig's driver would make -Os of a plain -Oz.
    set(SMALL ${PTXGUARD_SMALL} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> "$<$<AND:$<CXX_COMPILER_ID:Clang>,$<STREQUAL:${PTXGUARD_SMALL},-Os>>:SHELL:-Xclang -Oz>")
    set(TEST -O0)
  endif()
  set(shared ptxguard_precompiled_${level})
  if(NOT TARGET ${shared})
    add_library(${shared} OBJECT "${PROJECT_SOURCE_DIR}/tools/ptxguard/precompiled.cpp")
    ptxguard_compile_options(${shared})
    target_compile_options(${shared} PRIVATE "$<$<CONFIG:Release>:${${level}}>")
    target_include_directories(${shared} PRIVATE "${PROJECT_SOURCE_DIR}/tools/ptxguard")
    target_precompile_headers(${shared} PRIVATE <precompiled.hpp>)
    if(level STREQUAL "TEST")
      target_link_libraries(${shared} PRIVATE doctest::doctest)
      target_precompile_headers(${shared} PRIVATE <doctest/doctest.h>)
    endif()
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${${level}}>")
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

function(ptxguard_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "FAST" "" "SOURCES;DEPENDS;LIBRARIES")
  add_library(ptxguard_${name} STATIC ${room_SOURCES})
  set_target_properties(ptxguard_${name} PROPERTIES UNITY_BUILD "${PTXGUARD_UNITY}" UNITY_BUILD_BATCH_SIZE 16)
  ptxguard_compile_options(ptxguard_${name})
  if(room_FAST)
    _ptxguard_precompile(ptxguard_${name} FAST)
  else()
    _ptxguard_precompile(ptxguard_${name} SMALL)
  endif()
  target_include_directories(ptxguard_${name} PUBLIC "${PROJECT_SOURCE_DIR}/tools/ptxguard")
  list(TRANSFORM room_DEPENDS PREPEND ptxguard_)
  target_link_libraries(ptxguard_${name} PUBLIC ${room_DEPENDS} PRIVATE ${room_LIBRARIES})
endfunction()

# ptxguard_reader(TARGET TEST): the test proves a room that reads foreign bytes and needs few others. The gate builds the target
# `readers` and runs the label "reader" under ASan and UBSan; `test.sh all` does so with every unit test.
function(ptxguard_reader target test)
  if(NOT TARGET readers)
    add_custom_target(readers)
  endif()
  add_dependencies(readers ${target})
  set_property(TEST ${test} APPEND PROPERTY LABELS reader)
endfunction()

# ptxguard_unit_test(NAME [READER] SOURCES... DEPENDS rooms...): a doctest program, label "unit".
function(ptxguard_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "READER" "" "SOURCES;DEPENDS;LIBRARIES")
  add_executable(unit_${name} ${test_SOURCES})
  set_target_properties(unit_${name} PROPERTIES UNITY_BUILD "${PTXGUARD_UNITY}" UNITY_BUILD_BATCH_SIZE 16)
  ptxguard_compile_options(unit_${name})
  _ptxguard_precompile(unit_${name} TEST)
  list(TRANSFORM test_DEPENDS PREPEND ptxguard_)
  target_link_libraries(unit_${name} PRIVATE ${test_DEPENDS} ${test_LIBRARIES} ptxguard_doctest_main)
  add_test(NAME unit.${name} COMMAND unit_${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600)  # sanitizers on a loaded machine
  if(test_READER)
    ptxguard_reader(unit_${name} unit.${name})
  endif()
endfunction()
