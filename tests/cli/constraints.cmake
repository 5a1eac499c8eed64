# --constraints writes its file only when nothing is wrong.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/empty")

# expect(RESULT STDERR FILE ARGUMENT...): FILE is what c.txt has to hold after two lines of comment; empty = it is not written.
function(expect expected_result expected_stderr expected_file)
  file(REMOVE "${WORK}/c.txt")
  execute_process(COMMAND "${PTXGUARD}" ${ARGN} --isolated --constraints c.txt WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result ERROR_VARIABLE stderr OUTPUT_VARIABLE stdout)
  set(written "")
  if(EXISTS "${WORK}/c.txt")
    file(READ "${WORK}/c.txt" written)
    string(REGEX REPLACE "^#[^\n]*\n#[^\n]*\n" "" written "${written}")
  endif()
  if(NOT result EQUAL expected_result OR NOT stderr STREQUAL expected_stderr OR NOT written STREQUAL expected_file)
    message(SEND_ERROR "${ARGN}\n  exit code ${result}, expected ${expected_result}\n${stdout}${stderr}\nc.txt: ${written}")
  endif()
endfunction()

set(plan plan --os linux --driver 535.104.05 --framework)
expect(0 "" "nvidia-cudnn-cu12<9.11\nonnxruntime-gpu==1.22.0\n" ${plan} onnxruntime-gpu==1.22.0 --gpu V100)
expect(1 "ptxguard: c.txt is not written: something is wrong\n" "" ${plan} torch==2.11.0+cu130 --gpu V100)
expect(1 "ptxguard: c.txt is not written: no framework that pip installed was found\n" "" check --root empty)

# An installed torch without code for the GPU: an error, also where the exit status is 0.
set(site "${WORK}/tree/usr/lib/python3/dist-packages")
file(WRITE "${site}/torch/__init__.py" "")
file(WRITE "${site}/torch/version.py" "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n")
file(WRITE "${site}/torch-2.11.0.dist-info/METADATA" "Name: torch\nVersion: 2.11.0+cu130\n\n")
set(check check --root tree --python /usr/lib/python3/dist-packages --framework torch)
set(wrong "ptxguard: c.txt is not written: something is wrong\n")
expect(0 "" "torch==2.11.0+cu130\n" ${check} --gpu A100)
expect(1 "${wrong}" "" ${check} --gpu V100)
expect(0 "${wrong}" "" ${check} --gpu V100 --fail-on never)
expect(0 "${wrong}" "" ${check} --gpu V100 --format sarif)
