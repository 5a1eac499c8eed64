# ptxguard_room(NAME SOURCES... DEPENDS rooms...): one static library per room, so that a forbidden include between
# rooms does not link either (tests/layers.cmake checks the includes themselves).
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

function(ptxguard_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 /permissive- $<$<BOOL:${PTXGUARD_WARNINGS_AS_ERRORS}>:/WX>)
    target_compile_definitions(${target} PRIVATE NOMINMAX WIN32_LEAN_AND_MEAN _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align
      -Wno-missing-field-initializers $<$<BOOL:${PTXGUARD_WARNINGS_AS_ERRORS}>:-Werror>)
  endif()
endfunction()

function(ptxguard_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;DEPENDS;LIBRARIES")
  add_library(ptxguard_${name} STATIC ${room_SOURCES})
  ptxguard_compile_options(ptxguard_${name})
  target_include_directories(ptxguard_${name} PUBLIC "${PROJECT_SOURCE_DIR}/tools/ptxguard")
  list(TRANSFORM room_DEPENDS PREPEND ptxguard_)
  target_link_libraries(ptxguard_${name} PUBLIC ${room_DEPENDS} PRIVATE ${room_LIBRARIES})
endfunction()

# ptxguard_unit_test(NAME SOURCES... DEPENDS rooms...): a doctest program, label "unit".
function(ptxguard_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;DEPENDS;LIBRARIES")
  add_executable(unit_${name} ${test_SOURCES})
  ptxguard_compile_options(unit_${name})
  list(TRANSFORM test_DEPENDS PREPEND ptxguard_)
  target_link_libraries(unit_${name} PRIVATE ${test_DEPENDS} ${test_LIBRARIES} ptxguard_doctest_main)
  add_test(NAME unit.${name} COMMAND unit_${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
