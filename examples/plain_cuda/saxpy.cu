// y = a * x + y, checked on the host.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
    const int n = 1 << 16;
    std::vector<float> x(n, 2.0f), y(n, 1.0f);
    float *device_x, *device_y;
    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, device_x, device_y);
    cudaError_t error = cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "saxpy: %s\n", cudaGetErrorString(error));
        return 1;
    }
    std::printf("y[0] = %g\n", y[0]);
    return y[0] == 7.0f ? 0 : 1;
}
