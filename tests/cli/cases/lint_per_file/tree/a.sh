nvcc -arch=sm_80 k.cu -o k.ptx
