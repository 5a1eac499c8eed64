# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
cuda_consistent_check_target
----------------------------

Checks a target after every link: which GPUs run its device code (``ptxguard inspect``), and which CUDA libraries it will
load (``ptxguard deps``). A finding at or above ``CudaConsistent_FAIL_ON`` fails the build.

.. code-block:: cmake

  cuda_consistent_check_target(<target> [GPUS <gpu>...] [DRIVER <version>...])

``GPUS``
  GPUs that must run it: ``9.0``, ``sm_90``, ``"RTX 3090"``. Default: ``CudaConsistent_GPUS``.
``DRIVER``
  Drivers that must run it: ``550.54.14`` or ``550``. Default: ``CudaConsistent_DRIVER``.

The target must be an executable or a static, shared, module or object library of this project. ``CudaConsistent_IGNORE``,
``_SETTINGS``, ``_FAIL_ON`` and ``_PYTHON`` count here as for ``find_package``. The libraries are not traced in a cross
build, nor for static and object libraries, which are not loaded. Targets of other directories and object libraries are
checked by a separate target, ``CudaConsistent_check_<target>``, which is part of ``all`` if they are.

With ``CudaConsistent_CHECK_ALL_TARGETS`` set before ``find_package(CudaConsistent)``, every target is checked this way.
#]====]
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/arguments.cmake")

# The commands that check FILE, as code of add_custom_command. Uses the caller's target_GPUS and target_DRIVER.
function(_cuda_consistent_target_commands type file out)
  get_property(program GLOBAL PROPERTY CudaConsistent_program)
  set(arguments "")
  _cuda_consistent_each(ignore CudaConsistent_IGNORE)
  _cuda_consistent_one(config CudaConsistent_SETTINGS)
  _cuda_consistent_one(fail-on CudaConsistent_FAIL_ON)
  _cuda_consistent_add(arguments --quiet --only-findings --color never)
  set(shared "${arguments}")
  _cuda_consistent_each(gpu target_GPUS)
  _cuda_consistent_each(driver target_DRIVER)
  set(inspect "${arguments}")
  set(arguments "${shared}")
  _cuda_consistent_one(python CudaConsistent_PYTHON)
  set(tools inspect)
  if(type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$" AND NOT CMAKE_CROSSCOMPILING)
    set(deps "${arguments}")
    list(APPEND tools deps)
  endif()
  set(commands "")
  foreach(tool IN LISTS tools)
    set(command "")
    _cuda_consistent_add(command "${program}" ${tool})
    string(APPEND command "${${tool}}")
    string(REPLACE "$<" "$<1:$><" command "${command}")  # a reason is plain text, not a generator expression
    string(REPLACE ";" "\\;" command "${command}")        # and not a list
    _cuda_consistent_add(command -- "${file}")
    string(APPEND commands " COMMAND ${command}")
  endforeach()
  set(${out} "${commands} VERBATIM COMMAND_EXPAND_LISTS" PARENT_SCOPE)
endfunction()

# A target that checks another one. Targets of other directories and object libraries cannot take a POST_BUILD command.
function(_cuda_consistent_judging_target target files commands everything)
  set(stamp "${CMAKE_BINARY_DIR}/CudaConsistent/checked/${target}-$<CONFIG>.stamp")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/CudaConsistent/checked")
  set(needs ${target})
  if(files)
    set(needs "${files}")
  endif()
  cmake_language(EVAL CODE "add_custom_command(OUTPUT \"\${stamp}\" ${commands}
    COMMAND \"\${CMAKE_COMMAND}\" -E touch \"\${stamp}\" DEPENDS \${needs} COMMENT \"Judging \${target}\")")
  add_custom_target(CudaConsistent_check_${target} ${everything} DEPENDS "${stamp}")
  add_dependencies(CudaConsistent_check_${target} ${target})  # Makefiles: objects of another directory have no rule here
endfunction()

# Is the target built by `all`?
function(_cuda_consistent_all_of target out)
  set(${out} ALL PARENT_SCOPE)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
  while(NOT excluded AND NOT folder STREQUAL "")
    get_property(excluded DIRECTORY "${folder}" PROPERTY EXCLUDE_FROM_ALL)
    get_property(folder DIRECTORY "${folder}" PROPERTY PARENT_DIRECTORY)
  endwhile()
  if(excluded)
    set(${out} "" PARENT_SCOPE)
  endif()
endfunction()

# Uses the caller's target_GPUS and target_DRIVER.
function(_cuda_consistent_judge_target target)
  get_target_property(type ${target} TYPE)
  get_target_property(folder ${target} SOURCE_DIR)
  if(type STREQUAL "OBJECT_LIBRARY")
    _cuda_consistent_target_commands(${type} "$<TARGET_OBJECTS:${target}>" commands)
    _cuda_consistent_all_of(${target} everything)
    _cuda_consistent_judging_target(${target} "$<TARGET_OBJECTS:${target}>" "${commands}" "${everything}")
  elseif(folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    _cuda_consistent_target_commands(${type} "$<TARGET_FILE:${target}>" commands)
    cmake_language(EVAL CODE "add_custom_command(TARGET \${target} POST_BUILD ${commands})")
  else()
    _cuda_consistent_target_commands(${type} "$<TARGET_FILE:${target}>" commands)
    _cuda_consistent_all_of(${target} everything)
    _cuda_consistent_judging_target(${target} "" "${commands}" "${everything}")
  endif()
endfunction()

function(cuda_consistent_check_target target)
  cmake_parse_arguments(PARSE_ARGV 1 target "" "" "GPUS;DRIVER")
  if(target_UNPARSED_ARGUMENTS)
    list(GET target_UNPARSED_ARGUMENTS 0 argument)
    message(FATAL_ERROR "cuda_consistent_check_target: unknown argument '${argument}': the arguments are GPUS and DRIVER, each with its values")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "cuda_consistent_check_target: '${target}' is not a target")
  endif()
  get_target_property(aliased "${target}" ALIASED_TARGET)
  if(aliased)
    set(target "${aliased}")
  endif()
  get_target_property(type "${target}" TYPE)
  get_target_property(imported "${target}" IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "cuda_consistent_check_target: '${target}' is not built by this project")
  endif()
  get_property(program GLOBAL PROPERTY CudaConsistent_program)
  if(NOT program)
    message(WARNING "cuda_consistent_check_target: '${target}' is not checked, because find_package(CudaConsistent) found no ptxguard")
    return()
  endif()
  foreach(name GPUS DRIVER)
    if(NOT DEFINED target_${name})
      set(target_${name} "${CudaConsistent_${name}}")
    endif()
  endforeach()
  get_property(told GLOBAL PROPERTY CudaConsistent_told_driver)
  if(target_GPUS AND NOT target_DRIVER AND NOT told)
    message(STATUS "CudaConsistent: not checked: whether a driver runs the targets (CudaConsistent_DRIVER)")
    set_property(GLOBAL PROPERTY CudaConsistent_told_driver TRUE)
  endif()
  get_property(judged GLOBAL PROPERTY CudaConsistent_judged_targets)
  set_property(GLOBAL APPEND PROPERTY CudaConsistent_judged_targets "${target}")
  if("${target}" IN_LIST judged AND NOT ARGC GREATER 1)
    return()  # CudaConsistent_CHECK_ALL_TARGETS comes to a target that has its own call
  endif()
  _cuda_consistent_judge_target("${target}")
endfunction()

# Every target of a directory and those below it.
function(_cuda_consistent_check_directory folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type "${target}" TYPE)
    if(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
      cuda_consistent_check_target("${target}")
    endif()
  endforeach()
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(one IN LISTS below)
    _cuda_consistent_check_directory("${one}")
  endforeach()
endfunction()

# Runs at the end of the project, when all targets exist, with the settings of the find_package call.
function(_cuda_consistent_check_all_targets)
  _cuda_consistent_kept_settings()
  _cuda_consistent_check_directory("${CMAKE_SOURCE_DIR}")
endfunction()
