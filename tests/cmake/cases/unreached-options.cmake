include("${cases}/as_pip_leaves_it.cmake")
# ld has no folders of its own: a CUDA runtime of the machine must not decide.
set(environment "PATH=/usr/bin:/bin" "NVCC_APPEND_FLAGS=-Xlinker=-nostdlib" "LDFLAGS=-Wl,-nostdlib")
list(APPEND options -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF)  # nor an nvcc in /usr/local/bin
