# ptxguard_rule_table(RULES_FOLDER OUTPUT_FOLDER SOURCES_VARIABLE): the table of rules and a constant for each code
# (OUTPUT_FOLDER/codes/rule_codes.hpp), made from the folder names CCnnn_name. A new folder configures again by itself; one
# that lacks its page, its check or its cases ends the configure.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# What a folder must hold; `problem` is set to one sentence where something is missing.
function(_ptxguard_check_rule_folder folder problem)
  set(${problem} "" PARENT_SCOPE)
  foreach(file rule.cpp rule.md cases.md)
    if(NOT EXISTS "${folder}/${file}")
      set(${problem} "lacks ${file}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  file(READ "${folder}/rule.md" page)
  if(page MATCHES "\\?\\?\\?")
    set(${problem} "has an unfinished rule.md (it still holds '???')" PARENT_SCOPE)
    return()
  endif()
  file(STRINGS "${folder}/cases.md" headings REGEX "^## ")
  foreach(kind fires silent)
    if(NOT headings MATCHES "## ${kind} [^;]*: ")
      set(${problem} "lacks a case '## ${kind} ...: ...' in cases.md" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# The values of a line "name: a, b c" of the page's head, as a list.
function(_ptxguard_head_values page name values)
  file(STRINGS "${page}" line REGEX "^${name}: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^${name}: " "" line "${line}")
  string(REPLACE ", " ";" line "${line}")
  set(${values} "${line}" PARENT_SCOPE)
endfunction()

# true if the page's head has that line, otherwise false.
function(_ptxguard_head_says page line said)
  set(${said} false PARENT_SCOPE)
  file(STRINGS "${page}" found REGEX "^${line}$" LIMIT_COUNT 1)
  if(found)
    set(${said} true PARENT_SCOPE)
  endif()
endfunction()

# The head as an initializer of RuleHead (rule_head.hpp). Its words are enumerators: a wrong one does not compile.
function(_ptxguard_rule_head page initializer)
  foreach(name explained_by later)
    _ptxguard_head_values("${page}" ${name} words)
    list(TRANSFORM words REPLACE "(.+)" "\"\\1\"")
    list(JOIN words ", " ${name})
  endforeach()
  _ptxguard_head_values("${page}" pairs words)
  list(TRANSFORM words PREPEND "Meeting::")
  list(JOIN words ", " pairs)
  set(faults "")
  _ptxguard_head_values("${page}" faults words)
  foreach(word IN LISTS words)
    if(NOT word MATCHES "^([a-z_]+)( ([a-z_]+))?( on (linux|windows))?$" OR CMAKE_MATCH_3 STREQUAL "on")
      message(FATAL_ERROR "${page}: '${word}' is not 'KIND [FAMILY] [on linux|windows]'")
    endif()
    set(family std::nullopt)
    set(system std::nullopt)
    if(CMAKE_MATCH_3)
      set(family "LibraryFamily::${CMAKE_MATCH_3}")
    endif()
    if(CMAKE_MATCH_5 STREQUAL "linux")
      set(system System::linux_)
    elseif(CMAKE_MATCH_5)
      set(system System::windows)
    endif()
    list(APPEND faults "{LibraryFaultKind::${CMAKE_MATCH_1}, ${family}, ${system}}")
  endforeach()
  list(JOIN faults ", " faults)
  _ptxguard_head_values("${page}" follows_from words)
  list(TRANSFORM words REPLACE "^(CC[0-9]+) [(]([a-z]+)[)]$" "{\"\\1\", &Finding::\\2}")
  list(JOIN words ", " causes)
  _ptxguard_head_says("${page}" "without_build: note" note)
  _ptxguard_head_says("${page}" "places: yes" places)
  _ptxguard_head_says("${page}" "select: always" always)
  _ptxguard_head_says("${page}" "inputs: yes" inputs)
  _ptxguard_head_says("${page}" "remaining_pairs: yes" remaining)
  _ptxguard_head_says("${page}" "without_archs: open" open)
  _ptxguard_head_says("${page}" "consumer: ptxas" assembler)
  set(${initializer} "{{${explained_by}}, {${pairs}}, {${faults}}, {${causes}}, {${later}}, ${note}, ${places}, ${always}, ${inputs}, ${remaining}, ${open}, ${assembler}}"
      PARENT_SCOPE)
endfunction()

function(ptxguard_rule_table rules_folder output_folder sources_variable)
  file(GLOB folders LIST_DIRECTORIES ON CONFIGURE_DEPENDS "${rules_folder}/*")
  set(sources "${output_folder}/rule_table.cpp")
  set(declarations "")
  set(rows "")
  set(codes "")
  set(pages "")
  foreach(folder IN LISTS folders)
    if(NOT IS_DIRECTORY "${folder}")
      continue()
    endif()
    get_filename_component(folder_name "${folder}" NAME)
    if(NOT folder_name MATCHES "^(CC[0-9][0-9][0-9])_([a-z0-9_]+)$")
      message(FATAL_ERROR "rule folder '${folder_name}' is not named CCnnn_name_in_small_letters (${folder})")
    endif()
    set(code "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    if(code IN_LIST codes)
      message(FATAL_ERROR "rule code ${code} is taken twice (${folder})")
    endif()
    list(APPEND codes "${code}")
    _ptxguard_check_rule_folder("${folder}" problem)
    if(problem)
      message(FATAL_ERROR "rule folder '${folder_name}' ${problem} (${folder})")
    endif()
    list(LENGTH pages at)
    math(EXPR text "2 * ${at} + 1")  # the table of pages holds path, text, path, text ...
    list(APPEND pages "${folder}/rule.md")
    _ptxguard_head_says("${folder}/rule.md" "source: binary" files_only)
    _ptxguard_head_says("${folder}/rule.md" "logs: yes" of_logs)
    _ptxguard_head_values("${folder}/rule.md" area area)
    _ptxguard_rule_head("${folder}/rule.md" head)
    file(GLOB rule_sources CONFIGURE_DEPENDS "${folder}/*.cpp")
    list(APPEND sources ${rule_sources})
    string(APPEND declarations
      "namespace ptxguard { void check_${code}(const Scenario&, const Facts&, const LibraryFaults&,\n"
      "                                std::vector<Finding>&); }\n")
    string(APPEND rows "        {\"${code}\", \"${name}\", ptxguard_rule_pages[${text}], check_${code}, ${files_only}, \"${area}\", ${of_logs},\n         ${head}},\n")
  endforeach()
  string(REGEX MATCHALL "\"CC[0-9]+\"" named "${rows}")
  foreach(code IN LISTS named)
    string(REPLACE "\"" "" code "${code}")
    if(NOT code IN_LIST codes)
      message(FATAL_ERROR "a head in ${rules_folder} names ${code}, and there is no such rule")
    endif()
  endforeach()
  list(APPEND sources "${output_folder}/rule_pages.cpp")
  ptxguard_embed_table("${output_folder}/rule_pages.cpp" ptxguard_rule_pages "${rules_folder}" ${pages})
  string(REGEX REPLACE "([^;]+);?" "inline constexpr RuleCode \\1{\"\\1\"};\n" constants "${codes}")
  file(CONFIGURE OUTPUT "${output_folder}/codes/rule_codes.hpp" @ONLY CONTENT
"// Made from the folders of judge/rules; do not edit.
#pragma once

#include \"model/rule_code.hpp\"

namespace ptxguard {

@constants@
}  // namespace ptxguard
")
  file(CONFIGURE OUTPUT "${output_folder}/rule_table.cpp" @ONLY CONTENT
"// Made from the folders of judge/rules; do not edit.
#include \"judge/judge.hpp\"

extern const char* const ptxguard_rule_pages[];
@declarations@
namespace ptxguard {

const std::vector<Rule>& rules() {
    static const std::vector<Rule> table = {
@rows@    };
    return table;
}

}  // namespace ptxguard
")
  set(${sources_variable} "${sources}" PARENT_SCOPE)
endfunction()
