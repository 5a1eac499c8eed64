# Each kind of fault that real projects showed, once, in both directions: with every CMake and every generator. late_*.cmake have more
# of each kind.
include("${CASES}/late/configure.cmake")
set(nvcc "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc")
set(machine ${nvcc} "-DCudaConsistent_DRIVER_LIBS=${d535}" -DCudaConsistent_GPUS=A100)
set(before "-DCMAKE_PROJECT_INCLUDE_BEFORE=${MODULES}/CudaConsistentBefore.cmake" -DUNEDITED=ON)
set(refused "PATH=${tools}/new:/usr/bin:/bin" CXX=/usr/bin/g++ CC=/usr/bin/gcc)
set(dead "PATH=${tools}/dead:/usr/bin:/bin")

# 1. Drivers and GPUs are compared with the list of every place, not with the one at find_package.
configure(f1_good LATE "set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real)" OPTIONS ${nvcc} "-DCudaConsistent_DRIVER_LIBS=${d535}" "-DCudaConsistent_GPUS=A100;H100")
configure(f1_bad OPTIONS ${machine} -DCMAKE_CUDA_ARCHITECTURES=80-real TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-virtual)"
  STOPS "error.CC202.: driver 535[^\n]* refuses the PTX 8.4 of this build .CUDA_ARCHITECTURES of target x" HAS "Unsupported .version 8.4; current version is '8.2'")

# 2. The compilers are those that CMake will use.
configure(f2_good OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 "-DCMAKE_CUDA_FLAGS=-ccbin /usr/bin/g++" ENVIRONMENT ${refused})
configure(f2_good_late OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_COMPILER \"${t124}/bin/nvcc\")\nset(CMAKE_CUDA_HOST_COMPILER /usr/bin/g++)"
  ENVIRONMENT ${refused} "PATH=${tools}/dead:${tools}/new:/usr/bin:/bin")
configure(f2_bad OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_HOST_COMPILER \"${tools}/new/g++\")"
  STOPS "error.CC108.: gcc" HAS "-DCMAKE_CUDA_HOST_COMPILER=g[+][+]-13" NOT "is not able to compile|Failed to detect")

# 3. The program is built at the first use: what it says, and what the next try keeps.
set(sources "${CMAKE_CURRENT_BINARY_DIR}/sources")
file(MAKE_DIRECTORY "${sources}/cmake")
file(COPY "${MODULES}" DESTINATION "${sources}/cmake")
file(WRITE "${sources}/tools/ptxguard/main.cpp" "#include <unistd.h>\nint main(int, char** words) { return execv(\"${CudaConsistent_PTXGUARD}\", words); }\n")
file(WRITE "${sources}/tools/ptxguard/other.cpp" "int other() { return 0; }\n")
file(WRITE "${sources}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES CXX)
add_executable(ptxguard tools/ptxguard/main.cpp tools/ptxguard/other.cpp)
add_custom_command(TARGET ptxguard PRE_LINK COMMAND sh \"${sources}/link.sh\")
")
file(GLOB_RECURSE files "${sources}/*")
execute_process(COMMAND touch -d "1 hour ago" ${files})
set(first OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 -DCudaConsistent_PTXGUARD= "-DMODULES=${sources}/cmake/Modules"
  ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache" PATH=/usr/bin:/bin)
file(WRITE "${sources}/link.sh" "exit 1\n")
configure(f3_fails ${first} STOPS "ptxguard could not be provided .build." HAS "Building ptxguard 0.1.0 .about [0-9]+ min[^\n]* - failed after [0-9]+ min")
# Objects of the last minute may be half written: main.o goes, other.o stays.
execute_process(COMMAND find "${CMAKE_CURRENT_BINARY_DIR}/cache" -type f -exec touch -d "20 minutes ago" {} +)
execute_process(COMMAND find "${CMAKE_CURRENT_BINARY_DIR}/cache" -name "other*.o" -exec touch -d "10 minutes ago" {} +)
execute_process(COMMAND find "${CMAKE_CURRENT_BINARY_DIR}/cache" -name "main*.o" -exec touch {} +)
file(WRITE "${sources}/link.sh" "find '${CMAKE_CURRENT_BINARY_DIR}/cache' -name 'other*.o' -mmin +5 > '${sources}/kept'\n")
configure(f3_again ${first} HAS "Building ptxguard 0.1.0 [^\n]* - done in [0-9]+ min")
file(READ "${sources}/kept" kept)
if(NOT kept)
  message(SEND_ERROR "the next try compiled everything again")
endif()

# 4. Spellings that CMake hands on, or refuses itself.
configure(f4_target OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 8.0)"
  STOPS "error.CC203.: CUDA_ARCHITECTURES of target x: '8.0' is no architecture" HAS "to \"80\"")
configure(f4_variable OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=sm_80 STOPS "error.CC203.: CMAKE_CUDA_ARCHITECTURES of the command line or preset: 'sm_80' is no" NOT "is not one of the following")

# 5. A project without CUDA is left alone, whatever is on PATH.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/plain/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20...4.1)\nproject(Plain LANGUAGES CXX)\n")
configure(f5_good OPTIONS ${before} SOURCE "${CMAKE_CURRENT_BINARY_DIR}/plain" ENVIRONMENT ${dead} NOT "CUDA toolchain|CudaConsistent_|ptxguard check")
configure(f5_bad OPTIONS ${before} -DCMAKE_CUDA_ARCHITECTURES=80 ENVIRONMENT ${dead} STOPS "error.CC107.: nvcc" NOT "identification is unknown")

# 6. nvcc as C++ compiler, behind a wrapper with an architecture of its own.
file(WRITE "${tools}/wrapper/nvcc_wrapper" "#!/bin/sh\nexec '${REPAIRED}/bin/nvcc' -arch=sm_30 \"$@\"\n")
execute_process(COMMAND chmod +x "${tools}/wrapper/nvcc_wrapper")
configure(f6_bad OPTIONS ${before} "-DCMAKE_CXX_COMPILER=${tools}/wrapper/nvcc_wrapper" SOURCE "${CMAKE_CURRENT_BINARY_DIR}/plain"
  ENVIRONMENT "PATH=${REPAIRED}/bin:/usr/bin:/bin" STOPS "error.CC203.: nvcc 13.0.88 does not support sm_30" NOT "is not able to compile|compiler identification")

# 7. `native` without a GPU.
if(NOT EXISTS /dev/nvidia0 AND NOT EXISTS /dev/dxg)
  configure(f7_bad OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=native "-DCudaConsistent_GPUS=RTX 3090" STOPS "error.CC211." HAS "to \"86-real\"")
endif()

# 8. Another toolkit than the one that is named outright is for other programs.
configure(f8_good OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 -DCudaConsistent_FAIL_ON=warning ENVIRONMENT "CUDA_HOME=${MIXED}" "PATH=${MIXED}/bin:/usr/bin:/bin"
  NOT "export (CUDA_HOME|PATH)")

# 9. Programs that are not this module's ptxguard.
file(WRITE "${tools}/old/ptxguard" "#!/bin/sh\n[ \"$1\" = --version ] && echo 'ptxguard 0.0.9'\n")
file(WRITE "${tools}/mute/ptxguard" "#!/bin/sh\n[ \"$1\" = --version ] && exec '${CudaConsistent_PTXGUARD}' --version\n")
execute_process(COMMAND chmod +x "${tools}/old/ptxguard" "${tools}/mute/ptxguard")
configure(f9_old OPTIONS "-DCudaConsistent_PTXGUARD=${tools}/old/ptxguard" STOPS "is ptxguard 0.0.9, and this module is 0.1.0")
configure(f9_mute OPTIONS "-DCudaConsistent_PTXGUARD=${tools}/mute/ptxguard" STOPS "printed no results: it is not the ptxguard of this module")
configure(f9_relative OPTIONS -DCudaConsistent_PTXGUARD=./ptxguard STOPS "[.]/ptxguard is a relative path")

# 10. Settings are named as the project sets them.
configure(f10_option OPTIONS ${nvcc} -DCudaConsistent_FAIL_ON=bogus STOPS "CudaConsistent_FAIL_ON cannot be 'bogus'" NOT "without a result|--fail-on")
configure(f10_origin OPTIONS ${nvcc} -DCudaConsistent_DRIVER=470 -DCMAKE_CUDA_ARCHITECTURES=80-real STOPS "error.CC208." HAS "CudaConsistent_DRIVER" NOT "--driver")

# 11. What findings say.
configure(f11_dropped OPTIONS "-DCMAKE_CUDA_COMPILER=${REPAIRED}/bin/nvcc" "-DCMAKE_CUDA_ARCHITECTURES=50;60;70"
  STOPS "does not support sm_50, sm_60 and sm_70 .dropped, last supported by CUDA 12.9.\n" HAS "set CMAKE_CUDA_ARCHITECTURES of the command line or preset to \"75\", the nearest that nvcc 13.0.88")
configure(f11_flags OPTIONS "-DCMAKE_CUDA_COMPILER=${REPAIRED}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80 ENABLED "set(CMAKE_CUDA_FLAGS -arch=sm_50)"
  STOPS "error.CC203." HAS "replace sm_50 in CMAKE_CUDA_FLAGS of the top folder with sm_75")
file(WRITE "${tools}/lame/nvcc" "#!/bin/sh\necho 'nvcc: libstdc++.so.6: version GLIBCXX_3.4.99 not found' >&2\nexit 1\n")
execute_process(COMMAND chmod +x "${tools}/lame/nvcc")
configure(f11_output OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 ENVIRONMENT "PATH=${tools}/lame:/usr/bin:/bin" STOPS "error.CC107." HAS "GLIBCXX_3.4.99 not found" NOT "export CUDA_HOME")
configure(f11_status ENABLED "set(CMAKE_CUDA_ARCHITECTURES 80-real)" OPTIONS ${machine}
  HAS "ok, no problems found: nvcc 12.4.131 at [^\n]*, PTX 8.4, driver 535.261.03, A100 .sm_80.; not checked: frameworks")
