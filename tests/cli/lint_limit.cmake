# A conflict behind a limit of `lint`: every format reports the limit, and none says that nothing was found.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
string(REPEAT "FROM a\n" 1000 stages)

# lint(STAGES CODE ARGUMENTS...): the exit code; the output in `text`.
function(lint stages code)
  file(WRITE "${WORK}/Dockerfile" "${stages}RUN pip install torch==2.5.1+cu125\n")
  execute_process(COMMAND "${PTXGUARD}" lint --isolated ${ARGN} WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL code)
    message(SEND_ERROR "lint ${ARGN}: exit code ${result}, not ${code}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

lint("${stages}" 1 --format oneline)
if(NOT text MATCHES "CC603" OR text MATCHES "limit")
  message(SEND_ERROR "1000 stages:\n${text}")
endif()
foreach(format text oneline json sarif junit github gitlab markdown html)
  lint("${stages}FROM a\n" 0 --format ${format})
  if(NOT text MATCHES "1000 Docker stages" OR text MATCHES "no problems found" OR text MATCHES "verdict\": *\"pass")
    message(SEND_ERROR "${format}:\n${text}")
  endif()
endforeach()
lint("${stages}FROM a\n" 1 --fail-on unknown --format oneline)
if(NOT text MATCHES "^Dockerfile:1001:1: unknown: ")
  message(SEND_ERROR "1001 stages:\n${text}")
endif()
