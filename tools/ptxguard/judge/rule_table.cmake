# ptxguard_rule_table(RULES_FOLDER OUTPUT_FOLDER SOURCES_VARIABLE): the table of rules, made from the folder names
# CCnnn_name. A new folder configures again by itself; one that lacks its page, its check or its cases ends the configure.
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
    set(files_only false)
    file(STRINGS "${folder}/rule.md" witness REGEX "^witness: binary$")
    if(witness)
      set(files_only true)
    endif()
    set(of_logs false)
    file(STRINGS "${folder}/rule.md" logs REGEX "^logs: yes$")
    if(logs)
      set(of_logs true)
    endif()
    file(STRINGS "${folder}/rule.md" area REGEX "^area: ")
    string(REPLACE "area: " "" area "${area}")
    list(APPEND sources "${folder}/rule.cpp")
    string(APPEND declarations
      "namespace ptxguard { void check_${code}(const Scenario&, const Facts&, const LibraryFaults&,\n"
      "                                std::vector<Finding>&); }\n")
    string(APPEND rows "        {\"${code}\", \"${name}\", ptxguard_rule_pages[${text}], check_${code}, ${files_only}, \"${area}\", ${of_logs}},\n")
  endforeach()
  list(APPEND sources "${output_folder}/rule_pages.cpp")
  ptxguard_embed_table("${output_folder}/rule_pages.cpp" ptxguard_rule_pages "${rules_folder}" ${pages})
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
