# A configure after the toolkit was exchanged, and compilers that are none.
include("${CASES}/late/configure.cmake")
set(link "${CMAKE_CURRENT_BINARY_DIR}/cuda")
set(folder "${CMAKE_CURRENT_BINARY_DIR}/build-exchanged")
set(nvcc "-DCMAKE_CUDA_COMPILER=${link}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80)
set(kept "CMake[ \n]+has[ \n]+kept[ \n]+nvcc[ \n]+13.0.88")
execute_process(COMMAND "${CMAKE_COMMAND}" -E create_symlink "${REPAIRED}" "${link}")
configure(exchanged OPTIONS ${nvcc})
configure(exchanged OPTIONS ${nvcc} NOT "${kept}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E create_symlink "${t124}" "${link}")
configure(exchanged OPTIONS ${nvcc} HAS "${kept}.*now[ \n]+nvcc[ \n]+12.4")

# The status line has the nvcc, even where variables name another toolkit.
configure(two OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 ENVIRONMENT "CUDACXX=${t124}/bin/nvcc" "CUDA_HOME=${REPAIRED}" HAS "ok, [^\n]*: nvcc 12.4[^\n]* at ")

# A launcher in front of the compiler.
file(WRITE "${tools}/cache/ccache" "#!/bin/sh\necho \"ccache: unrecognized option '$1'\" >&2\nexit 1\n")
execute_process(COMMAND chmod +x "${tools}/cache/ccache")
configure(launcher OPTIONS "-DCMAKE_CUDA_COMPILER=${tools}/cache/ccache" STOPS "error.CC107." HAS "set CMAKE_CUDA_COMPILER_LAUNCHER to ccache")

# Clang says what it does not compile; CMake would not.
file(WRITE "${tools}/clang/clang++" "#!/bin/sh
echo 'clang: warning: CUDA version 13.0 is newer than the latest supported version 11.5 [-Wunknown-cuda-version]' >&2
echo \"texture.h:7:13: error: no template named 'texture'\" >&2
exit 1
")
execute_process(COMMAND chmod +x "${tools}/clang/clang++")
configure(clang OPTIONS "-DCMAKE_CUDA_COMPILER=${tools}/clang/clang++" -DCMAKE_CUDA_ARCHITECTURES=80 "-DCUDAToolkit_ROOT=${REPAIRED}"
  STOPS "does not compile CUDA with the toolkit at [^\n]*: CUDA version 13.0 is newer than the latest supported version 11.5; error: no template named")

# FindCUDA's host compiler: the fix names the variable.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/old/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20)
project(Old LANGUAGES C CXX)
list(PREPEND CMAKE_MODULE_PATH \"\${MODULES}\")
find_package(CudaConsistent REQUIRED)
find_package(CUDA REQUIRED)
file(WRITE \"\${CMAKE_BINARY_DIR}/k.cu\" \"\")
list(APPEND CUDA_NVCC_FLAGS \${FLAGS})
cuda_add_library(x STATIC \"\${CMAKE_BINARY_DIR}/k.cu\")
")
set(old SOURCE "${CMAKE_CURRENT_BINARY_DIR}/old")
set(options "-DCUDA_TOOLKIT_ROOT_DIR=${REPAIRED}" -Wno-dev -Wno-error=dev)
configure(old_flags ${old} OPTIONS ${options} "-DFLAGS=-ccbin;/absent/gcc" STOPS "error.CC107." HAS "name an installed one in CUDA_NVCC_FLAGS")
configure(old_variable ${old} OPTIONS ${options} -DCUDA_HOST_COMPILER=/absent/gcc STOPS "error.CC107." HAS "name an installed one in CUDA_HOST_COMPILER")
configure(old_good ${old} OPTIONS ${options} -DCUDA_HOST_COMPILER=/usr/bin/gcc)
