// Whose header, program or device code it is that a build misses.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <set>

#include "diagnose/question.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

// "cuda_utils.h" and "cub.h" are also names of projects: of those only what toolkits contain.
bool is_header_of_toolkit(const std::string& path) {
    static const std::set<std::string> names{"cuda.h",
                                             "cuda_runtime.h",
                                             "cuda_runtime_api.h",
                                             "cuda_device_runtime_api.h",
                                             "cuda_fp16.h",
                                             "cuda_fp16.hpp",
                                             "cuda_bf16.h",
                                             "cuda_bf16.hpp",
                                             "cuda_fp8.h",
                                             "cuda_fp8.hpp",
                                             "cuda_fp6.h",
                                             "cuda_fp4.h",
                                             "cuda_profiler_api.h",
                                             "cudaProfiler.h",
                                             "cuda_gl_interop.h",
                                             "cudaGL.h",
                                             "cuda_egl_interop.h",
                                             "cuda_vdpau_interop.h",
                                             "cuda_d3d11_interop.h",
                                             "cuda_pipeline.h",
                                             "cuda_awbarrier.h",
                                             "cuda_occupancy.h",
                                             "cuda_texture_types.h",
                                             "cuda_surface_types.h",
                                             "cuda_stdint.h",
                                             "cudaTypedefs.h",
                                             "cublas_v2.h",
                                             "cublas.h",
                                             "cublasLt.h",
                                             "cublasXt.h",
                                             "cublas_api.h",
                                             "cusparse.h",
                                             "cusparse_v2.h",
                                             "cusolverDn.h",
                                             "cusolverSp.h",
                                             "cusolverMg.h",
                                             "cusolverRf.h",
                                             "cusolver_common.h",
                                             "cufft.h",
                                             "cufftXt.h",
                                             "cufftw.h",
                                             "cufile.h",
                                             "nvrtc.h",
                                             "nvJitLink.h",
                                             "nvPTXCompiler.h",
                                             "nvvm.h",
                                             "nvml.h",
                                             "nvjpeg.h",
                                             "nvToolsExt.h",
                                             "nvToolsExtCuda.h",
                                             "cupti.h",
                                             "cooperative_groups.h",
                                             "device_launch_parameters.h",
                                             "driver_types.h",
                                             "vector_types.h",
                                             "vector_functions.h",
                                             "device_functions.h",
                                             "device_atomic_functions.h",
                                             "texture_fetch_functions.h",
                                             "surface_functions.h",
                                             "math_constants.h",
                                             "builtin_types.h",
                                             "host_defines.h",
                                             "fatbinary_section.h",
                                             "mma.h",
                                             "npp.h",
                                             "nppi.h",
                                             "npps.h"};
    if (starts_with_any(path,
                        {"thrust/", "nv/target", "nvtx3/", "cuda/std/", "cuda/atomic", "cuda/barrier",
                         "cuda/pipeline", "cooperative_groups/", "crt/host_", "crt/device_", "nvfunctional"}))
        return true;
    const std::string name = file_of(path);
    return names.count(name) != 0 ||
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
    const auto nvcc = parse_version(q.value("nvcc"));
    if (nvcc && nvcc->major() >= 13 && starts_with_any(path, {"thrust/", "cub/", "cuda/std/"}))
        return {{"cccl_moved", q.confidence}};
    if (is_header_of_toolkit(path)) return {{"toolkit_incomplete", q.confidence}};
    // Toolkits contain CUB from CUDA 11; many projects have their own, as a submodule.
    if (starts_with(path, "cub/") || name == "nccl.h") return {{"toolkit_incomplete", possible}};
    if (name == "Python.h" || name == "pyconfig.h") return {{"missing_python_header", certain}};
    return {{"missing_header", q.confidence}};
}

// Functions and constants of CUDA's libraries that the installed headers lack: too old for them, or too new.
Suspects name_undeclared(LogQuestion& q) {
    const std::string symbol = q.value("symbol");
    // Types and functions of newer compilers, in their own headers.
    if (starts_with_any(symbol, {"_Float", "__bf16", "__ieee128", "__builtin_ia32_", "__builtin_is_", "__is_",
                                 "__type_pack_element", "__remove_c"}))
        return {{"host_headers_too_new", q.confidence}};
    if (starts_with_any(symbol, {"AT_CHECK", "AT_ASSERTM", "THCState", "THCudaCheck", "THCCeilDiv",
                                 "THCudaMalloc", "THCudaTensor", "THArgCheck"}))
        return {{"source_for_other_torch", q.confidence}};
    const bool of_cudnn = starts_with_any(symbol, {"CUDNN_", "cudnn"});
    const bool of_cuda = starts_with_any(
        symbol, {"CUBLAS_", "cublas", "CUSPARSE_", "cusparse", "CUSOLVER_", "cusolver", "CUDA_R_", "cudaMem",
                 "cudaUnbindTexture", "cudaBindTexture", "cudaThread", "cudaFuncSet", "cudaGraph", "__nv_fp8",
                 "__nv_bfloat16", "textureReference"});
    if (!of_cudnn && !of_cuda) return {};
    q.set("of_library", of_cudnn ? "cuDNN" : "CUDA");
    return {{"source_for_other_release", q.confidence}};
}

// NVRTC writes the source into the folder for temporary files, and opens it by the bytes of its name.
Suspects source_unopened(LogQuestion& q) {
    const std::string path = q.value("path");
    const bool plain = std::all_of(path.begin(), path.end(), [](char c) { return (c & 0x80) == 0; });
    if (!plain) return {{"temporary_path", q.confidence}};
    return {{"nvrtc_headers_unfit", at_most(q.confidence, likely)}};
}

// What CUDA 12 and 13 removed or changed: of other types and functions the program's own code is wrong.
Suspects member_absent(LogQuestion& q) {
    const std::string of = q.value("of"), symbol = q.value("symbol");
    // Since GCC 13 the headers of the library include less of each other.
    if (of == "std" && (ends_with(symbol, "_t") || symbol == "numeric_limits" || symbol == "setprecision"))
        return {{"include_absent", q.confidence}};
    if (of != "cudaDeviceProp" && of != "thrust" && of != "cub" && of != "cudaPointerAttributes") return {};
    return {{"source_for_other_release", q.confidence}};
}

Suspects function_changed(LogQuestion& q) {
    static const std::set<std::string> changed{"cuCtxCreate",
                                               "cuGetProcAddress",
                                               "cuMemAdvise",
                                               "cuMemPrefetchAsync",
                                               "cudaGetDriverEntryPoint",
                                               "cudaGraphAddDependencies",
                                               "cudaGraphAddNode",
                                               "cudaGraphExecUpdate",
                                               "cudaGraphGetEdges",
                                               "cudaGraphInstantiate",
                                               "cudaGraphRemoveDependencies",
                                               "cudaMemAdvise",
                                               "cudaMemPrefetchAsync",
                                               "cudaStreamGetCaptureInfo",
                                               "cudaStreamUpdateCaptureDependencies"};
    std::string name = q.value("changed");  // "cuCtxCreate_v4"
    if (const std::size_t version = name.rfind("_v"); version != std::string::npos) name.resize(version);
    if (changed.count(name) == 0) return {};
    q.set("changed", name);
    return {{"source_for_other_release", q.confidence}};
}

// A program that is not found, by its name. Other programs are no business of a build's toolchain.
Suspects tool_absent(LogQuestion& q) {
    static const std::set<std::string> of_builds{"ninja",
                                                 "cmake",
                                                 "git",
                                                 "make",
                                                 "gmake",
                                                 "gcc",
                                                 "g++",
                                                 "cc",
                                                 "c++",
                                                 "clang",
                                                 "clang++",
                                                 "cl",
                                                 "ld",
                                                 "ar",
                                                 "gfortran",
                                                 "x86_64-linux-gnu-gcc",
                                                 "x86_64-linux-gnu-g++",
                                                 "aarch64-linux-gnu-gcc",
                                                 "cargo",
                                                 "rustc",
                                                 "protoc",
                                                 "swig",
                                                 "bazel",
                                                 "bazelisk",
                                                 "meson",
                                                 "pkg-config",
                                                 "patchelf",
                                                 "ccache",
                                                 "sccache",
                                                 "nasm",
                                                 "python",
                                                 "python3",
                                                 "patch",
                                                 "cython",
                                                 "lld",
                                                 "ld.lld"};
    static const std::set<std::string> of_toolkit{"ptxas", "cicc",      "cudafe++", "fatbinary", "nvlink",
                                                  "bin2c", "cuobjdump", "nvdisasm", "nvprune"};
    std::string name = file_of(q.value("tool"));
    if (ends_with(lower(name), ".exe")) name.resize(name.size() - 4);
    if (of_builds.count(name)) {
        q.set("tool", name);
        return {{"missing_tool", q.confidence}};
    }
    if (of_toolkit.count(name)) {
        q.set("path", name);
        return {{"toolkit_incomplete", likely}};
    }
    if (starts_with_any(name, {"nvidia-container-", "nvidia-ctk", "nvidia-docker"}))
        return {{"no_container_toolkit", certain}};
    // The rows of a shell name nvcc and nvidia-smi themselves; these are of Docker and Go.
    const bool of_container = q.has_pattern("executable file");
    if (name == "nvidia-smi" && of_container) return {{"container_sees_no_gpu", likely}};
    if (name == "nvcc" && of_container) return {{"no_toolkit", likely}, {"image_without_nvcc", likely}};
    return {};
}

// "fused_layer_norm_cuda", "mmcv._ext", "detectron2._C": what a package compiles, and no package of an index.
Suspects module_absent(LogQuestion& q) {
    static const std::set<std::string> compiled{
        "amp_C",           "apex_C",        "syncbn",
        "exllama_kernels", "exllamav2_ext", "fast_multihead_attn",
        "awq_ext",         "curope",        "awq_inference_engine",
        "pointops",        "chamfer_3D",    "MultiScaleDeformableAttention"};
    const std::string module = q.value("module");
    const bool of_package = ends_with(module, "._C") || ends_with(module, "._ext");
    if (of_package || ends_with(module, "_cuda") || compiled.count(module))
        return {{"extension_absent", likely}};
    return {{"missing_module", q.confidence}};
}

// "compute_native", "compute_", "compute_OFF"
Suspects arch_text(LogQuestion& q) {
    const std::string value = q.value("value");
    const std::string name = value.substr(value.find('_') == std::string::npos ? 0 : value.find('_') + 1);
    if (name == "native") return {{"native_unresolved", q.confidence}};
    if (name.empty() || !is_digit(name.front())) return {{"arch_not_a_name", q.confidence}};
    return {{"arch_unknown_to_nvcc", q.confidence}};
}

// "undefined reference to `cuMemCreate'": of the driver; "cudaMalloc": of the runtime.
Suspects api_not_linked(LogQuestion& q) {
    const std::string rest = q.value("symbol");
    const auto is_upper = [&](std::size_t at) {
        return at < rest.size() && rest[at] >= 'A' && rest[at] <= 'Z';
    };
    const bool of_driver = is_upper(0), of_runtime = starts_with(rest, "da") && is_upper(2);
    if (!of_driver && !of_runtime) return {};
    q.set("symbol", "cu" + rest);
    set_link(q, of_driver);
    return {{"library_not_linked", likely}};
}

// nvcc: words for several architectures, which came with CUDA 11.5 and 11.6.
Suspects arch_word(LogQuestion& q) {
    const std::string word = q.value("word");
    if (word != "native" && word != "all" && word != "all-major")
        return {{"toolkit_parts_disagree", possible}};
    return {{"arch_word_unknown", q.confidence}};
}

Suspects build_tool(LogQuestion& q) {
    q.set("tool", lower(q.value("tool")));
    return {{"missing_tool", certain}};
}

// "112" is CUDA 11.2.
std::string release_of_digits(const std::string& digits) {
    return digits.size() < 2 ? digits
                             : digits.substr(0, digits.size() - 1) + "." + digits.substr(digits.size() - 1);
}

Suspects nvlink_releases(LogQuestion& q) {
    q.set("made_by", release_of_digits(q.value("made")));
    q.set("linked_by", release_of_digits(q.value("tool")));
    return {{"nvlink_older", certain}};
}

// llama.cpp prints __CUDA_ARCH__: 610 is sm_61, "500,610,700" the list that it was compiled for.
std::string archs_of_ggml(const std::string& numbers) {
    std::string archs;
    for (std::size_t at = 0; at < numbers.size();) {
        std::string digits;
        while (at < numbers.size() && is_digit(numbers[at])) digits += numbers[at++];
        if (digits.size() > 2)
            archs += (archs.empty() ? "sm_" : " sm_") + digits.substr(0, digits.size() - 1);
        while (at < numbers.size() && !is_digit(numbers[at])) ++at;
    }
    return archs;
}

Suspects ggml_archs(LogQuestion& q) {
    for (const auto& [from, to] : {std::pair{"arch_ggml", "arch"}, std::pair{"archs_ggml", "archs"}})
        if (const std::string archs = archs_of_ggml(q.value(from)); !archs.empty()) q.set(to, archs);
    return {{"no_code_for_gpu", certain}};
}

// PyTorch sees no GPU: in a container a device file is missing more often than a CUDA build.
Suspects no_cuda_seen(LogQuestion& q) {
    if (q.has_pattern("cdiVersion") || q.has_pattern("container_command"))
        return {{"cuda_unavailable_in_container", likely}, {"cuda_unavailable", possible}};
    return {{"cuda_unavailable", q.confidence}};
}

Suspects packages_of_driver(LogQuestion& q) {
    const std::string path = q.value("path"), other = q.value("other");
    const auto is_nvidia = [](const std::string& text) {
        return text.find("nvidia") != std::string::npos || text.find("cuda") != std::string::npos;
    };
    return is_nvidia(path) || is_nvidia(other) ? Suspects{{"driver_packages_mixed", q.confidence}}
                                               : Suspects{};
}

}  // namespace

std::vector<Refinement> refinements_of_builds() {
    return {{"header_absent", header_absent},
            {"name_undeclared", name_undeclared},
            {"source_unopened", source_unopened},
            {"module_absent", module_absent},
            {"arch_word", arch_word},
            {"arch_text", arch_text},
            {"api_not_linked", api_not_linked},
            {"member_absent", member_absent},
            {"function_changed", function_changed},
            {"tool_absent", tool_absent},
            {"build_tool", build_tool},
            {"nvlink_releases", nvlink_releases},
            {"ggml_archs", ggml_archs},
            {"no_cuda_seen", no_cuda_seen},
            {"packages_of_driver", packages_of_driver}};
}

}  // namespace ptxguard
