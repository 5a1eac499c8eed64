include("${cases}/as_pip_leaves_it.cmake")
# ld has no folders of its own: a CUDA runtime of the machine must not decide.
set(environment "PATH=/usr/bin:/bin" "NVCC_APPEND_FLAGS=-Xlinker=-nostdlib" "LDFLAGS=-Wl,-nostdlib" "CUDACXX=${repaired}/bin/nvcc" "CUDAFLAGS=-L${repaired}/lib")
