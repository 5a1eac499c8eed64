# SPDX-License-Identifier: Apache-2.0
#[====[.rst:
FindCudaConsistent
------------------

Checks before anything is compiled whether nvcc, ptxas, the target architectures, the driver and the frameworks of this
build work together. Can be called before or after the CUDA language is enabled, and by ``cmake -P``, which puts its files
into ``CudaConsistent`` in the working folder.

.. code-block:: cmake

  find_package(CudaConsistent REQUIRED COMPONENTS PyTorch)

Getting the module
^^^^^^^^^^^^^^^^^^

From a folder (``ptxguard --cmake-dir`` prints that of an installed one):

.. code-block:: cmake

  list(APPEND CMAKE_MODULE_PATH path/to/CudaConsistent/cmake/Modules)
  find_package(CudaConsistent 0.1 REQUIRED)

As an installed package, which is also found in an active Python or conda environment:

.. code-block:: cmake

  list(APPEND CMAKE_PREFIX_PATH path/to/prefix)
  find_package(CudaConsistent 0.1 REQUIRED)

As a part of the project, which then builds and installs nothing of it:

.. code-block:: cmake

  include(FetchContent)
  FetchContent_Declare(CudaConsistent SOURCE_DIR path/to/CudaConsistent OVERRIDE_FIND_PACKAGE)  # or GIT_REPOSITORY ...
  find_package(CudaConsistent REQUIRED)  # before CMake 3.24: FetchContent_MakeAvailable(CudaConsistent) above it

.. code-block:: cmake

  add_subdirectory(path/to/CudaConsistent CudaConsistent)
  find_package(CudaConsistent REQUIRED)

.. code-block:: cmake

  include(CPM.cmake)
  CPMAddPackage(NAME CudaConsistent SOURCE_DIR path/to/CudaConsistent)  # or GIT_REPOSITORY ...
  find_package(CudaConsistent REQUIRED)

In a project that must not be edited:

.. code-block:: sh

  cmake -S . -B build -DCMAKE_PROJECT_INCLUDE_BEFORE=path/to/CudaConsistent/cmake/Modules/CudaConsistentBefore.cmake

A superbuild hands this variable on in ``CMAKE_ARGS`` of its ``ExternalProject_Add``.

Settings that differ between machines belong into presets; a compiler launcher and a toolchain file work as ever. nvcc takes headers
and libraries for another machine from its folder ``targets`` (package ``cuda-cross-sbsa``).

.. code-block:: json

  {
    "version": 3,
    "configurePresets": [{
      "name": "cluster", "binaryDir": "${sourceDir}/build", "generator": "Ninja",
      "cacheVariables": {
        "CMAKE_CUDA_ARCHITECTURES": "80-real;90", "CudaConsistent_GPUS": "A100;H100", "CudaConsistent_DRIVER": "580.65.06"
      }
    }]
  }

.. code-block:: sh

  cmake -S . -B build -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache

.. code-block:: cmake

  # toolchain file
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
  set(CMAKE_CUDA_HOST_COMPILER aarch64-linux-gnu-g++)

What is checked
^^^^^^^^^^^^^^^

Three moments decide, each what it knows. A required package stops the configure there:

``find_package``
  the frameworks (``COMPONENTS``), and settings that cannot be read. The toolkit that CMake would use now is reported, and an error
  about it is left to the next moment, because the project may still set a compiler. It counts here if CUDA is enabled already, if
  ``CudaConsistent_TOOLKIT`` names the toolkit, and if the package is not required: ``CudaConsistent_FOUND`` is false then.
``enable_language(CUDA)``, before CMake tries the compiler
  toolkit, compiler, host compiler (``CMAKE_CUDA_HOST_COMPILER``, ``CUDAHOSTCXX``, ``-ccbin`` in ``CMAKE_CUDA_FLAGS`` and
  ``CUDAFLAGS``) and architectures that nvcc refuses, wherever the project, a preset or a toolchain file has set them. Where Clang
  compiles CUDA, nvcc is not judged, and Clang's own error at the smallest kernel is printed. An nvcc that does not find its
  libraries for the link (PyPI's nvcc) is reported with the values to set. A project that never enables CUDA is decided at its end. If ``check_language(CUDA)`` or a required
  ``find_package(CUDAToolkit)`` finds no CUDA that works, the cause is a warning, because the project may go on without CUDA.
the end of the project
  the architectures of every place, against nvcc and every driver and GPU that is named or found: ``CUDA_ARCHITECTURES`` of each
  target that ``all`` builds or links, and ``-arch`` and ``-gencode`` in ``CMAKE_CUDA_FLAGS`` (of the configurations that are
  built), in compile options of targets, directories and sources, in those that libraries hand on to a target that compiles CUDA,
  and in the flags of FindCUDA's calls: ``CUDA_NVCC_FLAGS`` as they are in the call, and ``OPTIONS``. What the project defers with
  ``cmake_language(DEFER)`` counts. A generator expression in ``CUDA_ARCHITECTURES`` is an error: CMake does not evaluate it there.
  Flags that name architectures, ``--options-file`` or ``-ccbin`` are also passed to a dry run of nvcc as a whole. What cannot be read
  is printed as ``not checked: ...``: an options file that the build writes.

``CudaConsistent_ARCHITECTURES``, and with PyTorch ``TORCH_CUDA_ARCH_LIST``, name what is built whatever CMake's lists are, and are
checked by ``find_package`` itself. Compile options in generator expressions that only CMake's
generator can evaluate are checked by the build, before the first object of a CUDA target compiles. CUDA sources that a target
lists and CMake ignores, because the project does not enable CUDA, and those of a project that found no CUDA compiler are reported
(CC618), except where an option of the project for CUDA or GPUs is off.

Components
  Frameworks that this project must match, as reports print them: ``PyTorch``, ``TensorFlow``, ``JAX``, ``ONNXRuntime`` and the
  others that README.md names. Libraries that it links: ``cuDNN``, ``cuBLAS``. Without a framework among the components,
  every framework found is checked. Upper and lower case are the same. With a version
  (``PyTorch==2.11``, ``cuDNN>=9``, ``"PyTorch>=2.11,<3"``), an installed one must be of it.

.. code-block:: cmake

  find_package(CudaConsistent REQUIRED COMPONENTS PyTorch==2.11 OPTIONAL_COMPONENTS JAX)
  if(CudaConsistent_JAX_FOUND)
    message(STATUS "JAX fits, too")
  endif()

With ``cmake --sarif-output=FILE`` (CMake 4.0) the findings that stop the configure are in FILE.

Imported Targets
  ``CudaConsistent::ptxguard``  the program that runs the checks

Result Variables
  ``CudaConsistent_FOUND``             nothing at or above ``CudaConsistent_FAIL_ON`` was found
  ``CudaConsistent_<component>_FOUND`` the framework was found and could be read; the library was found
  ``CudaConsistent_OK``                like ``CudaConsistent_FOUND``, but ignores the components
  ``CudaConsistent_VERSION``           version of this module
  ``CudaConsistent_VERDICT``           ``pass``, ``fail``, ``unknown`` or ``not_checked`` (no CUDA here; an error at the end of a
                                       project that requires the package)
  ``CudaConsistent_FINDINGS``          codes of the findings that are not suppressed
  ``CudaConsistent_REPORT``            path of the JSON report
  ``CudaConsistent_NVCC``, ``CudaConsistent_PTXAS``  programs that this build uses; empty if there is none
  ``CudaConsistent_PTX_VERSION``       PTX ISA version that this nvcc emits
  ``CudaConsistent_ARCHITECTURES_OK``  the requested architectures that this toolkit supports, in CMake's notation

Hints (set before the call)
  ``CudaConsistent_ARCHITECTURES`` (default: ``CMAKE_CUDA_ARCHITECTURES``, and with the component PyTorch
  ``TORCH_CUDA_ARCH_LIST``), ``CudaConsistent_DRIVER``, ``CudaConsistent_DRIVER_LIBS``, ``CudaConsistent_GPUS``,
  ``CudaConsistent_TOOLKIT``, ``CudaConsistent_PYTHON`` (default: ``Python_EXECUTABLE`` or ``Python3_EXECUTABLE``),
  ``CudaConsistent_REQUIRE`` (driver, gpu, framework, toolkit), ``CudaConsistent_SETTINGS``, ``CudaConsistent_IGNORE``
  (list of ``CODE=reason``), ``CudaConsistent_FAIL_ON`` (error, warning, unknown, never), ``CudaConsistent_PROBE``
  (auto, off, full), ``CudaConsistent_PTXGUARD`` (program to use), ``CudaConsistent_PROVIDE`` (where no program of this version is
  installed: ``build`` compiles it once per user, the default; ``pip`` installs the wheel with a hash of
  ``CudaConsistent_WHEEL_HASH`` from ``CudaConsistent_WHEELS``, a folder or an index; ``off``), ``CudaConsistent_CHECK_ALL_TARGETS`` (check every
  target of the project after its link)

Commands
  ``cuda_consistent_check_target(<target> [GPUS <gpu>...] [DRIVER <version>...])`` checks a linked target: which GPUs run
  it and which CUDA libraries it will load (``CudaConsistent/check_target.cmake``)

.. code-block:: cmake

  set(CudaConsistent_GPUS A100 H100)
  set(CudaConsistent_DRIVER 580.65.06)
  set(CudaConsistent_IGNORE "CC103=the second toolkit is for another project")
  find_package(CudaConsistent REQUIRED)
  enable_language(CUDA)
  cuda_consistent_check_target(my_extension)                # for these GPUs and this driver
  cuda_consistent_check_target(my_library GPUS 9.0)         # for others

The package adds no variable to the cache, except ``FIND_PACKAGE_MESSAGE_DETAILS_CudaConsistent`` of CMake's own find_package, and
changes no compile command of a project that it finds good. Its files are in ``CudaConsistent`` in the build tree.

The C++ standard and ABI of the project come from ``CMAKE_CUDA_STANDARD``, ``CMAKE_CXX_STANDARD`` and from
``_GLIBCXX_USE_CXX11_ABI`` in flags and definitions.
#]====]

if(CMAKE_VERSION VERSION_LESS 3.20)
  set(CudaConsistent_FOUND FALSE)
  set(CudaConsistent_NOT_FOUND_MESSAGE "CudaConsistent needs CMake 3.20 or newer, this is ${CMAKE_VERSION}: pip install cmake")
  if(CudaConsistent_FIND_REQUIRED)
    message(FATAL_ERROR "${CudaConsistent_NOT_FOUND_MESSAGE}")
  elseif(NOT CudaConsistent_FIND_QUIETLY)
    message(STATUS "${CudaConsistent_NOT_FOUND_MESSAGE}")
  endif()
  return()
endif()

cmake_policy(VERSION 3.20...4.1)
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/bootstrap.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/arguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/check.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/reach.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/check_target.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/architectures.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CudaConsistent/moments.cmake")

set(CudaConsistent_VERSION 0.1.0)
set(CudaConsistent_VERDICT unknown)
foreach(_CudaConsistent_name FINDINGS REPORT NVCC PTXAS PTX_VERSION ARCHITECTURES_OK)
  set(CudaConsistent_${_CudaConsistent_name} "")
endforeach()
foreach(_CudaConsistent_name IN LISTS CudaConsistent_FIND_COMPONENTS)
  set(CudaConsistent_${_CudaConsistent_name}_FOUND FALSE)
  string(REGEX REPLACE "[<>=].*" "" _CudaConsistent_name "${_CudaConsistent_name}")  # PyTorch==2.11
  set(CudaConsistent_${_CudaConsistent_name}_FOUND FALSE)
endforeach()

_cuda_consistent_bootstrap("${CudaConsistent_VERSION}" _CudaConsistent_program _CudaConsistent_reason)
if(_CudaConsistent_program)
  set(CudaConsistent_PTXGUARD_EXECUTABLE "${_CudaConsistent_program}")
  if(NOT CMAKE_SCRIPT_MODE_FILE)  # cmake -P has no targets
    if(NOT TARGET CudaConsistent::ptxguard)
      add_executable(CudaConsistent::ptxguard IMPORTED)
      set_target_properties(CudaConsistent::ptxguard PROPERTIES IMPORTED_LOCATION "${_CudaConsistent_program}")
    endif()
    set_property(GLOBAL PROPERTY CudaConsistent_program "${_CudaConsistent_program}")
    if(CudaConsistent_CHECK_ALL_TARGETS)
      _cuda_consistent_later(_cuda_consistent_check_all_targets)
    endif()
    _cuda_consistent_watch()
  endif()
  _cuda_consistent_misspelt()
  if(_CudaConsistent_before)  # CUDA is being enabled
    set(_CudaConsistent_enabled TRUE)
  else()
    _cuda_consistent_cuda_is_enabled(_CudaConsistent_enabled)
  endif()
  if(_CudaConsistent_before STREQUAL "the end")
    set(CudaConsistent_OK TRUE)
  else()
    _cuda_consistent_check_toolkit("${_CudaConsistent_program}" "${_CudaConsistent_enabled}" CudaConsistent_OK _CudaConsistent_reason)
  endif()
  if(CudaConsistent_OK AND CudaConsistent_TOOLKIT AND NOT _CudaConsistent_enabled)  # else the compiler is not known yet
    _cuda_consistent_reach("${CudaConsistent_NVCC}")
  endif()
else()
  set(CudaConsistent_PTXGUARD_EXECUTABLE "")
  set(CudaConsistent_OK FALSE)
endif()

get_property(_CudaConsistent_described GLOBAL PROPERTY CudaConsistent_described)
if(NOT CMAKE_SCRIPT_MODE_FILE AND NOT _CudaConsistent_described)  # a second description would be a warning
  set_property(GLOBAL PROPERTY CudaConsistent_described TRUE)
  get_property(_CudaConsistent_open GLOBAL PROPERTY CudaConsistent_open)
  set(_CudaConsistent_described "${CudaConsistent_VERDICT}")
  if(_CudaConsistent_open)
    set(_CudaConsistent_described "decided when CUDA is enabled")
  endif()
  include(FeatureSummary)
  set_package_properties(CudaConsistent PROPERTIES DESCRIPTION "check of the CUDA toolchain: ${_CudaConsistent_described}")
endif()

if(_CudaConsistent_program AND NOT CudaConsistent_OK)  # the package is there: CMake's "Could NOT find" would mislead
  set(CudaConsistent_FOUND FALSE)
  if(CudaConsistent_FIND_REQUIRED)
    # `cmake --sarif-output` has errors, not notices: this one names every finding. message() wraps lines that are not indented.
    _cuda_consistent_fail(FATAL_ERROR "CUDA toolchain check failed:\n  ${_CudaConsistent_reason}")
  elseif(NOT CudaConsistent_FIND_QUIETLY)
    message(STATUS "CUDA toolchain check failed: ${_CudaConsistent_reason}")
  endif()
else()
  # This function splits its arguments as a list twice.
  string(REPLACE ";" "\\\\;" _CudaConsistent_reason "${_CudaConsistent_reason}")
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(CudaConsistent
    REQUIRED_VARS CudaConsistent_PTXGUARD_EXECUTABLE
    VERSION_VAR CudaConsistent_VERSION
    HANDLE_VERSION_RANGE
    HANDLE_COMPONENTS
    REASON_FAILURE_MESSAGE "${_CudaConsistent_reason}")
endif()

foreach(_CudaConsistent_name program reason enabled described open)
  unset(_CudaConsistent_${_CudaConsistent_name})
endforeach()
unset(_CudaConsistent_name)
