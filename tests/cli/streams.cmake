# Where standard output is full, closed or a file, and what -o may name.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/k.ptx" ".version 8.0\n.target sm_80\n.address_size 64\n")

# expect(RESULT STDERR SCRIPT): the script finds ptxguard as $0 and works in WORK.
function(expect expected_result expected_stderr script)
  execute_process(COMMAND sh -c "${script}" "${PTXGUARD}" WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result ERROR_VARIABLE stderr OUTPUT_VARIABLE stdout)
  if(NOT result EQUAL expected_result OR NOT stderr STREQUAL expected_stderr)
    message(SEND_ERROR "${script}\n  exit code ${result}, expected ${expected_result}\n${stdout}${stderr}")
  endif()
  set(stdout "${stdout}" PARENT_SCOPE)
endfunction()

set(full "ptxguard: standard output cannot be written: No space left on device\n")
set(closed "ptxguard: standard output cannot be written: Bad file descriptor\n")
if(EXISTS /dev/full)
  foreach(arguments --version --help explain "explain CC202" facts "facts releases --format json" "check --help"
          "inspect k.ptx" "inspect k.ptx --format json" "inspect k.ptx -o in_file.json")
    expect(3 "${full}" "exec \"$0\" ${arguments} >/dev/full")
    expect(3 "${closed}" "exec \"$0\" ${arguments} >&-")
  endforeach()
  expect(2 "ptxguard inspect: /dev/full cannot be written: No space left on device\n"
    "exec \"$0\" inspect k.ptx --format json -o /dev/full")
endif()
expect(0 "" "ln -s /dev/null device; \"$0\" inspect k.ptx --format json -o device && test -L device && test -c device")
expect(2 "ptxguard inspect: too_large.json cannot be written: File too large\n"
  "ulimit -f 0; exec \"$0\" inspect k.ptx --format json -o too_large.json")

# With a stack that is smaller than ours need to be.
file(WRITE "${WORK}/requirements.txt" "torch==2.5.1+cu124\n")
foreach(size 64 96)
  foreach(arguments "check --isolated --no-cache" "check --isolated --no-cache --format json" "inspect k.ptx" "lint requirements.txt"
          facts "explain CC202" "matrix --no-cache")
    execute_process(COMMAND sh -c "ulimit -s ${size}; exec \"$0\" ${arguments}" "${PTXGUARD}" WORKING_DIRECTORY "${WORK}"
      RESULT_VARIABLE result OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
    if(NOT result MATCHES "^[01]$")
      message(SEND_ERROR "ulimit -s ${size}: ${arguments}: ${result}\n${stderr}")
    endif()
  endforeach()
endforeach()

# Both texts arrive, one behind the other.
expect(0 "" "\"$0\" inspect k.ptx --format json -o /dev/stdout >both; cat both")
if(NOT stdout MATCHES "^{.*\n}\n.*verdict: ok, [^\n]*\n$")
  message(SEND_ERROR "-o /dev/stdout: ${stdout}")
endif()

# On a terminal a line says what takes so long, and is gone at the end.
find_program(script script)
if(script)
  file(WRITE "${WORK}/slow/bin/nvcc" "#!/bin/sh\nsleep 0.6\n")
  file(CHMOD "${WORK}/slow/bin/nvcc" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(check "check --isolated --no-cache --toolkit slow")
  foreach(row "text;\rptxguard: [a-z, ]+ [.][.][.]\r +\r[^\r]" "json;^({|[^\r]*\n{)")
    list(GET row 0 format)
    list(GET row 1 wanted)
    expect(0 "" "script -qc \"'$0' ${check} --format ${format}\" typescript </dev/null >/dev/null")
    file(READ "${WORK}/typescript" text)
    string(FIND "${text}" "ptxguard: looking" at)
    if(NOT text MATCHES "${wanted}" OR (format STREQUAL "json" AND NOT at EQUAL -1))
      message(SEND_ERROR "${format}: ${text}")
    endif()
  endforeach()
endif()
