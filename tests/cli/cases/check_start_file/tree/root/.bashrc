# the shell of root
export EDITOR=vi
export CUDA_HOME=/usr/local/cuda-13
