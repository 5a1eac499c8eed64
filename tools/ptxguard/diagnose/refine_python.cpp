// Messages of Python's imports, whose meaning depends on the names of modules and symbols.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "diagnose/question.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string first_part(const std::string& module) { return module.substr(0, module.find('.')); }

// PyTorch, and what is released for one release of it.
bool is_beside_torch(const std::string& module) {
    static const std::set<std::string> names{"torch",  "torchvision", "torchaudio", "torchtext",
                                             "triton", "xformers",    "flash_attn", "torchao"};
    return names.count(first_part(module)) != 0;
}

Suspects packages_unfit(LogQuestion& q) {
    const std::string module = q.value("module");
    // What a binary of PyTorch lacks, another release or build of it has.
    // So has one of jaxlib, in which jax and its plugins look.
    if (starts_with_any(module, {"torch._C", "jaxlib", "jax._src.lib"}) || first_part(module) == "triton") {
        q.forget("package");
        return {{"companions", q.confidence}};
    }
    return {{"python_packages", q.confidence}};
}

Suspects import_fails(LogQuestion& q) {
    const std::string symbol = q.value("symbol"), module = q.value("module");
    const bool compiled =
        symbol == "_C" || symbol == "csrc" || ends_with(symbol, "_ext") || ends_with(symbol, "_cuda");
    if (!compiled || module == "torch") return packages_unfit(q);
    q.set("module", module + "." + symbol);
    return {{"extension_absent", likely}};
}

Suspects attribute_absent(LogQuestion& q) {
    static const std::set<std::string> known{
        "torch",     "torchvision", "torchaudio", "triton",        "jax",         "jaxlib",
        "flax",      "numpy",       "tensorflow", "keras",         "scipy",       "transformers",
        "diffusers", "PIL",         "gradio",     "pkg_resources", "onnxruntime", "onnx",
        "cv2",       "cupy",        "numba",      "setuptools",    "pydantic",    "collections"};
    const std::string module = q.value("module");
    if (!known.count(first_part(module))) return {};
    // A CPU build has none of these.
    const std::string symbol = q.value("symbol");
    const bool of_gpu = starts_with(module, "jaxlib") && starts_with_any(symbol, {"Gpu", "gpu", "cuda"});
    if (of_gpu || starts_with(symbol, "_cuda_")) return {{"framework_cpu_only", likely}};
    return packages_unfit(q);
}

// "'_OpNamespace' '_C' object has no attribute 'rms_norm'": the library with these operators was not loaded.
Suspects operators_absent(LogQuestion&) {
    return {{"extension_for_other_release", likely}, {"library_missing", possible}};
}

Suspects cmake_package_by_name(LogQuestion& q) {
    const std::string package = lower(q.value("package"));
    if (package == "cudatoolkit") return {};
    if (package == "cudnn") return {{"cudnn_missing", likely}};
    if (package == "cccl" || package == "thrust" || package == "cub" || package == "libcudacxx") {
        q.set("path", q.value("package"));
        return {{"toolkit_incomplete", likely}};
    }
    const bool of_others = is_beside_torch(package) || package == "opencv" || package == "tensorflow";
    return {{"cmake_package", of_others ? likely : q.confidence}};
}

}  // namespace

std::vector<Refinement> refinements_of_python() {
    return {{"import_fails", import_fails},
            {"attribute_absent", attribute_absent},
            {"operators_absent", operators_absent},
            {"cmake_package_by_name", cmake_package_by_name}};
}

}  // namespace ptxguard
