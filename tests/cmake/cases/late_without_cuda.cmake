# CudaConsistentBefore.cmake leaves projects without CUDA alone, whatever lies on PATH.
include("${CASES}/late/configure.cmake")
set(before "-DCMAKE_PROJECT_INCLUDE_BEFORE=${MODULES}/CudaConsistentBefore.cmake")
set(folder "${CMAKE_CURRENT_BINARY_DIR}/plain")
file(WRITE "${folder}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20...4.1)
project(Plain LANGUAGES CXX)
file(WRITE \"\${CMAKE_BINARY_DIR}/a.cpp\" \"int main() {}\\n\")
add_executable(a \"\${CMAKE_BINARY_DIR}/a.cpp\")
")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/absent/CMakeLists.txt" "cmake_minimum_required(VERSION 3.20...4.1)
project(Absent LANGUAGES CXX)
find_package(CUDAToolkit QUIET)
")
foreach(which plain absent)
  foreach(path "${tools}/dead:/usr/bin:/bin" "/usr/bin:/bin" "${MIXED}/bin:/usr/bin:/bin")
    string(SHA1 name "${which}${path}")
    configure(${name} OPTIONS ${before} SOURCE "${CMAKE_CURRENT_BINARY_DIR}/${which}" ENVIRONMENT "PATH=${path}" NOT "CUDA toolchain|CudaConsistent_|ptxguard check")
  endforeach()
endforeach()
# With CUDA, the same file judges what enable_language(CUDA) will use.
configure(dead OPTIONS ${before} -DUNEDITED=ON -DCMAKE_CUDA_ARCHITECTURES=80 ENVIRONMENT "PATH=${tools}/dead:/usr/bin:/bin" STOPS "error.CC107.: nvcc" NOT "identification is unknown")
configure(other OPTIONS ${before} -DUNEDITED=ON -DCMAKE_CUDA_ARCHITECTURES=80 ENVIRONMENT "PATH=${tools}/dead:/usr/bin:/bin"
  LATE "set(CMAKE_CUDA_COMPILER \"${t124}/bin/nvcc\")" HAS "Checking CUDA toolchain")
configure(list OPTIONS ${before} -DUNEDITED=ON "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=20 STOPS "error.CC203.: [^\n]*sm_20"
  NOT "is not able to compile")
configure(target OPTIONS ${before} -DUNEDITED=ON "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80 "-DCudaConsistent_DRIVER_LIBS=${d535}"
  TARGET "set_property(TARGET x PROPERTY CUDA_ARCHITECTURES 80-virtual)" STOPS "error.CC202.")
