# Templates, examples and this repository's own recipes pass `ptxguard lint`: every one is read, and none has a finding of any
# level. Templates of CI systems are read under the names that those systems look for.
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.20...4.1)
file(REMOVE_RECURSE "${WORK}")
set(tree "${WORK}/tree")

# lint(RESULT OUT ARGUMENTS...)
function(lint result out)
  execute_process(COMMAND "${PTXGUARD}" lint --isolated --format oneline ${ARGN} WORKING_DIRECTORY "${tree}"
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${code}" PARENT_SCOPE)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(name templates examples tools/dev CMakeLists.txt CMakePresets.json pyproject.toml)
  get_filename_component(folder "${tree}/${name}" DIRECTORY)
  file(COPY "${SOURCE}/${name}" DESTINATION "${folder}")
endforeach()
foreach(pair "github.yml=.github/workflows/ci.yml" "gitlab.yml=.gitlab-ci.yml")
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 from)
  list(GET pair 1 to)
  configure_file("${SOURCE}/templates/ci/${from}" "${tree}/${to}" COPYONLY)
endforeach()

# Each by its name: a file that is no recipe, or that cannot be read, would pass as part of a folder.
set(recipes CMakeLists.txt CMakePresets.json pyproject.toml .github/workflows/ci.yml .gitlab-ci.yml
  examples/old_driver/CMakeLists.txt examples/plain_cuda/CMakeLists.txt
  templates/ci/step.sh templates/conda/environment.yml templates/conda/recipe.yaml
  templates/cuda-library/CMakeLists.txt templates/cuda-library/CMakePresets.json
  templates/devcontainer/devcontainer.json templates/docker/Dockerfile templates/docker/pytorch.Dockerfile templates/docker/requirements.txt
  templates/pre-commit-mirror/pyproject.toml templates/slurm/prolog.sh
  templates/torch-extension/CMakeLists.txt templates/torch-extension/pyproject.toml)
foreach(recipe . ${recipes})
  lint(code text "${recipe}")
  if(NOT code EQUAL 0 OR NOT text STREQUAL "")
    message(SEND_ERROR "${recipe}: exit code ${code}\n${text}")
  endif()
endforeach()

# A template or example that this list forgets.
file(GLOB_RECURSE files RELATIVE "${tree}" "${tree}/templates/*" "${tree}/examples/*")
foreach(file IN LISTS files)
  lint(code text "${file}")
  if(NOT file IN_LIST recipes AND NOT text MATCHES "is not a recipe")
    message(SEND_ERROR "${file} is a recipe that this test does not name")
  endif()
endforeach()

# expect_finding(RECIPE FROM TO FINDING): a fault that is written into the recipe is found there.
function(expect_finding recipe from to finding)
  file(READ "${tree}/${recipe}" text)
  string(REPLACE "${from}" "${to}" changed "${text}")
  if(changed STREQUAL text)
    message(SEND_ERROR "${recipe} does not contain ${from}")
  endif()
  file(WRITE "${tree}/${recipe}" "${changed}")
  lint(code text "${recipe}")
  if(NOT text MATCHES "${finding}")
    message(SEND_ERROR "${recipe} with ${to}: expected ${finding}, got exit code ${code}\n${text}")
  endif()
endfunction()
expect_finding(templates/docker/Dockerfile "RUN ldconfig" "RUN pip install torch==2.0.0+cu121" "Dockerfile:15:17: error: [^\n]*CC603")
expect_finding(templates/devcontainer/devcontainer.json "--no-index --find-links wheels ptxguard==0.1.0" "torch==2.0.0+cu121"
  "devcontainer.json:7:185: error: [^\n]*CC603")
expect_finding(templates/conda/environment.yml "--find-links wheels\n      - ptxguard==0.1.0" "torch==2.0.0+cu121"
  "environment.yml:13:9: error: [^\n]*CC603")
expect_finding(templates/torch-extension/pyproject.toml "dependencies = [\"torch\"]" "dependencies = [\"torch==2.0.0+cu121\"]"
  "pyproject.toml:9:18: error: [^\n]*CC603")
expect_finding(.gitlab-ci.yml "\"$PTXGUARD_WHEEL\"" "torch==2.0.0+cu121" ".gitlab-ci.yml:10:[0-9]+: error: [^\n]*CC603")
expect_finding(.github/workflows/ci.yml "python3-venv" "python3-venv && pip install torch==2.0.0+cu121" "ci.yml:11:[0-9]+: error: [^\n]*CC603")
expect_finding(templates/slurm/prolog.sh "exec timeout" "pip install torch==2.0.0+cu121; exec timeout" "prolog.sh:5:13: error: [^\n]*CC603")
