# For the self tests of scripts that search the sources: included with FIND, the name of a function(FOLDER RESULT).
# expect_found(FILE TEXT SENTENCE): a tree of this one file has exactly this fault; an empty sentence: none.
# SPDX-License-Identifier: Apache-2.0
function(expect_found file text sentence)
  file(REMOVE_RECURSE "${SELF_TEST}")
  file(WRITE "${SELF_TEST}/${file}" "${text}\n")
  cmake_language(CALL ${FIND} "${SELF_TEST}" found)
  list(REMOVE_ITEM found "")
  file(REMOVE_RECURSE "${SELF_TEST}")
  if(NOT found STREQUAL sentence)
    message(SEND_ERROR "${file} with '${text}':\n  found     ${found}\n  expected  ${sentence}")
  endif()
endfunction()
