# cmake -D ROOMS=tools/ptxguard -P layers.cmake: which room may include which (ARCHITECTURE's arrows), that only host
# touches the operating system, and that each heavy header is included in one file only. With -D SELF_TEST=FOLDER it creates
# a folder with each kind of forbidden include and tests that each one is reported.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20)

# The rooms that a room may include besides itself.
set(may_model)
set(may_host model)
set(may_python model)
set(may_facts python model)
set(may_formats python model)
set(may_ask host model)
set(may_packages formats host python model)
set(may_discover ask packages facts formats host model)
set(may_expect ask packages facts formats host python model)
set(may_probe ask facts formats host model)
set(may_verify probe ask packages facts formats host model)
set(may_inspect facts formats host python model)
set(may_load packages facts formats host model)
set(may_runtime probe discover ask expect load inspect packages facts host python model)
set(may_recipes expect packages facts formats host python model)
set(may_messages model)
set(may_diagnose messages expect facts formats host python model)
set(may_judge facts python model)
set(may_report model)
set(may_commands diagnose messages recipes report judge runtime load inspect verify probe expect discover ask packages facts formats host python model)
set(rooms model python messages diagnose host ask facts formats packages discover expect probe verify inspect load runtime recipes judge report commands)

# The rooms inside of a room, lowest first: each may include itself and those before it. Two headers of recipes/shell declare
# what a shell text starts and a later room reads: interpret.hpp, python_runs.hpp.
set(inner_recipes base shell python builds installers ci containers resolution meaning find)

# Headers with access to the machine: POSIX, Windows, processes, files, threads.
set(system_headers "(sys/[a-z]+|arpa/[a-z]+|netinet/[a-z]+|unistd|fcntl|dirent|dlfcn|link|poll|sched|spawn|signal|csignal"
  "|pwd|glob|ftw|pthread|termios|io|process|direct|windows|shellapi|shlobj|winsock2|psapi)(\\.h)?"
  "|filesystem|fstream|thread|boost/.*")
string(REPLACE ";" "" system_headers "${system_headers}")

# A heavy header and the only file that may include it.
set(heavy_toml++ formats/toml.cpp)
set(heavy_CLI commands/command_line.cpp)
set(heavy_compression formats/device_code_payload.cpp formats/zstd_frames.cpp facts/embedded.cpp)
set(heavy_yaml formats/yaml.cpp)
set(heavy_libdeflate formats/zip.cpp)

# An include of a file of the same room.
function(check_inner file room header result)
  string(REGEX MATCH "^[^/]+/([^/]+)/" own "${file}")
  set(own "${CMAKE_MATCH_1}")
  string(REGEX MATCH "^\"[^/]+/([^/]+)/" other "${header}")
  set(other "${CMAKE_MATCH_1}")
  list(FIND inner_${room} "${own}" own_at)
  list(FIND inner_${room} "${other}" other_at)
  if(own_at LESS other_at)
    set(${result} "${file}: ${room}/${own} may not include ${room}/${other}, which is above it" PARENT_SCOPE)
  endif()
endfunction()

function(check_include file room header result)
  set(text "")
  if(header MATCHES "^\"([a-z_]+)/" AND CMAKE_MATCH_1 IN_LIST rooms)
    set(other "${CMAKE_MATCH_1}")
    if(NOT other STREQUAL room AND NOT other IN_LIST may_${room})
      set(text "${file}: room ${room} may not include room ${other}")
    endif()
    if(other STREQUAL room AND DEFINED inner_${room})
      check_inner("${file}" "${room}" "${header}" text)
    endif()
  elseif(header MATCHES "^[<\"](toml\\+\\+|CLI)/")
    if(NOT file STREQUAL "${heavy_${CMAKE_MATCH_1}}")
      set(text "${file}: ${header} belongs in ${heavy_${CMAKE_MATCH_1}} alone")
    endif()
  elseif(header MATCHES "^[<\"](boost/|host/boost_process)" AND
         NOT file MATCHES "^host/(process_(posix|windows)\\.cpp|boost_process\\.hpp)$")
    set(text "${file}: ${header} belongs in host/process_posix.cpp and host/process_windows.cpp alone")
  elseif(header MATCHES "^<(${system_headers})>$" AND NOT room STREQUAL "host")
    set(text "${file}: room ${room} may not include ${header}: only host touches the operating system")
  elseif(header MATCHES "^<(lz4|zstd)\\.h>$")
    if(NOT file IN_LIST heavy_compression)
      set(text "${file}: ${header} belongs in ${heavy_compression} alone")
    endif()
  elseif(header MATCHES "^<(yaml|libdeflate)\\.h>$")
    if(NOT file STREQUAL "${heavy_${CMAKE_MATCH_1}}")
      set(text "${file}: ${header} belongs in ${heavy_${CMAKE_MATCH_1}} alone")
    endif()
  elseif(header MATCHES "^<([a-z0-9/]+)\\.h>$" AND NOT file MATCHES "^host/[a-z_]*_(posix|windows)\\.[ch]pp$")
    set(text "${file}: ${header} belongs in host/*_posix.cpp and host/*_windows.cpp alone")
  endif()
  if(text)
    set(${result} "${${result}};${text}" PARENT_SCOPE)
  endif()
endfunction()

function(check_rooms folder result)
  set(found "")
  file(GLOB_RECURSE files RELATIVE "${folder}" "${folder}/*.cpp" "${folder}/*.hpp" "${folder}/*.h")
  foreach(file IN LISTS files)
    string(REGEX MATCH "^[^/]+" room "${file}")
    if(NOT file MATCHES "/")
      continue()  # main.cpp may include any room
    elseif(NOT room IN_LIST rooms)
      list(APPEND found "${file}: ${room} is no room")
      continue()
    endif()
    if(DEFINED inner_${room})
      string(REGEX MATCH "^[^/]+/([^/]+)/" inner "${file}")
      if(NOT inner OR NOT CMAKE_MATCH_1 IN_LIST inner_${room})
        list(APPEND found "${file}: is in no room of ${room}/")
        continue()
      endif()
    endif()
    file(STRINGS "${folder}/${file}" lines REGEX "^[ \t]*#[ \t]*(include|if|ifdef|ifndef|elif)")
    foreach(text IN LISTS lines)
      if(text MATCHES "include[ \t]*([<\"][^>\"]+[>\"])")
        check_include("${file}" "${room}" "${CMAKE_MATCH_1}" found)
      elseif(text MATCHES "_WIN32|__linux__|_MSC_VER" AND NOT file MATCHES "^host/[a-z_]*_(posix|windows)\\.[ch]pp$")
        list(APPEND found "${file}: '${text}' belongs in host/*_posix.cpp and host/*_windows.cpp alone")
      endif()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

set(FIND check_rooms)
include("${CMAKE_CURRENT_LIST_DIR}/one_fault.cmake")

if(SELF_TEST)
  expect_found(judge/a.cpp "#include \"host/host.hpp\"" "judge/a.cpp: room judge may not include room host")
  expect_found(judge/rules/CC1/rule.cpp "  # include \"report/report.hpp\""
    "judge/rules/CC1/rule.cpp: room judge may not include room report")
  expect_found(model/a.hpp "#include \"facts/facts.hpp\"" "model/a.hpp: room model may not include room facts")
  expect_found(report/a.cpp "#include \"judge/judge.hpp\"" "report/a.cpp: room report may not include room judge")
  expect_found(discover/a.cpp "#include <unistd.h>"
    "discover/a.cpp: room discover may not include <unistd.h>: only host touches the operating system")
  expect_found(probe/a.cpp "#include <filesystem>"
    "probe/a.cpp: room probe may not include <filesystem>: only host touches the operating system")
  expect_found(host/a.cpp "#include <windows.h>"
    "host/a.cpp: <windows.h> belongs in host/*_posix.cpp and host/*_windows.cpp alone")
  expect_found(probe/a.cpp "#include <boost/process.hpp>"
    "probe/a.cpp: <boost/process.hpp> belongs in host/process_posix.cpp and host/process_windows.cpp alone")
  expect_found(report/a.cpp "#include <toml++/toml.h>"
    "report/a.cpp: <toml++/toml.h> belongs in formats/toml.cpp alone")
  expect_found(inspect/a.cpp "#include <zstd.h>"
    "inspect/a.cpp: <zstd.h> belongs in formats/device_code_payload.cpp;formats/zstd_frames.cpp;facts/embedded.cpp alone")
  expect_found(recipes/base/a.cpp "#include \"recipes/shell/shell.hpp\""
    "recipes/base/a.cpp: recipes/base may not include recipes/shell, which is above it")
  expect_found(recipes/meaning/a.cpp "#include \"recipes/shell/shell.hpp\"\n#include \"recipes/meaning/b.hpp\"" "")
  expect_found(recipes/a.cpp "" "recipes/a.cpp: is in no room of recipes/")
  expect_found(recipes/base/a.cpp "#include <yaml.h>" "recipes/base/a.cpp: <yaml.h> belongs in formats/yaml.cpp alone")
  expect_found(expect/a.cpp "#ifdef _WIN32"
    "expect/a.cpp: '#ifdef _WIN32' belongs in host/*_posix.cpp and host/*_windows.cpp alone")
  expect_found(attic/a.cpp "" "attic/a.cpp: attic is no room")
  expect_found(judge/a.cpp "#include \"model/finding.hpp\"\n#include \"facts/facts.hpp\"\n#include <vector>" "")
  expect_found(commands/a.cpp "#include \"judge/judge.hpp\"\n#include \"host/host.hpp\"" "")
  expect_found(host/files_posix.cpp "#include <sys/stat.h>\n#include <unistd.h>" "")
  return()
endif()

if(NOT EXISTS "${ROOMS}/model")
  message(FATAL_ERROR "-D ROOMS=FOLDER names the rooms; '${ROOMS}' has none")
endif()
check_rooms("${ROOMS}" found)
foreach(text IN LISTS found)
  if(text)
    message(SEND_ERROR "${text}")
  endif()
endforeach()
