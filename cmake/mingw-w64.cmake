# Toolchain file: builds ptxguard.exe on Linux (Debian, Ubuntu: apt-get install g++-mingw-w64-x86-64-posix wine64) and
# runs its tests with wine, in a wine folder of their own inside the build.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

# The "posix" flavour has std::thread and std::mutex.
find_program(PTXGUARD_MINGW_CXX NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++ REQUIRED)
set(CMAKE_CXX_COMPILER "${PTXGUARD_MINGW_CXX}")
string(REPLACE "g++" "gcc" CMAKE_C_COMPILER "${PTXGUARD_MINGW_CXX}")
# Clang without optimising takes half the time of GCC; it gets GCC's standard library.
set(PTXGUARD_MINGW_CLANG "" CACHE FILEPATH "The clang++ that compiles in place of GCC, with lld: for tests in less time")
set(libraries "")
if(PTXGUARD_MINGW_CLANG)
  execute_process(COMMAND "${PTXGUARD_MINGW_CXX}" -print-libgcc-file-name OUTPUT_VARIABLE gcc OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(gcc "${gcc}" DIRECTORY)
  set(CMAKE_CXX_COMPILER "${PTXGUARD_MINGW_CLANG}")
  set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
  # type_info's comparison is the library's: lld accepts no second definition. GNU ld takes minutes for Clang's sections.
  set(CMAKE_CXX_FLAGS_INIT "-stdlib++-isystem ${gcc}/include/c++ -cxx-isystem ${gcc}/include/c++/x86_64-w64-mingw32 -D__GXX_TYPEINFO_EQUALITY_INLINE=0")
  set(libraries "-L${gcc} -fuse-ld=lld -lwinpthread -Wl,--stack,8388608")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PTXGUARD_MINGW_CLANG)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s ${libraries}")

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(PTXGUARD_WINE NAMES wine64 wine64-stable wine PATHS /usr/lib/wine)
if(PTXGUARD_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_COMMAND};-E;env;WINEDEBUG=-all;WINEDLLOVERRIDES=mscoree,mshtml=;WINEPREFIX=${CMAKE_BINARY_DIR}/wine;${PTXGUARD_WINE}")
endif()
