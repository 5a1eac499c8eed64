// The sources that the probes compile.
// SPDX-License-Identifier: Apache-2.0
#include "probe/ptx_source.hpp"

namespace ptxguard {

const char* const k_probe_source =
    R"cuda(// Made by ptxguard to see whether this toolchain works; safe to delete.
__device__ unsigned int ptxguard_blocks;

__global__ void ptxguard_probe(float* out, const float* in, int count) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x & 63] = i < count ? in[i] : 0.0f;
    __syncthreads();
    if (i < count) out[i] = sinf(tile[(threadIdx.x + 1) & 63]) + sqrtf(tile[threadIdx.x & 63]);
    if (threadIdx.x == 0) atomicAdd(&ptxguard_blocks, 1u);
}

int ptxguard_launch(float* out, const float* in, int count) {
    ptxguard_probe<<<1, 64>>>(out, in, count);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
)cuda";

const char* const k_device_source =
    R"cuda(extern "C" __global__ void ptxguard_probe(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = sinf(in[i]) + sqrtf(in[i]);
}
)cuda";

std::string minimal_ptx(PtxVersion version, Arch target) {
    return ".version " + version.text() + "\n.target " + target.sm() +
           "\n.address_size 64\n.visible .entry ptxguard_probe() { ret; }\n";
}

}  // namespace ptxguard
