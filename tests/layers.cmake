# cmake -D ROOMS=tools/ptxguard -P layers.cmake: which room may include which (ARCHITECTURE's arrows), that only host
# touches the operating system, and that each heavy header is included in one file only. With -D SELF_TEST=FOLDER it creates
# a folder with each kind of forbidden include and tests that each one is reported.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20)

# The rooms that a room may include besides itself.
set(may_model)
set(may_host model)
set(may_facts model)
set(may_formats model)
set(may_ask host model)
set(may_packages formats host model)
set(may_discover ask packages facts formats host model)
set(may_expect ask packages facts formats host model)
set(may_probe ask facts formats host model)
set(may_verify probe ask packages facts formats host model)
set(may_inspect facts formats host model)
set(may_load packages facts formats host model)
set(may_runtime probe discover ask expect load inspect packages facts host model)
set(may_recipes expect packages facts formats host model)
set(may_judge facts model)
set(may_report facts formats host model)
set(may_commands recipes report judge runtime load inspect verify probe expect discover ask packages facts formats host model)
set(rooms model host ask facts formats packages discover expect probe verify inspect load runtime recipes judge report commands)

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
set(heavy_libdeflate formats/inflate.cpp)

function(check_include file room header result)
  set(text "")
  if(header MATCHES "^\"([a-z_]+)/" AND CMAKE_MATCH_1 IN_LIST rooms)
    set(other "${CMAKE_MATCH_1}")
    if(NOT other STREQUAL room AND NOT other IN_LIST may_${room})
      set(text "${file}: room ${room} may not include room ${other}")
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

# expect_found(FILE TEXT SENTENCE): a tree of this one file has exactly this fault; an empty sentence: none.
function(expect_found file text sentence)
  file(REMOVE_RECURSE "${SELF_TEST}")
  file(WRITE "${SELF_TEST}/${file}" "${text}\n")
  check_rooms("${SELF_TEST}" found)
  list(REMOVE_ITEM found "")
  file(REMOVE_RECURSE "${SELF_TEST}")
  if(NOT found STREQUAL sentence)
    message(SEND_ERROR "${file} with '${text}':\n  found     ${found}\n  expected  ${sentence}")
  endif()
endfunction()

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
  expect_found(recipes/a.cpp "#include <yaml.h>" "recipes/a.cpp: <yaml.h> belongs in formats/yaml.cpp alone")
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
