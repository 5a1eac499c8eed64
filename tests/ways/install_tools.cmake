# A virtual environment with the tools of requirements.txt, once per list.
# SPDX-License-Identifier: Apache-2.0
file(SHA256 "${REQUIREMENTS}" wanted)
if(EXISTS "${VENV}/${wanted}")
  return()
endif()
file(REMOVE_RECURSE "${VENV}")
execute_process(COMMAND "${PYTHON}" -m venv "${VENV}" COMMAND_ERROR_IS_FATAL ANY)
foreach(try 1 2 3)
  execute_process(COMMAND "${VENV}/bin/pip" install --quiet --retries 5 -r "${REQUIREMENTS}" RESULT_VARIABLE result
    OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(result EQUAL 0)
    file(TOUCH "${VENV}/${wanted}")
    return()
  endif()
endforeach()
message(FATAL_ERROR "the tools could not be installed from PyPI: ${text}")
