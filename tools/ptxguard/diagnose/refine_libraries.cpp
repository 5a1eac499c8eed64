// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "diagnose/library_names.hpp"
#include "diagnose/question.hpp"
#include "facts/libraries.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A framework's own library is missing or unfit: its extension was made for another build of it.
Suspects of_absent_torch(const LogQuestion&) {
    return {{"extension_for_other_release", likely}, {"library_missing", possible}};
}

Suspects of_absent_cudnn(LogQuestion& q, const std::string& library, Confidence confidence) {
    const std::string stem = stem_of(library);
    const std::string major = release_in_name(library).substr(0, 1);
    if (!major.empty()) q.set("library_major", major);
    if (major >= "8") q.set("cudnn_wheel", major);  // PyPI has no older one
    const bool only_in_8 =
        stem.find("_infer") != std::string::npos || stem.find("_train") != std::string::npos;
    if (only_in_8)
        return {{"cudnn_major", at_most(confidence, likely)}, {"cudnn_missing", at_most(confidence, likely)}};
    return {{"cudnn_missing", at_most(confidence, likely)}, {"cudnn_major", possible}};
}

Suspects of_absent_dll(LogQuestion& q, const std::string& library, Confidence confidence) {
    if (family_of(library) == Family::driver) return {{"no_driver", at_most(confidence, likely)}};
    const std::string release = release_in_name(library);
    if (!release.empty()) q.set("library_cuda", release);
    Suspects suspects{{"dll_missing", at_most(confidence, likely)},
                      {"dll_of_other_cuda", at_most(confidence, likely)},
                      {"dll_folder_not_searched", possible}};
    if (release.empty()) suspects.erase(suspects.begin() + 1);
    return suspects;
}

// The log may name the CUDA that is there: then the build is for another one. PyTorch brings its own CUDA, so
// there a toolkit explains nothing.
Suspects of_absent_cuda(LogQuestion& q, const std::string& library, Confidence confidence) {
    std::string cuda = cuda_in_name(library);
    const std::string nvcc = q.value("nvcc");
    if (cuda.empty())
        if (const auto named = library_by_file_name(q.facts, library); named && named->cuda_major)
            cuda = std::to_string(named->cuda_major);
    if (!cuda.empty()) q.set("library_major", cuda);
    const auto wanted = parse_version(cuda), here = parse_version(nvcc);
    if (wanted && here && wanted->major() != here->major() && q.value("torch").empty())
        return {{"library_of_other_cuda", confidence}, {"library_missing", at_most(confidence, likely)}};
    q.forget("nvcc");
    // L4T R32 (JetPack 4) mounts the host's CUDA into containers; newer images contain it.
    if (q.has_value("jetpack4")) return {{"jetson_mounts", confidence}, {"library_missing", likely}};
    return {{"library_missing", confidence}, {"library_of_other_cuda", possible}};
}

std::string absent_library(LogQuestion& q) {
    if (const std::string stem = q.value("stem"); !stem.empty()) q.set("library", stem + ".dll");
    const std::string missing = q.value("missing");
    const bool named = starts_with(missing, "lib") || ends_with(lower(missing), ".dll") ||
                       missing.find(".so") != std::string::npos;
    return named ? missing : q.value("library");
}

// Without anything of NVIDIA or of a framework in its name.
bool is_foreign(Family family) { return family == Family::other || family == Family::system; }

Suspects of_absent_so(LogQuestion& q, Family family, const std::string& library, Confidence confidence) {
    if (family == Family::driver) return {{"no_driver", at_most(confidence, likely)}};
    if (family == Family::jit) return {{"jit_library_missing", confidence}};
    if (family == Family::nvrtc_builtins) return {{"nvrtc_builtins_missing", confidence}};
    if (family == Family::torch) return of_absent_torch(q);
    if (family == Family::nvrtc || family == Family::cuda) return of_absent_cuda(q, library, confidence);
    return {{"missing_library", likely}};
}

Suspects library_absent(LogQuestion& q) {
    const std::string library = absent_library(q);
    if (!is_library_name(library)) return {};
    q.set("library", library);
    const std::string wrapper = q.value("wrapper");
    if (!wrapper.empty()) q.set("needed_by", wrapper);
    Confidence confidence = q.confidence;
    // TensorFlow says so on machines without a GPU too.
    if (q.has_cause("no_gpu_asked")) confidence = possible;
    const Family family = family_of(library);
    if (family == Family::tensorrt && !is_windows_name(library))
        return {{"library_missing", at_most(confidence, likely)}};
    if (library == "zlibwapi.dll") return {{"cudnn_zlib_missing", confidence}};
    if (family == Family::driver_part) return {{"driver_part_missing", confidence}};
    if (family == Family::cudnn) {
        Suspects suspects = of_absent_cudnn(q, library, confidence);
        if (is_windows_name(library)) suspects.push_back({"dll_missing", possible});
        return suspects;
    }
    if (is_windows_name(library))
        return is_foreign(family) ? Suspects{{"missing_library", likely}}
                                  : of_absent_dll(q, library, confidence);
    return of_absent_so(q, family, library, confidence);
}

// What many programs say alike, of libraries of NVIDIA only.
Suspects library_said_absent(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (is_foreign(family)) return {};
    q.set("library", file_of(q.value("library")));
    return library_absent(q);
}

// TensorFlow looks for TensorRT and does without it.
Suspects library_absent_for_tensorflow(LogQuestion& q) {
    for (const char* name : {"library", "missing"})
        if (family_of(q.value(name)) == Family::tensorrt) return {};
    return library_absent(q);
}

// "Cannot load cudnn shared library": a name without "lib" and ".so".
Suspects library_by_word(LogQuestion& q) {
    const std::string word = q.value("word");
    if (family_of(word) == Family::other && stem_of(word) != "cuda") return {};
    // "nvrtc under the names ['nvrtc64_12', ...]"
    const std::string names = word + q.value("names");
    const bool windows = names.find("64_") != std::string::npos || is_windows_name(names);
    q.set("library", windows ? word + ".dll" : "lib" + stem_of(word) + ".so");
    return library_absent(q);
}

// "no jcudnn in java.library.path": JNI's module around it.
Suspects library_by_java(LogQuestion& q) {
    const std::string word = q.value("word");
    if (!starts_with(lower(word), "j")) return library_by_word(q);
    const std::string name = word.substr(starts_with(lower(word), "jni") ? 3 : 1);
    if (family_of(name) == Family::other) return {};
    // JCuda: "JCublas2-12.0.0-windows-x86_64"
    const bool is_of_jcuda = name.find("-x86_64") != std::string::npos;
    const std::string stem = stem_of(name.substr(0, name.find_first_of("2-")));
    if (name.find("windows") != std::string::npos) {
        q.set("library", stem + "64_*.dll");
        return {{"dll_missing", likely}, {"dll_of_other_cuda", likely}};
    }
    q.set("library", "lib" + stem + ".so");
    return {{"library_missing", is_of_jcuda ? likely : possible}};
}

// FFmpeg: "Cannot load libnvcuvid.so.1"
Suspects library_without_prefix(LogQuestion& q) {
    q.set("library", "lib" + q.value("so"));
    return library_absent(q);
}

// cuDNN 8 opens its libraries by name; the first of them was found if it is not the one that is missing, and
// then a DLL that this one needs is missing.
Suspects library_absent_or_its_own(LogQuestion& q) {
    const std::string library = q.value("library");
    if (family_of(library) != Family::cudnn || stem_of(library).find("64_8") == std::string::npos)
        return library_absent(q);
    if (stem_of(library).find("ops_infer") != std::string::npos)
        return {{"cudnn_missing", likely}, {"cudnn_dll_or_zlib", likely}};
    return {{"cudnn_dll_or_zlib", likely}, {"cudnn_missing", likely}};
}

// "-lcudart", "cudart.lib"
Suspects library_absent_for_linker(LogQuestion& q) {
    std::string word = q.value("word");
    for (const char* end : {".lib", "_static", ".a", ".so"})
        if (ends_with(word, end)) word.resize(word.size() - std::string(end).size());
    const Family family = family_of(word);
    if (family == Family::driver) return {{"driver_link_name", likely}, {"no_driver", possible}};
    if (family == Family::cudnn) return {{"cudnn_missing", likely}};
    if (family == Family::cuda || family == Family::nvrtc) {
        q.set("path", q.value("word"));
        return {{"toolkit_incomplete", likely}};
    }
    q.set("library", q.value("word"));
    if (family == Family::tensorrt) return {{"library_missing", likely}};
    return {{"missing_library", possible}};
}

// A DLL or library without a function that the program calls. The driver has no other copy.
Suspects entry_absent(LogQuestion& q) {
    // The package for the CPU lacks the functions that add a provider.
    const std::string symbol = q.value("symbol");
    if (starts_with(symbol, "OrtSessionOptionsAppendExecutionProvider_"))
        return {{"framework_cpu_only", likely}};
    if (family_of(q.value("library")) != Family::driver) return {{"dll_shadowed", q.confidence}};
    q.set("entry", q.value("symbol"));
    return {{"driver_too_old", q.confidence}};
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
    if (family == Family::driver) return {{"driver_file_damaged", likely}};
    return {{family == Family::cudnn ? "cudnn_missing" : "library_missing", likely}};
}

// "wrong ELF class": programs that try all folders meet the driver's 32 bit libraries, and go on.
Suspects library_for_other_machine(LogQuestion& q) {
    if (family_of(q.value("library")) == Family::driver) return {};
    return {{"tool_does_not_run", q.confidence}};
}

Suspects library_unfit(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", likely}};
    if (family == Family::cudnn) return {{"cudnn_mixed", likely}};
    return is_windows_name(q.value("library")) ? Suspects{{"dll_missing", q.confidence}}
                                               : Suspects{{"library_missing", q.confidence}};
}

// "libcublasLt.so.11 not defined", which may be about something else.
Suspects library_not_defined(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", q.confidence}};
    return family == Family::cudnn ? Suspects{{"cudnn_mixed", q.confidence}} : Suspects{};
}

// XLA wraps every reason in this line; without a known one the driver is the usual cause.
Suspects jax_backend(LogQuestion& q) {
    if (q.has_cause("cudnn_versions") || q.has_cause("cudnn_older")) return {};
    return {{"no_driver", possible}, {"library_missing", possible}};
}

Suspects ort_provider(LogQuestion& q) {
    if (q.all.of_windows || q.has_mark("windows") || q.has_value("needed_by", "\\"))
        return {{"dll_missing", likely}, {"dll_of_other_cuda", possible}, {"cudnn_missing", possible}};
    return {{"library_missing", likely}, {"cudnn_missing", possible}, {"library_of_other_cuda", possible}};
}

// "DLL load failed while importing X": X may be anybody's module.
bool is_module_of_cuda(const std::string& module) {
    for (const char* part :
         {"torch",        "_pywrap", "onnxruntime", "cuda",       "cupy",        "libtriton",
          "tensorrt",     "paddle",  "xla",         "flash_attn", "llama",       "ggml",
          "whisper",      "xgboost", "faiss",       "tvm",        "ctranslate2", "mxnet",
          "bitsandbytes", "llmodel", "cudnn",       "cublas",     "nvinfer"})
        if (module.find(part) != std::string::npos) return true;
    return module == "_C" || module == "_ext";
}

// "Could not find module 'X' (or one of its dependencies)": a full path was there when Python named it.
Suspects module_or_dependency(LogQuestion& q) {
    const std::string path = q.value("needed_by");
    const std::string name = lower(file_of(path));
    if (family_of(name) == Family::other && !is_module_of_cuda(name))
        return {{"missing_dll", likely}, {"dll_missing", possible}};
    const bool is_whole = path.size() > 2 && path[1] == ':';
    if (is_whole) return {{"dll_missing", likely}, {"dll_folder_not_searched", likely}};
    return {{"dll_folder_not_searched", likely}, {"dll_missing", likely}};
}

// Whether a DLL is NVIDIA's or a framework's, by its name or its folder.
bool is_dll_of_cuda(const std::string& path) {
    const std::string small = lower(path), name = file_of(small);
    const Family family = family_of(name);
    if ((family != Family::other && family != Family::system) || is_module_of_cuda(name)) return true;
    if (name == "zlibwapi.dll") return true;  // of cuDNN 8
    for (const char* owner : {"torch", "onnxruntime", "tensorflow", "nvidia", "tensorrt", "tensorrt_libs",
                              "jaxlib", "paddle", "cupy", "cupy_backends", "llama_cpp", "ctranslate2",
                              "xformers", "bitsandbytes", "nvidia gpu computing toolkit"})
        for (const char* slash : {"\\", "/"})
            if (small.find(slash + std::string(owner) + slash) != std::string::npos) return true;
    return false;
}

// A number of cublasStatus_t
Suspects cublas_status(LogQuestion& q) {
    const std::string status = q.value("status");
    if (status == "3") return {{"gpu_memory", likely}, {"cublas_failed", possible}};
    if (status == "8") return {{"no_code_for_gpu", likely}, {"cublas_failed", possible}};
    if (status == "11") return {{"program_bug", possible}};
    if (status == "1") return {{"cublas_failed", possible}, {"gpu_memory", possible}};
    return {{"cublas_failed", possible}};
}

// GNU ld: a library needs another one that the command does not name.
Suspects dso_missing(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family != Family::driver && family != Family::cuda && family != Family::cudnn) return {};
    q.forget("symbol");
    q.set("path", q.value("library"));
    return {{"library_not_linked", likely}};
}

// torch has a module _C, too: "from torch._C import *".
bool is_module_of_extension(const LogQuestion& q) {
    const std::string module = q.value("module");
    return ends_with(module, "_cuda") || ends_with(module, "_ext") ||
           module.find("flash_attn") != std::string::npos ||
           (module == "_C" && q.has_mark("module_of_extension")) || q.is_after_mark("traceback_of_extension");
}

Suspects dll_not_started(LogQuestion& q) {
    const std::string module = q.value("module");
    if (module.empty() || (is_module_of_cuda(module) && !is_module_of_extension(q)))
        return {{"msvc_runtime", q.confidence}, {"dll_shadowed", possible}};
    const bool is_extension = is_module_of_extension(q);
    return {{"extension_for_other_release", is_extension ? q.confidence : possible},
            {"msvc_runtime", possible}};
}

// The module of an extension and the framework's DLLs are from different builds, or another DLL comes first.
Suspects dll_lacks_function(LogQuestion& q) {
    const std::string module = q.value("module");
    if (is_module_of_extension(q)) return {{"extension_for_other_release", likely}, {"dll_shadowed", likely}};
    return is_module_of_cuda(module) ? Suspects{{"dll_shadowed", q.confidence}}
                                     : Suspects{{"missing_dll", likely}, {"dll_shadowed", possible}};
}

Suspects dll_of_module(LogQuestion& q) {
    if (q.is_after_mark("traceback_of_extension"))
        return {{"extension_for_other_release", likely}, {"dll_missing", likely}};
    if (!is_module_of_cuda(q.value("module")))
        return {{"missing_dll", likely}, {"dll_missing", possible}, {"dll_folder_not_searched", possible}};
    return {{"dll_missing", likely}, {"dll_folder_not_searched", likely}};
}

Suspects module_for_other_machine(LogQuestion& q) {
    return is_module_of_cuda(q.value("module")) ? Suspects{{"dll_wrong_machine", q.confidence}}
                                                : Suspects{{"missing_dll", likely}};
}

}  // namespace

Suspects weighed_by_owner(LogQuestion& q, const Suspects& suspects) {
    static const std::set<std::string_view> of_dlls{"dll_missing", "dll_shadowed", "dll_wrong_machine",
                                                    "dll_of_other_cuda", "dll_folder_not_searched"};
    const auto is_of_dll = [](const Suspect& one) { return of_dlls.count(one.cause) != 0; };
    if (none_of(suspects, is_of_dll)) return suspects;
    // A DLL with its folder is there, so one that it needs is missing; of a bare name nothing is there to
    // read.
    if (const std::string by = q.value("needed_by"); by.find_first_of("/\\") != std::string::npos)
        q.set("deps_of", by);
    std::string foreign;
    // "System.DllNotFoundException: Unable to load DLL 'x.dll'" is two messages.
    for (const FoundMessage& one : q.all.messages) {
        if (one.line != q.message.line) continue;
        for (const char* name : {"needed_by", "library", "missing"})
            if (const std::string* value = one.value(name); value && !value->empty()) {
                if (is_dll_of_cuda(*value)) return suspects;
                foreign = *value;
            }
    }
    if (foreign.empty()) return suspects;
    Suspects weighed;
    for (const Suspect& one : suspects) {
        if (is_of_dll(one) && weighed.empty()) {
            q.set("needed_by", foreign);
            weighed.push_back({"foreign_dll", likely});
        }
        weighed.push_back({one.cause, is_of_dll(one) ? at_most(one.confidence, possible) : one.confidence});
    }
    return weighed;
}

std::vector<Refinement> refinements_of_libraries() {
    return {{"library_absent", library_absent},
            {"library_said_absent", library_said_absent},
            {"library_absent_at_link", library_absent_at_link},
            {"library_damaged", library_damaged},
            {"library_for_other_machine", library_for_other_machine},
            {"library_unfit", library_unfit},
            {"library_not_defined", library_not_defined},
            {"jax_backend", jax_backend},
            {"library_absent_for_tensorflow", library_absent_for_tensorflow},
            {"library_by_word", library_by_word},
            {"library_by_java", library_by_java},
            {"library_without_prefix", library_without_prefix},
            {"library_absent_or_its_own", library_absent_or_its_own},
            {"library_absent_for_linker", library_absent_for_linker},
            {"entry_absent", entry_absent},
            {"dso_missing", dso_missing},
            {"module_or_dependency", module_or_dependency},
            {"cublas_status", cublas_status},
            {"dll_lacks_function", dll_lacks_function},
            {"dll_not_started", dll_not_started},
            {"ort_provider", ort_provider},
            {"dll_of_module", dll_of_module},
            {"module_for_other_machine", module_for_other_machine}};
}

}  // namespace ptxguard
