# `ptxguard run -- COMMAND`: output, exit code and signals of the program stay as they are; a failure is explained after it.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# expect(RESULT STDOUT STDERR_REGEX SCRIPT): the script finds ptxguard as $0 and works in WORK.
function(expect expected_result expected_stdout stderr_regex script)
  execute_process(COMMAND sh -c "${script}" "${PTXGUARD}" WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result ERROR_VARIABLE stderr OUTPUT_VARIABLE stdout)
  if(NOT result EQUAL expected_result OR NOT stdout STREQUAL expected_stdout OR NOT stderr MATCHES "${stderr_regex}")
    message(SEND_ERROR "${script}\n  exit code ${result}, expected ${expected_result}\n--- stdout\n${stdout}\n--- stderr\n${stderr}")
  endif()
endfunction()

expect(0 "out\n" "^err\n$" "\"$0\" run -- sh -c 'echo out; echo err >&2'")
expect(3 "out\n" "^$" "\"$0\" run -- sh -c 'echo out; exit 3'")
expect(7 "" "CC203.*compute_120" "\"$0\" run --isolated -- sh -c \"echo \\\"nvcc fatal   : Unsupported gpu architecture 'compute_120'\\\" >&2; exit 7\"")
expect(0 "" "^nvcc fatal[^\n]*\n$" "\"$0\" run -- sh -c \"echo \\\"nvcc fatal   : Unsupported gpu architecture 'compute_120'\\\" >&2\"")
expect(143 "" "" "\"$0\" run -- sh -c 'kill -TERM $$'; echo $? >code; exit $(cat code)")
expect(127 "" "^ptxguard run: not_a_program cannot be started: No such file or directory\n$" "\"$0\" run -- not_a_program")
expect(2 "" "ptxguard run -- make" "\"$0\" run --")
expect(2 "" "put -- before the command" "\"$0\" run make")
# Of a long output the first and the last bytes are explained, and that is said.
expect(3 "" "note: output of sh exceeds the limit of 12582912 bytes of output" "\"$0\" run --isolated -- sh -c 'head -c 13000000 /dev/zero | tr \"\\\\0\" x; exit 3' >/dev/null")
expect(3 "" "^$" "\"$0\" run --isolated -- sh -c 'head -c 1300000 /dev/zero | tr \"\\\\0\" x; exit 3' >/dev/null")
# Arguments reach the program as they are, also empty ones and options; its input is ours.
expect(0 "[][a b][--help][-v]" "^$" "\"$0\" run -- printf '[%s]' '' 'a b' --help -v")
expect(0 "typed\n" "^$" "echo typed | \"$0\" run -- cat")
expect(0 "" "^$" "\"$0\" run -- sh -c 'yes 2>/dev/null' | head -n 1 >/dev/null; exit 0")
# A program that is left behind with the streams open does not hold the caller.
expect(0 "now\n" "^$" "\"$0\" run -- sh -c 'sleep 30 & echo now'")
# A report for a machine goes to the file of -o.
expect(1 "" "CC203" "\"$0\" run --isolated --format json -o report.json -- sh -c \"echo \\\"ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'\\\" >&2; exit 1\" && exit 9; grep -q '\"diagnoses\"' report.json && exit 1")

# As the launcher of a compiler it runs once per source: in one build each cause is explained once, in the next again.
set(ENV{XDG_CACHE_HOME} "${WORK}/cache")
file(WRITE "${WORK}/compiler" "#!/bin/sh\necho \"nvcc fatal   : Unsupported gpu architecture '$1'\" >&2\nexit 1\n")
file(WRITE "${WORK}/Makefile" "RUN = \"$(PTXGUARD)\" run --isolated -- sh ./compiler\nall: a b c d inner\na b c:\n\t$(RUN) compute_120\nd:\n\t$(RUN) compute_21\ninner:\n\t$(MAKE) -k a b\n")
find_program(make NAMES gmake make)
# explained(COUNT SCRIPT WHAT...): each WHAT is in standard error COUNT times.
function(explained count script)
  execute_process(COMMAND sh -c "${script}" "${PTXGUARD}" WORKING_DIRECTORY "${WORK}" OUTPUT_QUIET ERROR_VARIABLE stderr)
  foreach(what IN LISTS ARGN)
    string(REGEX MATCHALL "${what}" heads "${stderr}")
    list(LENGTH heads found)
    if(NOT found EQUAL count)
      message(SEND_ERROR "${script}\n  '${what}' ${found} times, expected ${count}\n${stderr}")
    endif()
  endforeach()
endfunction()
set(in_120 "certain.CC203.: [^\n]*compute_120")
if(make)
  explained(1 "'${make}' -k -j4 PTXGUARD=\"$0\"" "${in_120}" "certain.CC203.: [^\n]*compute_21")
  explained(1 "'${make}' -k PTXGUARD=\"$0\" a b" "${in_120}")
  explained(2 "'${make}' -k PTXGUARD=\"$0\" 'RUN=\"\$(PTXGUARD)\" run --isolated --no-cache -- sh ./compiler' a b" "${in_120}")
  # The run around it repeats nothing.
  explained(1 "\"$0\" run --isolated -- '${make}' -k -j4 PTXGUARD=\"$0\" a b" "${in_120}")
endif()
