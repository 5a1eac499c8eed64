# The compilers that CMake will use are judged, wherever they are set, and no others.
include("${CASES}/late/configure.cmake")
set(nvcc "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80)
set(path "PATH=${tools}/new:/usr/bin:/bin" CXX=/usr/bin/g++ CC=/usr/bin/gcc)

# Good: nvcc does not support the gcc on PATH, and the project names another one.
configure(flags OPTIONS ${nvcc} "-DCMAKE_CUDA_FLAGS=-ccbin /usr/bin/g++" ENVIRONMENT ${path})
configure(flags_of_environment OPTIONS ${nvcc} ENVIRONMENT ${path} CUDAFLAGS=--compiler-bindir=/usr/bin/g++)
configure(flags_before_language OPTIONS ${nvcc} LATE "set(CMAKE_CUDA_FLAGS -ccbin=/usr/bin/g++)" ENVIRONMENT ${path})
configure(flags_enabled OPTIONS ${nvcc} "-DCMAKE_CUDA_FLAGS=-ccbin=/usr/bin/g++" -DENABLED=ON ENVIRONMENT ${path})
configure(host_compiler OPTIONS ${nvcc} LATE "set(CMAKE_CUDA_HOST_COMPILER /usr/bin/g++)" ENVIRONMENT ${path})
configure(host_compiler_of_environment OPTIONS ${nvcc} ENVIRONMENT ${path} CUDAHOSTCXX=/usr/bin/g++)
configure(compiler OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_COMPILER \"${t124}/bin/nvcc\")" ENVIRONMENT "PATH=${tools}/dead:/usr/bin:/bin")
configure(compiler_cached OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_COMPILER \"${t124}/bin/nvcc\" CACHE FILEPATH \"\")"
  ENVIRONMENT "PATH=${tools}/dead:/usr/bin:/bin")

# Bad, though what the call saw is fine: reported instead of CMake's own error.
set(cmake_dies "is not able to compile|Failed to detect|compiler identification is unknown|Compiling the CUDA compiler identification")
configure(bad_host_compiler OPTIONS ${nvcc} LATE "set(CMAKE_CUDA_HOST_COMPILER \"${tools}/new/g++\")" STOPS "error.CC108.: gcc" NOT "${cmake_dies}")
configure(bad_flags OPTIONS ${nvcc} LATE "set(CMAKE_CUDA_FLAGS \"-ccbin ${tools}/new/g++\")" STOPS "error.CC108.: gcc" HAS "CMAKE_CUDA_FLAGS" NOT "${cmake_dies}")
configure(bad_path OPTIONS ${nvcc} ENVIRONMENT ${path} STOPS "error.CC108.: gcc" NOT "${cmake_dies}")
configure(bad_compiler OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_COMPILER \"${tools}/dead/nvcc\")" ENVIRONMENT "PATH=${t124}/bin:/usr/bin:/bin"
  STOPS "error.CC107.: nvcc" NOT "${cmake_dies}")
configure(bad_toolkit OPTIONS -DCMAKE_CUDA_ARCHITECTURES=80 LATE "set(CMAKE_CUDA_COMPILER \"${MIXED}/bin/nvcc\")" ENVIRONMENT "PATH=${t124}/bin:/usr/bin:/bin"
  STOPS "error.CC104.: [^\n]* is mixed" NOT "${cmake_dies}")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/toolchain.cmake" "set(CMAKE_CUDA_COMPILER \"${MIXED}/bin/nvcc\")\nset(CMAKE_CUDA_ARCHITECTURES 80)\n")
configure(bad_toolkit_in_another_way OPTIONS "-DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_BINARY_DIR}/toolchain.cmake" ENVIRONMENT "PATH=${t124}/bin:/usr/bin:/bin"
  STOPS "error.CC104.: [^\n]* is mixed" NOT "${cmake_dies}")
