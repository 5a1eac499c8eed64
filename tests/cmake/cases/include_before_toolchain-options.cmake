# The toolchain file names the broken set; the nvcc on PATH is another one.
list(APPEND options "-DCMAKE_PROJECT_INCLUDE_BEFORE=${SOURCE}/cmake/Modules/CudaConsistentBefore.cmake"
  "-DCMAKE_TOOLCHAIN_FILE=${cases}/include_before_toolchain/toolchain.cmake")
set(environment "TOOLKIT=${mixed}" "PATH=${repaired}/bin:$ENV{PATH}")
