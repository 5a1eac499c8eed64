# Toolchain file: builds ptxguard.exe on Linux (Debian, Ubuntu: apt-get install g++-mingw-w64-x86-64-posix wine64) and
# runs its tests with wine, in a wine folder of their own inside the build.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

# The "posix" flavour has std::thread and std::mutex.
find_program(PTXGUARD_MINGW_CXX NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++ REQUIRED)
set(CMAKE_CXX_COMPILER "${PTXGUARD_MINGW_CXX}")
string(REPLACE "g++" "gcc" CMAKE_C_COMPILER "${PTXGUARD_MINGW_CXX}")
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(PTXGUARD_WINE NAMES wine64 wine64-stable wine PATHS /usr/lib/wine)
if(PTXGUARD_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_COMMAND};-E;env;WINEDEBUG=-all;WINEDLLOVERRIDES=mscoree,mshtml=;WINEPREFIX=${CMAKE_BINARY_DIR}/wine;${PTXGUARD_WINE}")
endif()
