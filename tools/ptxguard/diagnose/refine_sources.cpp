// Whose header, name or function it is that a source misses.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "diagnose/question.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

bool starts_with_one(const std::string& name, const std::vector<std::string>& starts) {
    return any_of(starts, [&](const std::string& start) { return starts_with(name, start); });
}

// "cuda_utils.h" and "cub.h" are also names of projects: of those only what toolkits contain.
bool is_header_of_toolkit(const std::string& path) {
    static const std::vector<std::string> names = split(
        "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_device_runtime_api.h cuda_fp16.h cuda_fp16.hpp "
        "cuda_bf16.h cuda_bf16.hpp cuda_fp8.h cuda_fp8.hpp cuda_fp6.h cuda_fp4.h cuda_profiler_api.h "
        "cudaProfiler.h cuda_gl_interop.h cudaGL.h cuda_egl_interop.h cuda_vdpau_interop.h "
        "cuda_d3d11_interop.h cuda_pipeline.h cuda_awbarrier.h cuda_occupancy.h cuda_texture_types.h "
        "cuda_surface_types.h cuda_stdint.h cudaTypedefs.h cublas_v2.h cublas.h cublasLt.h cublasXt.h "
        "cublas_api.h cusparse.h cusparse_v2.h cusolverDn.h cusolverSp.h cusolverMg.h cusolverRf.h "
        "cusolver_common.h cufft.h cufftXt.h cufftw.h cufile.h nvrtc.h nvJitLink.h nvPTXCompiler.h nvvm.h "
        "nvml.h nvjpeg.h nvToolsExt.h nvToolsExtCuda.h cupti.h cooperative_groups.h "
        "device_launch_parameters.h driver_types.h vector_types.h vector_functions.h device_functions.h "
        "device_atomic_functions.h texture_fetch_functions.h surface_functions.h math_constants.h "
        "builtin_types.h host_defines.h fatbinary_section.h mma.h npp.h nppi.h npps.h",
        " ");
    if (starts_with_any(path,
                        {"thrust/", "nv/target", "nvtx3/", "cuda/std/", "cuda/atomic", "cuda/barrier",
                         "cuda/pipeline", "cooperative_groups/", "crt/host_", "crt/device_", "nvfunctional"}))
        return true;
    const std::string name = file_of(path);
    return contains(names, name) ||
           starts_with_any(name, {"curand_", "curand.h", "cupti_", "nppi_", "npps_"});
}

Suspects header_absent(LogQuestion& q) {
    const std::string path = q.value("path"), name = file_of(path);
    if (starts_with(name, "cudnn")) {
        q.set("library", name);
        return {{"cudnn_missing", certain}};
    }
    if (starts_with_any(path, {"THC/", "TH/"})) {
        q.set("symbol", path);
        return {{"source_for_other_torch", certain}};
    }
    if (path == "nvToolsExt.h") {  // CUDA 13 has nvtx3/nvToolsExt.h only
        q.set("of_library", "CUDA");
        q.set("symbol", path);
        return {{"toolkit_incomplete", likely}, {"source_for_other_release", likely}};
    }
    const auto nvcc = parse_version(q.value("nvcc"));
    if (nvcc && nvcc->major() >= 13 && starts_with_any(path, {"thrust/", "cub/", "cuda/std/"}))
        return {{"cccl_moved", q.confidence}};
    if (is_header_of_toolkit(path)) return {{"toolkit_incomplete", q.confidence}};
    // Toolkits contain CUB from CUDA 11; many projects have their own, as a submodule.
    if (starts_with(path, "cub/") || name == "nccl.h") return {{"toolkit_incomplete", possible}};
    if (name == "Python.h" || name == "pyconfig.h") return {{"missing_python_header", certain}};
    return {{"missing_header", q.confidence}};
}

// CUDA's headers compile their own assembly for 64 bit. In another file the constraint may be the fault.
Suspects asm_of_32bit(LogQuestion& q) {
    const bool of_toolkit = is_header_of_toolkit(q.value("file"));
    return {{of_toolkit ? "host_compiler_32bit" : "compile_error", of_toolkit ? q.confidence : possible}};
}

// Functions of half precision, which code for GPUs before 5.3 lacks, and a load that 3.5 brought.
bool needs_newer_arch(const std::string& symbol) {
    static const std::set<std::string> names{"__ldg",  "h2exp", "hexp",   "h2log",          "hlog",
                                             "hrsqrt", "hsqrt", "h2sqrt", "h2rsqrt",        "h2div",
                                             "hdiv",   "hsin",  "hcos",   "atomicAdd_block"};
    return names.count(symbol) != 0 ||
           starts_with_any(symbol, {"__hadd", "__hsub", "__hmul", "__hfma", "__hneg", "__hlt", "__hgt",
                                    "__heq", "__hne", "__hle", "__hge", "__hmax", "__hmin", "__hdiv"});
}

// Warp functions without "_sync", which GPUs from Volta do not have.
bool is_of_old_warps(const std::string& symbol) {
    static const std::set<std::string> names{"__shfl",   "__shfl_up", "__shfl_down", "__shfl_xor",
                                             "__ballot", "__any",     "__all"};
    return names.count(symbol) != 0;
}

// Functions and constants of CUDA's libraries that the installed headers lack: too old for them, or too new.
Suspects name_undeclared(LogQuestion& q) {
    const std::string symbol = q.value("symbol");
    // Types and functions of newer compilers, in their own headers.
    static const std::vector<std::string> newer = split(
        "_Float __bf16 __ieee128 __builtin_ __is_ __reference_ __type_pack_element __remove_ __add_lvalue "
        "__add_rvalue __add_pointer __decay __make_integer_seq __array_rank __Float __Int __Uint __Poly __SV "
        "__clang_sv __mfp8",
        " ");
    if (starts_with_one(symbol, newer)) return {{"host_headers_too_new", q.confidence}};
    if (starts_with_any(symbol, {"AT_CHECK", "AT_ASSERTM", "THCState", "THCudaCheck", "THCCeilDiv",
                                 "THCudaMalloc", "THCudaTensor", "THArgCheck"}))
        return {{"source_for_other_torch", q.confidence}};
    if (needs_newer_arch(symbol)) return {{"list_lacks_gpu", q.confidence}};
    const bool of_cudnn = starts_with_any(symbol, {"CUDNN_", "cudnn"});
    static const std::vector<std::string> cuda = split(
        "CUBLAS_ cublas CUSPARSE_ cusparse CUSOLVER_ cusolver CUDA_R_ cudaMem cudaUnbindTexture "
        "cudaBindTexture cudaThread cudaFuncSet cudaGraph __nv_fp8 __nv_bfloat16 textureReference __syncwarp "
        "__iAtomic __uAtomic __fAtomic __ullAtomic __illAtomic cudaConfigureCall cudaSetupArgument "
        "cudaLaunch cudaBindSurface surfaceReference cudaProfiler cudaDeviceSetSharedMem "
        "cudaDeviceGetSharedMem cudaGetTextureReference cudaGetSurfaceReference",
        " ");
    const bool of_cuda = starts_with_one(symbol, cuda);
    if (!of_cudnn && !of_cuda && !is_of_old_warps(symbol)) return {};
    q.set("of_library", of_cudnn ? "cuDNN" : "CUDA");
    return {{"source_for_other_release", q.confidence}};
}

// cgo reads only C's headers, so it misses what they do not declare.
Suspects name_undeclared_in_go(LogQuestion& q) {
    const std::string symbol = q.value("symbol");
    const auto is_upper = [&](std::size_t at) {
        return at < symbol.size() && symbol[at] >= 'A' && symbol[at] <= 'Z';
    };
    const bool of_driver =
        starts_with_any(symbol, {"CU_", "CUDA_"}) || (starts_with(symbol, "cu") && is_upper(2));
    const bool of_type =
        starts_with_any(symbol, {"CUmem", "CUstream", "CUdevice", "CUgraph", "CUlink", "CUjit"});
    if (!of_driver && !of_type && !starts_with_any(symbol, {"cuda", "cudnn", "cublas", "nvml", "NVML_"}))
        return {};
    q.set("of_library", starts_with_any(symbol, {"cudnn", "CUDNN_"}) ? "cuDNN" : "CUDA");
    return {{"source_for_other_release", q.confidence}};
}

// A header of the C library, of the kernel or of libstdc++ that cudafe++ cannot read; others are of packages.
Suspects system_header_unreadable(LogQuestion& q) {
    static const std::set<std::string> names{"stdio.h",  "stdlib.h", "string.h",  "math.h",   "time.h",
                                             "wchar.h",  "unistd.h", "signal.h",  "stdint.h", "limits.h",
                                             "memory.h", "assert.h", "pthread.h", "sched.h",  "features.h"};
    std::string path = q.value("path");
    if (const std::size_t gnu = path.find("-linux-gnu/"); gnu != npos) path.erase(0, gnu + 11);
    if (starts_with(path, "bits/mathcalls")) return {{"c_library_too_new", q.confidence}};
    const bool of_system = names.count(path) != 0 ||
                           starts_with_any(path, {"bits/", "sys/", "c++/", "asm/", "asm-generic/", "linux/"});
    return of_system ? Suspects{{"host_headers_too_new", q.confidence}} : Suspects{};
}

// A header of the toolkit that cudafe++ does not understand is of another release than it.
Suspects header_unreadable(LogQuestion& q) {
    const std::string path = q.value("path"), name = file_of(path);
    if (ends_with(name, "intrin.h")) return {{"host_headers_too_new", q.confidence}};
    if (starts_with_any(name, {"cuda_fp", "cuda_bf16"})) return {{"nvrtc_headers_unfit", q.confidence}};
    const bool of_templates = starts_with_any(path, {"thrust/", "cub/", "cuda/", "nv/", "cccl/"});
    if (of_templates || name == "host_config.h") return {};
    const bool of_functions = ends_with(name, "_functions.h") || ends_with(name, "_functions.hpp");
    if (!is_header_of_toolkit(path) && !of_functions) return {};
    return {{"toolkit_parts_disagree", q.confidence}, {"host_headers_too_new", possible}};
}

// NVRTC writes the source into the folder for temporary files, and opens it by the bytes of its name.
Suspects source_unopened(LogQuestion& q) {
    const std::string path = q.value("path");
    const bool plain = all_of(path, [](char c) { return (c & 0x80) == 0; });
    if (!plain) return {{"temporary_path", q.confidence}};
    if (is_header_of_toolkit(path))
        return {{"toolkit_incomplete", at_most(q.confidence, likely)}, {"nvrtc_headers_unfit", possible}};
    return {{"nvrtc_headers_unfit", at_most(q.confidence, likely)}};
}

// Names of C++14, 17 and 20: the year of the standard that has this one, or nothing.
const char* standard_of(const std::string& name) {
    static const std::set<std::string> of_14{"enable_if_t",        "conditional_t",       "decay_t",
                                             "remove_reference_t", "remove_cv_t",         "make_unique",
                                             "index_sequence",     "make_index_sequence", "integer_sequence",
                                             "exchange",           "result_of_t",         "remove_const_t",
                                             "underlying_type_t"};
    static const std::set<std::string> of_17{
        "optional", "nullopt",         "string_view", "variant",  "any",          "filesystem",
        "byte",     "clamp",           "apply",       "void_t",   "conjunction",  "disjunction",
        "invoke",   "invoke_result_t", "scoped_lock", "in_place", "shared_mutex", "bool_constant_t"};
    static const std::set<std::string> of_20{"span",   "bit_cast", "remove_cvref_t", "source_location",
                                             "ranges", "concepts", "convertible_to", "same_as"};
    if (of_14.count(name)) return "14";
    if (of_17.count(name) || (ends_with(name, "_v") && starts_with_any(name, {"is_", "has_"}))) return "17";
    return of_20.count(name) ? "20" : nullptr;
}

// What CUDA 12 and 13 removed or changed: of other types and functions the program's own code is wrong.
Suspects member_absent(LogQuestion& q) {
    const std::string of = q.value("of"), symbol = q.value("symbol");
    if (const char* const standard = of == "std" ? standard_of(symbol) : nullptr) {
        q.set("standard", standard);
        return {{"cxx_standard", q.confidence}};
    }
    // Since GCC 13 the headers of the library include less of each other.
    if (of == "std" && (ends_with(symbol, "_t") || symbol == "numeric_limits" || symbol == "setprecision"))
        return {{"include_absent", q.confidence}};
    const std::string outer = of.substr(0, of.find("::"));
    if (of != "cudaDeviceProp" && outer != "thrust" && outer != "cub" && of != "cudaPointerAttributes")
        return {};
    return {{"source_for_other_release", q.confidence}};
}

Suspects function_changed(LogQuestion& q) {
    static const std::vector<std::string> changed = split(
        "cuCtxCreate cuGetProcAddress cuMemAdvise cuMemPrefetchAsync cudaGetDriverEntryPoint "
        "cudaGraphAddDependencies cudaGraphAddNode cudaGraphExecUpdate cudaGraphGetEdges "
        "cudaGraphInstantiate cudaGraphRemoveDependencies cudaMemAdvise cudaMemPrefetchAsync "
        "cudaStreamGetCaptureInfo cudaStreamUpdateCaptureDependencies",
        " ");
    std::string name = q.value("changed");  // "cuCtxCreate_v4"
    if (name == "atomicAdd")
        return {{"list_lacks_gpu", q.confidence}};  // of double from 6.0, of half from 7.0
    if (const std::size_t version = name.rfind("_v"); version != std::string::npos) name.resize(version);
    if (!contains(changed, name)) return {};
    q.set("changed", name);
    return {{"source_for_other_release", q.confidence}};
}

// What CUDA 11 and 12 removed or retyped.
Suspects for_other_cuda(LogQuestion& q, const char* symbol) {
    q.set("of_library", "CUDA");
    q.set("symbol", symbol);
    return {{"source_for_other_release", q.confidence}};
}
Suspects texture_references(LogQuestion& q) { return for_other_cuda(q, "texture<>"); }
Suspects cublas_types(LogQuestion& q) { return for_other_cuda(q, "cudaDataType for cublasComputeType_t"); }
Suspects device_synchronize(LogQuestion& q) {
    return for_other_cuda(q, "cudaDeviceSynchronize() for kernels");
}

}  // namespace

std::vector<Refinement> refinements_of_sources() {
    return {{"texture_references", texture_references},
            {"cublas_types", cublas_types},
            {"device_synchronize", device_synchronize},
            {"header_absent", header_absent},
            {"name_undeclared", name_undeclared},
            {"name_undeclared_in_go", name_undeclared_in_go},
            {"system_header_unreadable", system_header_unreadable},
            {"header_unreadable", header_unreadable},
            {"source_unopened", source_unopened},
            {"member_absent", member_absent},
            {"function_changed", function_changed},
            {"asm_of_32bit", asm_of_32bit}};
}

}  // namespace ptxguard
