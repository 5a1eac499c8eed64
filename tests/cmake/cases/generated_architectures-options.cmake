# CMake links when it tries the compiler. A wheel's nvcc looks in lib64, its libraries lie in lib.
set(environment "LIBRARY_PATH=${repaired}/lib")
