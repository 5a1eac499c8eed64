# A required package where no CUDA toolkit is: an error at the end of the project, and none where it is not required.
include("${CASES}/late/configure.cmake")
if(EXISTS /usr/local/cuda/bin/nvcc OR EXISTS /usr/bin/nvcc)  # it would be found
  return()
endif()
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/cpu/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20...4.1)
project(Cpu LANGUAGES CXX)
list(PREPEND CMAKE_MODULE_PATH \"\${MODULES}\")
find_package(CudaConsistent \${WANTED})
")
set(cpu SOURCE "${CMAKE_CURRENT_BINARY_DIR}/cpu" ENVIRONMENT PATH=/usr/bin:/bin)
configure(required ${cpu} OPTIONS -DWANTED=REQUIRED STOPS "no CUDA toolkit was found: set CMAKE_CUDA_COMPILER")
configure(wished ${cpu} OPTIONS -DWANTED=)
configure(quiet ${cpu} OPTIONS -DWANTED=QUIET NOT "CUDA")
