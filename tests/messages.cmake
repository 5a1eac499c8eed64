# No code compares with message text, so every message can be reworded. Looks for comparisons and searches of
# values that hold messages (ROOMS), or tests itself in a folder (SELF_TEST).
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20)

set(messages "message|because|why|trouble|reason|effect|first_error|cause|evidence|remark|rule")
set(calls "find|rfind|compare|substr|starts_with|ends_with")
set(patterns
  "[^a-zA-Z_](${messages}) (==|!=) \"[^\"]"
  "\"[^\"]+\" (==|!=) [a-z_]+[.>-]+(${messages})[^a-zA-Z_(]"
  "[^a-zA-Z_](${messages})\\.(${calls})\\("
  "(starts_with|ends_with|contains)\\(([a-z_.>-]*[^a-zA-Z_])?(${messages}),")
# In these rooms a tool's output is a message, too.
set(judging "judge/|report/")
set(output_patterns "[.>]words\\.(${calls})\\(" "(starts_with|ends_with|contains)\\([a-z_]+[.>-]+words,")

function(find_comparisons rooms result)
  file(GLOB_RECURSE files RELATIVE "${rooms}" "${rooms}/*.cpp" "${rooms}/*.hpp")
  set(found)
  foreach(file IN LISTS files)
    set(all ${patterns})
    if(file MATCHES "^(${judging})")
      list(APPEND all ${output_patterns})
    endif()
    foreach(pattern IN LISTS all)
      file(STRINGS "${rooms}/${file}" lines REGEX "${pattern}")
      foreach(line IN LISTS lines)
        string(STRIP "${line}" line)
        string(REPLACE ";" "" line "${line}")
        list(APPEND found "${file}: ${line}")
      endforeach()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

if(SELF_TEST)
  file(REMOVE_RECURSE "${SELF_TEST}")
  foreach(bad
      "if (loser.reason.rfind(\"comes after\", 0) == 0) return" "if (part.trouble == \"is not executable\") return"
      "return starts_with(why, \"fails on\")" "return \"import\" == misfit.effect || last"
      "return probe->words.find(\"Unsupported\") != npos" "return remark.compare(0, 16, \"loaded by Python\") == 0")
    file(WRITE "${SELF_TEST}/judge/mutant.cpp" "void f() {\n    ${bad};\n}\n")
    find_comparisons("${SELF_TEST}" found)
    if(found STREQUAL "")
      message(FATAL_ERROR "not found: ${bad}")
    endif()
  endforeach()
  file(WRITE "${SELF_TEST}/judge/mutant.cpp"
    "if (part.trouble.empty() || loser.skipped == Skipped::later || a.reason == b.reason) finding.because = \"x\";\n")
  find_comparisons("${SELF_TEST}" found)
  if(NOT found STREQUAL "")
    message(FATAL_ERROR "found where nothing is wrong: ${found}")
  endif()
  return()
endif()

find_comparisons("${ROOMS}" found)
if(NOT found STREQUAL "")
  list(JOIN found "\n  " text)
  message(FATAL_ERROR "code compares with message text; compare with an enum:\n  ${text}")
endif()
