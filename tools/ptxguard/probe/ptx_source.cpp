// The sources that the probes compile.
// SPDX-License-Identifier: Apache-2.0
#include "probe/ptx_source.hpp"

#include "probe/child.hpp"

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

namespace {

// ct.store(a, index=(0,), tile=ct.full((1,), 0.0, ct.float32))
constexpr const char* k_oldest_tile_ir =
    "7f54696c654952000d010000823708cb01030606010b01050a002c440706050c01000106050c010002430108000104010510"
    "0500100900420a06660107040008090107035c0000841508cbcbcbcbcbcb01cbcbcbcbcbcbcb000000000000000004000000"
    "0083a00108cbcbcbcbcbcbcb01cbcbcb000000000acbcbcbcbcbcbcb04000000000000000400000000000000040000000000"
    "0000040000000000000004000000000000000500000000000000060000000000000007000000000000000700000000000000"
    "000000000000000007cbcbcb0000000003000000050000000c00000011000000160000001b00000002000101010501040203"
    "02040403040500040304061704030406210403040604856e04cb0bcbcbcb0000000001000000020000000300000005000000"
    "080000000b000000110000001200000026000000310000000003070c020d03000d0100100304050500110e02010000000000"
    "0000800100000000000000800d020101000000000000000f010100000008010000000000813e04cbcbcb06cbcbcb00000000"
    "040000000600000007000000160000001c0000006b2e70792f2f6b6b5f4b74315f41316633325f316c302f2f6b2e7079736d"
    "5f31303000";

constexpr const char* k_ltoir_head = "ed434e7fffffffff";
constexpr const char* k_tileir_head = "7f54696c65495200ffff0000";
constexpr std::size_t k_absurd_size = 64;

}  // namespace

std::string absurd_ir(EntryKind code) {
    std::string bytes = from_hex(code == EntryKind::ltoir ? k_ltoir_head : k_tileir_head);
    bytes.resize(k_absurd_size);
    return bytes;
}

std::string oldest_tile_ir() { return from_hex(k_oldest_tile_ir); }

}  // namespace ptxguard
