// SPDX-License-Identifier: Apache-2.0
#include "diagnose/question.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Libraries by their names, on both systems.
enum class Family { cudnn, driver, nvrtc_builtins, nvrtc, cuda, torch, tensorrt, jit, system, other };

std::string stem_of(std::string library) {
    library = lower(library);
    const std::size_t slash = library.find_last_of("/\\");
    if (slash != std::string::npos) library.erase(0, slash + 1);
    if (starts_with(library, "lib")) library.erase(0, 3);
    return library;
}

Family family_of(const std::string& library) {
    const std::string stem = stem_of(library);
    const auto is = [&](std::initializer_list<const char*> starts) {
        return std::any_of(starts.begin(), starts.end(),
                           [&](const char* start) { return starts_with(stem, start); });
    };
    if (is({"cudnn"})) return Family::cudnn;
    if (is({"nvrtc-builtins"})) return Family::nvrtc_builtins;
    if (is({"nvrtc"})) return Family::nvrtc;
    if (is({"nvidia-ptxjitcompiler"})) return Family::jit;
    if (is({"cuda.so", "nvcuda", "nvidia-ml", "cuda.dll", "nvidia-nvvm.so", "nvidia-fatbinaryloader"}))
        return Family::driver;
    if (is({"cudart", "cublas",     "cufft",    "curand",   "cusolver",  "cusparse", "nvjitlink",
            "cupti",  "nvtoolsext", "nvtx",     "nccl",     "npp",       "nvjpeg",   "nvvm",
            "cufile", "cudss",      "cutensor", "nvfatbin", "cudadevrt", "nvshmem",  "cusparselt"}))
        return Family::cuda;
    if (is({"torch", "c10", "caffe2"})) return Family::torch;
    if (is({"nvinfer", "nvonnxparser", "nvparsers", "nvinfer_plugin"})) return Family::tensorrt;
    if (is({"stdc++", "gcc_s", "c.so", "m.so", "gomp"})) return Family::system;
    return Family::other;
}

// "Please make sure it is in your library path": no name.
bool is_library_name(const std::string& name) {
    return name.find(".so") != std::string::npos || ends_with(lower(name), ".dll") ||
           starts_with(stem_of(name), "cu") || starts_with(lower(name), "lib");
}

bool is_windows_name(const std::string& library) {
    return ends_with(lower(library), ".dll") || library.find('\\') != std::string::npos;
}

// "12.8" of cudart64_128? no: "11.0" of cudart64_110.dll, "11" of cublas64_11.dll and libcublas.so.11; "" =
// none.
std::string release_in_name(const std::string& library) {
    const std::string stem = stem_of(library);
    std::size_t at = stem.find("64_");
    if (at != std::string::npos) {
        std::string digits;
        for (at += 3; at < stem.size() && is_digit(stem[at]); ++at) digits += stem[at];
        if (digits.size() == 3) return digits.substr(0, 2) + "." + digits.substr(2);
        return digits;
    }
    at = stem.find(".so.");
    std::string version;
    if (at != std::string::npos)
        for (at += 4; at < stem.size() && (is_digit(stem[at]) || stem[at] == '.'); ++at) version += stem[at];
    return version;
}

// A framework's own library is missing or unfit: its extension was made for another build of it.
Suspects of_absent_torch(const LogQuestion&) {
    return {{"extension_for_other_release", likely}, {"library_missing", possible}};
}

Suspects of_absent_cudnn(LogQuestion& q, const std::string& library, Confidence confidence) {
    const std::string stem = stem_of(library);
    const std::string major = release_in_name(library).substr(0, 1);
    if (!major.empty()) q.set("library_major", major);
    const bool only_in_8 =
        stem.find("_infer") != std::string::npos || stem.find("_train") != std::string::npos;
    if (only_in_8)
        return {{"cudnn_major", at_most(confidence, likely)}, {"cudnn_missing", at_most(confidence, likely)}};
    return {{"cudnn_missing", at_most(confidence, likely)}, {"cudnn_major", possible}};
}

Suspects of_absent_dll(LogQuestion& q, const std::string& library, Confidence confidence) {
    const std::string release = release_in_name(library);
    if (!release.empty()) q.set("library_cuda", release);
    Suspects suspects{{"dll_missing", at_most(confidence, likely)},
                      {"dll_of_other_cuda", at_most(confidence, likely)},
                      {"dll_folder_not_searched", possible}};
    if (release.empty() || family_of(library) == Family::driver) suspects.erase(suspects.begin() + 1);
    return suspects;
}

Suspects library_absent(LogQuestion& q) {
    if (const std::string stem = q.value("stem"); !stem.empty()) q.set("library", stem + ".dll");
    std::string library = q.value("missing").empty() ? q.value("library") : q.value("missing");
    if (!starts_with(library, "lib") && !ends_with(lower(library), ".dll") &&
        library.find(".so") == std::string::npos)
        library = q.value("library");
    if (!is_library_name(library)) return {};
    q.set("library", library);
    const std::string wrapper = q.value("wrapper");
    if (!wrapper.empty()) q.set("needed_by", wrapper);
    Confidence confidence = q.confidence;
    // TensorFlow says so on machines without a GPU too.
    if (q.has_cause("no_gpu_asked")) confidence = possible;
    const Family family = family_of(library);
    // TensorFlow looks for TensorRT and does without it.
    if (family == Family::tensorrt && q.has_pattern("Could not load dynamic library")) return {};
    if (family == Family::tensorrt) return {{"library_missing", at_most(confidence, possible)}};
    if (library == "zlibwapi.dll") return {{"dll_missing", confidence}};
    if (family == Family::cudnn) {
        Suspects suspects = of_absent_cudnn(q, library, confidence);
        if (is_windows_name(library)) suspects.push_back({"dll_missing", possible});
        return suspects;
    }
    if (is_windows_name(library)) {
        const bool foreign = family == Family::other || family == Family::system;
        return foreign ? Suspects{{"missing_library", likely}} : of_absent_dll(q, library, confidence);
    }
    if (family == Family::driver) return {{"no_driver", at_most(confidence, likely)}};
    if (family == Family::jit) return {{"jit_library_missing", confidence}};
    if (family == Family::nvrtc_builtins) return {{"nvrtc_builtins_missing", confidence}};
    if (family == Family::torch) return of_absent_torch(q);
    if (family == Family::nvrtc || family == Family::cuda) {
        const std::string release = release_in_name(library);
        if (!release.empty()) q.set("library_major", release);
        return {{"library_missing", confidence}, {"library_of_other_cuda", possible}};
    }
    return {{"missing_library", likely}};
}

Suspects library_absent_at_link(LogQuestion& q) {
    if (family_of(q.value("library")) == Family::driver)
        return {{"no_driver", likely}, {"library_missing", likely}};
    return library_absent(q);
}

// The messages "file too short", "invalid ELF header".
Suspects library_damaged(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::other || family == Family::system) return {{"slow_filesystem", likely}};
    return {{family == Family::cudnn ? "cudnn_missing" : "library_missing", likely}};
}

Suspects library_unfit(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", likely}};
    if (family == Family::cudnn) return {{"cudnn_mixed", likely}};
    return is_windows_name(q.value("library")) || q.has_pattern("WinError")
               ? Suspects{{"dll_missing", q.confidence}}
               : Suspects{{"library_missing", q.confidence}};
}

// "libcublasLt.so.11 not defined", which may be about something else.
Suspects library_not_defined(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", q.confidence}};
    return family == Family::cudnn ? Suspects{{"cudnn_mixed", q.confidence}} : Suspects{};
}

Suspects symbol_version(LogQuestion& q) {
    const std::string symbol = q.value("symbol"), library = q.value("library");
    if (starts_with(symbol, "GLIBC_")) return {{"glibc_too_old", certain}};
    const Family family = family_of(library);
    if (family == Family::cudnn) return {{"cudnn_mixed", likely}};
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", certain}};
    return {{"symbol_version_missing", certain}};
}

Suspects symbol_of_library(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cudnn) return {{"cudnn_mixed", certain}};
    if (family == Family::driver) return {{"driver_too_old", likely}};
    if (family == Family::torch) return {{"extension_for_other_release", likely}};
    if (family == Family::cuda || family == Family::nvrtc)
        return {{"library_set_mixed", certain}, {"library_captured", likely}};
    return {{"undefined_symbol", likely}};
}

// A symbol without a version: whose it is follows from its name.
Suspects symbol_absent(LogQuestion& q) {
    const std::string symbol = q.value("symbol"), by = q.value("needed_by");
    const auto has = [&](const char* part) { return symbol.find(part) != std::string::npos; };
    if (has("nvJitLink") || starts_with(symbol, "cublas") || starts_with(symbol, "cusolver") ||
        starts_with(symbol, "cufft") || starts_with(symbol, "cusparse") || starts_with(symbol, "nccl"))
        return {{"library_set_mixed", certain}, {"library_captured", likely}};
    if (starts_with(symbol, "cudnn")) return {{"cudnn_mixed", likely}, {"cudnn_missing", possible}};
    if (starts_with(symbol, "cu") && symbol.size() > 2 && symbol[2] >= 'A' && symbol[2] <= 'Z')
        return {{"driver_too_old", likely}, {"stub_library", possible}};
    if (starts_with(symbol, "cuda")) return {{"library_set_mixed", likely}};
    if (starts_with(symbol, "__cuda"))
        return {{"toolkit_parts_disagree", likely}, {"library_set_mixed", possible}};
    const bool of_torch =
        has("c10") || has("3c10") || has("at4_ops") || has("2at") || has("torch") || has("5torch");
    if (of_torch) {
        const bool old_abi = (ends_with(symbol, "Ss") || has("RKSs") || has("ESs")) && !has("__cxx11");
        if (old_abi)
            return {{"cxx_abi", likely}, {"extension_for_other_release", likely}, {"companions", possible}};
        return {{"extension_for_other_release", likely}, {"cxx_abi", possible}, {"companions", possible}};
    }
    if (has("tensorflow")) return {{"extension_for_other_release", likely}, {"cxx_abi", possible}};
    if (starts_with(symbol, "iJIT_")) return {{"missing_library", likely}};
    if (family_of(by) != Family::other) return {{"library_set_mixed", likely}};
    return {{"undefined_symbol", possible}};
}

// XLA wraps every reason in this line; without a known one the driver is the usual cause.
Suspects jax_backend(LogQuestion& q) {
    if (q.has_cause("cudnn_versions") || q.has_cause("cudnn_older")) return {};
    return {{"no_driver", possible}, {"library_missing", possible}};
}

Suspects ort_provider(LogQuestion& q) {
    const bool windows =
        q.has_pattern("LoadLibrary failed") || q.message.text.find('\\') != std::string::npos;
    if (windows)
        return {{"dll_missing", likely}, {"dll_of_other_cuda", possible}, {"cudnn_missing", possible}};
    return {{"library_missing", likely}, {"cudnn_missing", possible}, {"library_of_other_cuda", possible}};
}

Suspects dll_folder_or_missing(LogQuestion& q) {
    return {{"dll_missing", likely},
            {"dll_folder_not_searched", q.message.text.find("%1") != std::string::npos ? possible : likely}};
}

}  // namespace

std::vector<Refinement> refinements_of_libraries() {
    return {{"library_absent", library_absent},
            {"library_absent_at_link", library_absent_at_link},
            {"library_damaged", library_damaged},
            {"library_unfit", library_unfit},
            {"library_not_defined", library_not_defined},
            {"symbol_version", symbol_version},
            {"symbol_of_library", symbol_of_library},
            {"symbol_absent", symbol_absent},
            {"jax_backend", jax_backend},
            {"ort_provider", ort_provider},
            {"dll_folder_or_missing", dll_folder_or_missing}};
}

}  // namespace ptxguard
