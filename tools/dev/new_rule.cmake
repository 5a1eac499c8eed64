# cmake -P tools/dev/new_rule.cmake CC1 name_of_the_problem: creates the folder of a new rule with the family's next free
# code. The configure fails until its page contains no '???', and its cases fail until you fill them in.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)

set(arguments "")
set(after_script OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_script)
    list(APPEND arguments "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} MATCHES "new_rule\\.cmake$")
    set(after_script ON)
  endif()
endforeach()
list(LENGTH arguments count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "usage: cmake -P tools/dev/new_rule.cmake FAMILY NAME, for example CC1 variable_names_no_toolkit")
endif()
list(GET arguments 0 family)
list(GET arguments 1 name)
if(NOT family MATCHES "^CC[0-9]$")
  message(FATAL_ERROR "family '${family}' is not CC and one digit, for example CC1")
endif()
if(NOT name MATCHES "^[a-z][a-z0-9_]+$")
  message(FATAL_ERROR "name '${name}' may contain only lower-case letters, digits and '_'")
endif()

if(NOT DEFINED PTXGUARD_RULES_FOLDER)
  set(PTXGUARD_RULES_FOLDER "${CMAKE_CURRENT_LIST_DIR}/../../tools/ptxguard/judge/rules")
endif()
get_filename_component(rules "${PTXGUARD_RULES_FOLDER}" ABSOLUTE)
file(GLOB same_name "${rules}/CC[0-9][0-9][0-9]_${name}")
if(same_name)
  message(FATAL_ERROR "a rule of that name is there already: ${same_name}")
endif()

# The next code after the highest one in use: a code is never used again, so gaps are not filled.
set(number 0)
file(GLOB taken "${rules}/${family}[0-9][0-9]_*")
foreach(folder IN LISTS taken)
  get_filename_component(folder_name "${folder}" NAME)
  string(SUBSTRING "${folder_name}" 3 2 used)
  string(REGEX REPLACE "^0" "" used "${used}")
  if(used GREATER number)
    set(number "${used}")
  endif()
endforeach()
math(EXPR number "${number} + 1")
if(number GREATER 99)
  message(FATAL_ERROR "family ${family} is full")
endif()
if(number LESS 10)
  set(number "0${number}")
endif()
set(code "${family}${number}")
set(folder "${rules}/${code}_${name}")

file(WRITE "${folder}/rule.cpp" "// ${code} ${name}: ???
// SPDX-License-Identifier: Apache-2.0
#include \"judge/rule.hpp\"

namespace ptxguard {

PTXGUARD_RULE(${code}) {
#error \"${code} is not written yet\"
}

}  // namespace ptxguard
")
file(WRITE "${folder}/rule.md" "---
code: ${code}
name: ${name}
level: ???
area: ???
since: 0.1.0
texts: []
---
## What it checks
???

## Why it breaks
???

## Example
???

## Fix
???

## When to ignore
???

## Sources
???
")
file(WRITE "${folder}/cases.md" "# ${code} ${name}

## fires where: ???
error[${code}]: ???

## silent where: ???
")
message(STATUS "made ${folder}; fill rule.cpp, rule.md and cases.md (form: tools/ptxguard/judge/README.md)")
