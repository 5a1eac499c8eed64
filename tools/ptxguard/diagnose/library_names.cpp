// SPDX-License-Identifier: Apache-2.0
#include "diagnose/library_names.hpp"

#include "model/file_names.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {

std::string stem_of(std::string library) {
    library = lower(file_of(library));
    if (starts_with(library, "lib")) library.erase(0, 3);
    return library;
}

Family family_of(const std::string& library) {
    const std::string stem = stem_of(library);
    const auto is = [&](std::initializer_list<std::string_view> starts) {
        return starts_with_any(stem, starts);
    };
    if (is({"cudnn"})) return Family::cudnn;
    if (is({"nvrtc-builtins"})) return Family::nvrtc_builtins;
    if (is({"nvrtc"})) return Family::nvrtc;
    if (is({"nvidia-ptxjitcompiler"})) return Family::jit;
    if (is({"nvcuvid", "nvidia-encode", "nvidia-opticalflow", "nvoptix", "glx_nvidia", "egl_nvidia",
            "nvencodeapi"}))
        return Family::driver_part;
    if (stem == "cuda" || is({"cuda.so", "cuda.1", "nvcuda", "nvidia-ml", "cuda.dll", "nvidia-nvvm.so",
                              "nvidia-fatbinaryloader"}))
        return Family::driver;
    if (is({"cudart", "cublas",     "cufft",    "curand",   "cusolver",  "cusparse", "nvjitlink",
            "cupti",  "nvtoolsext", "nvtx",     "nccl",     "npp",       "nvjpeg",   "nvvm",
            "cufile", "cudss",      "cutensor", "nvfatbin", "cudadevrt", "nvshmem",  "cusparselt"}))
        return Family::cuda;
    if (is({"torch", "c10", "caffe2"})) return Family::torch;
    if (is({"nvinfer", "nvonnxparser", "nvparsers", "nvinfer_plugin", "nvcaffe_parser"}))
        return Family::tensorrt;
    if (is({"stdc++", "gcc_s", "c.so", "m.so", "gomp"})) return Family::system;
    return Family::other;
}

bool is_library_name(const std::string& name) {
    return name.find(".so") != std::string::npos || ends_with(lower(name), ".dll") ||
           starts_with(stem_of(name), "cu") || starts_with(lower(name), "lib");
}

bool is_windows_name(const std::string& library) {
    return ends_with(lower(library), ".dll") || library.find('\\') != std::string::npos;
}

std::string release_in_name(const std::string& library) {
    const std::string stem = stem_of(library);
    std::size_t at = stem.find("64_");
    if (at != std::string::npos) {
        std::string digits;
        for (at += 3; at < stem.size() && is_digit(stem[at]); ++at) digits += stem[at];
        if (digits.size() == 3) return digits.substr(0, 2) + "." + digits.substr(2);
        // cudart64_80.dll is of CUDA 8.0, cublas64_11.dll of CUDA 11.
        if (digits.size() == 2 && digits[0] > '3') return digits.substr(0, 1) + "." + digits.substr(1);
        return digits;
    }
    at = stem.find(".so.");
    std::string version;
    if (at != std::string::npos)
        for (at += 4; at < stem.size() && (is_digit(stem[at]) || stem[at] == '.'); ++at) version += stem[at];
    return version;
}

std::string cuda_in_name(const std::string& library) {
    const std::string stem = stem_of(library);
    for (const char* start : {"cudart", "cublas", "nvrtc", "nvjitlink", "npp", "nvjpeg"})
        if (starts_with(stem, start)) return release_in_name(library);
    // Until 10.0 every library of the toolkit had its release: libcufft.so.9.2.
    const std::string release = release_in_name(library);
    const bool dotted = release.find('.') != std::string::npos;
    if (dotted && stem.find(".so.") != std::string::npos && family_of(library) == Family::cuda) {
        const auto version = parse_version(release);
        if (version && version->numbers.size() == 2 && version->major() <= 10) return release;
    }
    return "";
}

}  // namespace ptxguard
