# Tools that leave a program behind, in the background, in a session of its own or as an orphan: none outlives ptxguard, not even
# if that is killed; then the next run removes what it has left on disk.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/tmp")

# toolkit(NAME LINE): its nvcc and ptxas run LINE, and then report a version.
function(toolkit name line)
  foreach(tool nvcc ptxas)
    file(WRITE "${WORK}/${name}/bin/${tool}" "#!/bin/sh\n${line}\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
    file(CHMOD "${WORK}/${name}/bin/${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
endfunction()

string(RANDOM LENGTH 6 ALPHABET 0123456789 unique)
set(sleep "sleep 300.${unique}")
set(search "grep -la '[3]00.${unique}' /proc/[0-9]*/cmdline 2>/dev/null")  # does not find itself
macro(left)
  execute_process(COMMAND sh -c "${search}" OUTPUT_VARIABLE left)
endmacro()

toolkit(background "${sleep} &")
toolkit(session "setsid ${sleep} &")
toolkit(orphan "(setsid ${sleep} >/dev/null 2>&1 &)")
toolkit(chain "setsid sh -c 'setsid ${sleep} & (setsid ${sleep} &) ; wait' &")
foreach(name background session orphan chain)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "TMPDIR=${WORK}/tmp" "${PTXGUARD}" check --isolated --no-cache --toolkit
    "${WORK}/background" --toolkit "${WORK}/${name}" OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE code)
  left()
  if(left OR NOT code MATCHES "^[012]$")
    message(SEND_ERROR "${name}: exit code ${code}, left: ${left}\n${out}")
  endif()
endforeach()

toolkit(hangs "setsid ${sleep} & (setsid ${sleep} &) ; ${sleep}")
execute_process(COMMAND sh -c "TMPDIR=$PWD/tmp; export TMPDIR
  \"$0\" check --isolated --no-cache --toolkit hangs >/dev/null 2>&1 &
  for i in 0 1 2 3 4 5 6 7 8 9; do
    sleep 0.3
    ${search} >/dev/null && break
  done
  sleep 0.2; kill -9 $!; wait $! 2>/dev/null
  for i in 0 1 2 3 4 5 6 7 8 9; do
    ${search} >/dev/null || break
    sleep 0.3
  done" "${PTXGUARD}" WORKING_DIRECTORY "${WORK}")
left()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "TMPDIR=${WORK}/tmp" "${PTXGUARD}" check --isolated --no-cache --toolkit
  "${WORK}/session" OUTPUT_QUIET ERROR_QUIET)
file(GLOB folders "${WORK}/tmp/*")
if(left OR folders)
  message(SEND_ERROR "killed: left: ${left} ${folders}")
endif()
