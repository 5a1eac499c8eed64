// SPDX-License-Identifier: Apache-2.0
#include "diagnose/library_names.hpp"
#include "diagnose/question.hpp"
#include "facts/libraries.hpp"
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
    if (q.has_pattern("{jetpack4}")) return {{"jetson_mounts", confidence}, {"library_missing", likely}};
    return {{"library_missing", confidence}, {"library_of_other_cuda", possible}};
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
    if (family == Family::tensorrt) return {{"library_missing", at_most(confidence, likely)}};
    if (library == "zlibwapi.dll") return {{"dll_missing", confidence}};
    if (family == Family::driver_part) return {{"driver_part_missing", confidence}};
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
        return of_absent_cuda(q, library, confidence);
    }
    return {{"missing_library", likely}};
}

// "Cannot load cudnn shared library", "no jcudnn in java.library.path": a name without "lib" and ".so".
Suspects library_by_word(LogQuestion& q) {
    const std::string word = q.value("word"), stem = stem_of(word);
    const bool bound = starts_with(lower(word), "j") && q.has_pattern("java.library.path");  // JNI around it
    const std::string name = bound ? word.substr(starts_with(lower(word), "jni") ? 3 : 1) : word;
    if (family_of(name) == Family::other && stem != "cuda") return {};
    // "nvrtc under the names ['nvrtc64_12', ...]"
    const bool windows = q.message.text.find("64_") != std::string::npos;
    q.set("library", windows ? word + ".dll" : "lib" + stem_of(name) + ".so");
    return bound ? Suspects{{"library_missing", possible}} : library_absent(q);
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
    return {{"missing_library", possible}};
}

// A DLL or library without a function that the program calls. The driver has no other copy.
Suspects entry_absent(LogQuestion& q) {
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

// "Could not find module 'X' (or one of its dependencies)": a full path was there when Python named it.
Suspects module_or_dependency(LogQuestion& q) {
    const std::string path = q.value("needed_by");
    const bool is_whole = path.size() > 2 && path[1] == ':';
    if (is_whole) return {{"dll_missing", likely}, {"dll_folder_not_searched", likely}};
    return {{"dll_folder_not_searched", likely}, {"dll_missing", likely}};
}

// GNU ld: a library needs another one that the command does not name.
Suspects dso_missing(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family != Family::driver && family != Family::cuda && family != Family::cudnn) return {};
    q.forget("symbol");
    q.set("path", q.value("library"));
    return {{"library_not_linked", likely}};
}

// PyTorch adds "or one of its dependencies" to every error of Windows; its number has its own row.
Suspects dll_not_loaded(LogQuestion& q) {
    for (const char* number : {"1114", "1455", "127]", "182]", "193]"})
        if (q.message.text.find(std::string("WinError ") + number) != std::string::npos) return {};
    return {{"dll_missing", q.confidence}};
}

Suspects dll_not_started(LogQuestion& q) {
    return {{"msvc_runtime", q.confidence}, {"dll_shadowed", possible}};
}

// The module of an extension and the framework's DLLs are from different builds, or another DLL comes first.
Suspects dll_lacks_function(LogQuestion& q) {
    const std::string module = q.value("module");
    const bool of_extension = ends_with(module, "_cuda") || ends_with(module, "_ext") ||
                              module.find("flash_attn") != std::string::npos;
    if (of_extension) return {{"extension_for_other_release", likely}, {"dll_shadowed", likely}};
    return {{"dll_shadowed", q.confidence}};
}

// "DLL load failed while importing X": X may be anybody's module.
Suspects dll_of_module(LogQuestion& q) {
    if (q.message.text.find("initialization routine failed") != std::string::npos) return dll_not_started(q);
    const std::string module = q.value("module");
    const auto has = [&](const char* part) { return module.find(part) != std::string::npos; };
    const bool of_cuda = has("torch") || has("_pywrap") || has("onnxruntime") || has("cuda") || has("cupy") ||
                         has("libtriton") || has("tensorrt") || has("paddle") || has("xla") ||
                         has("flash_attn") || module == "_C" || module == "_ext" || module == "libpaddle";
    if (!of_cuda)
        return {{"missing_dll", likely}, {"dll_missing", possible}, {"dll_folder_not_searched", possible}};
    return {{"dll_missing", likely}, {"dll_folder_not_searched", likely}};
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
            {"jax_backend", jax_backend},
            {"library_by_word", library_by_word},
            {"library_without_prefix", library_without_prefix},
            {"library_absent_or_its_own", library_absent_or_its_own},
            {"library_absent_for_linker", library_absent_for_linker},
            {"entry_absent", entry_absent},
            {"dso_missing", dso_missing},
            {"module_or_dependency", module_or_dependency},
            {"dll_not_loaded", dll_not_loaded},
            {"dll_lacks_function", dll_lacks_function},
            {"dll_not_started", dll_not_started},
            {"ort_provider", ort_provider},
            {"dll_of_module", dll_of_module},
            {"dll_folder_or_missing", dll_folder_or_missing}};
}

}  // namespace ptxguard
