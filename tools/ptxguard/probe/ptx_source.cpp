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

const char* const k_link_source =
    "extern \"C\" int cudaGetLastError();\nint main() { return cudaGetLastError(); }\n";

const char* const k_device_source =
    R"cuda(extern "C" __global__ void ptxguard_probe(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = sinf(in[i]) + sqrtf(in[i]);
}
)cuda";

const char* const k_preprocessed_source =
    R"cuda(extern "C" __declspec(__device__) float __nv_sinf(float);
extern "C" __declspec(__global__) void ptxguard_probe(float* out, const float* in) { *out = __nv_sinf(*in); }
)cuda";

std::string minimal_ptx(PtxVersion version, Arch target) {
    return ".version " + version.text() + "\n.target " + target.sm() +
           "\n.address_size 64\n.visible .entry ptxguard_probe() { ret; }\n";
}

std::string minimal_ir(int major, int minor, bool opaque) {
    const std::string pointer = opaque ? "ptr" : "void ()*";
    return "target datalayout = "
           "\"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-"
           "f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
           "target triple = \"nvptx64-nvidia-cuda\"\n"
           "define void @ptxguard_probe() {\n  ret void\n}\n"
           "!nvvm.annotations = !{!0}\n"
           "!0 = !{" +
           pointer +
           " @ptxguard_probe, !\"kernel\", i32 1}\n"
           "!nvvmir.version = !{!1}\n"
           "!1 = !{i32 " +
           std::to_string(major) + ", i32 " + std::to_string(minor) + "}\n";
}

}  // namespace ptxguard
