#include "saxpy.h"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int saxpy(int n, float a, const float* x, float* y) {
    if (n > 0) saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, x, y);
    return cudaGetLastError();
}
