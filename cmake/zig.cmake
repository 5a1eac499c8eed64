# Toolchain file: builds ptxguard for PTXGUARD_ZIG_TARGET (x86_64-linux-gnu.2.17, aarch64-linux-gnu.2.17, x86_64-linux-musl ...)
# with the C++ compiler of the PyPI package ziglang, which PTXGUARD_ZIG_PYTHON has installed. tools/dev/wheels.py uses it.
# SPDX-License-Identifier: Apache-2.0
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PTXGUARD_ZIG_TARGET PTXGUARD_ZIG_PYTHON)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${PTXGUARD_ZIG_TARGET}")
set(CMAKE_SYSTEM_NAME Linux)

set(CMAKE_C_COMPILER "${PTXGUARD_ZIG_PYTHON}" -m ziglang cc -target "${PTXGUARD_ZIG_TARGET}")
set(CMAKE_CXX_COMPILER "${PTXGUARD_ZIG_PYTHON}" -m ziglang c++ -target "${PTXGUARD_ZIG_TARGET}")

set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_BINARY_DIR}/none")

# The build machine's ar does not index objects of another architecture.
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "\"${PTXGUARD_ZIG_PYTHON}\" -m ziglang ar qc <TARGET> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "\"${PTXGUARD_ZIG_PYTHON}\" -m ziglang ranlib <TARGET>")
endforeach()
