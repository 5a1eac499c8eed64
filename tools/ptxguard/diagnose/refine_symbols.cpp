// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "diagnose/library_names.hpp"
#include "diagnose/question.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The library of CUDA that exports this function; null = none, or not known.
const char* library_of_symbol(const std::string& symbol) {
    if (symbol.find("nvJitLink") != std::string::npos) return "nvJitLink";
    for (const auto& [start, library] :
         {std::pair{"cublasLt", "cublasLt"}, std::pair{"cublas", "cublas"}, std::pair{"cusolver", "cusolver"},
          std::pair{"cufft", "cufft"}, std::pair{"cusparse", "cusparse"}, std::pair{"nccl", "nccl"}})
        if (starts_with(symbol, start)) return library;
    return nullptr;
}

// PyTorch's C functions of 1.x: THCudaMalloc, THPVariableClass.
bool is_of_old_torch(const std::string& symbol) {
    return starts_with_any(symbol, {"THC", "THP", "THNN", "THTensor", "THFloat"});
}

// PyTorch's wheels had the old ABI up to 2.5, and Python 3.8 has no newer ones: then it is another release
// that lacks the symbol.
bool is_of_old_abi(const LogQuestion& q) {
    const auto torch = parse_version(q.value("torch"));
    if (torch) return torch->major() < 2 || (torch->major() == 2 && torch->minor() < 6);
    const std::string by = q.value("needed_by");
    return by.find("python3.6/") != std::string::npos || by.find("python3.7/") != std::string::npos ||
           by.find("python3.8/") != std::string::npos;
}

// nvidia-nccl-cu11 and nvidia-nccl-cu12 in one environment: both write nvidia/nccl/lib/libnccl.so.2.
bool two_packages_of(LogQuestion& q, const std::string& library) {
    std::set<std::string> wheels;
    for (const FoundMessage& one : q.all.messages)
        if (const std::string* cuda = one.value(library + "_cuda"))
            wheels.insert("nvidia-" + library + "-cu" + *cuda);
    if (wheels.size() < 2) return false;
    q.set("one", *wheels.begin());
    q.set("other", *wheels.rbegin());
    return true;
}

// What nobody but its builder chose the CUDA of: a library keeps its name within a major release, and its
// functions too.
Suspects lacking_in_set(const LogQuestion& q) {
    const std::string by = q.value("needed_by");
    if (!by.empty() && !q.value("symbol").empty() && family_of(by) == Family::other)
        return {{"library_older_than_build", certain}, {"library_captured", possible}};
    return {{"library_set_mixed", certain}, {"library_captured", likely}};
}

Suspects symbol_version(LogQuestion& q) {
    const std::string symbol = q.value("symbol"), library = q.value("library");
    // Apptainer's --nv binds the driver's libraries of the host to this place.
    if (starts_with(symbol, "GLIBC_") && starts_with(q.value("needed_by"), "/.singularity.d/libs/"))
        return {{"container_glibc_too_old", certain}};
    if (starts_with(symbol, "GLIBC_")) return {{"glibc_too_old", certain}};
    // NVIDIA's libraries have their own name as the version: "libcublasLt.so.12".
    const Family family = family_of(library.empty() ? symbol : library);
    if (family == Family::cudnn) return {{"cudnn_mixed", likely}};
    if (family == Family::cuda || family == Family::nvrtc) return {{"library_set_mixed", certain}};
    return {{"symbol_version_missing", certain}};
}

Suspects symbol_of_library(LogQuestion& q) {
    const Family family = family_of(q.value("library"));
    if (family == Family::cudnn) return {{"cudnn_mixed", certain}};
    if (family == Family::driver) {
        q.set("entry", q.value("symbol"));
        return {{"driver_too_old", likely}};
    }
    if (family == Family::torch) return {{"extension_for_other_release", likely}};
    if (family == Family::cuda || family == Family::nvrtc) return lacking_in_set(q);
    return {{"undefined_symbol", likely}};
}

bool has_part(const std::string& name, std::initializer_list<const char*> parts) {
    return any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

Suspects symbol_of_set(LogQuestion& q, const std::string& symbol, const std::string& by,
                       const std::string& library) {
    q.set("library", "lib" + library);
    q.set("lacking", symbol);
    if (two_packages_of(q, lower(library))) return {{"packages_overwrite", certain}};
    // A library that names no symbol versions may just not be linked with it.
    const Family asks = family_of(by);
    const bool of_set = asks == Family::cuda || asks == Family::torch || asks == Family::cudnn || by.empty();
    return {{"library_set_mixed", of_set ? certain : likely}, {"library_captured", likely}};
}

Suspects symbol_of_driver(LogQuestion& q, const std::string& symbol, const std::string& by) {
    if (is_of_every_driver(symbol) && file_of(by).find("libcuda") == std::string::npos) {
        set_link(q, true);
        return {{"library_not_linked", likely}, {"driver_too_old", possible}};
    }
    q.set("entry", symbol);
    return {{"driver_too_old", likely}, {"stub_library", possible}};
}

Suspects symbol_of_torch(const LogQuestion& q, const std::string& symbol) {
    const bool old_abi =
        (ends_with(symbol, "Ss") || has_part(symbol, {"RKSs", "ESs"})) && !has_part(symbol, {"__cxx11"});
    if (old_abi && !is_of_old_abi(q))
        return {{"cxx_abi", likely}, {"extension_for_other_release", likely}, {"companions", possible}};
    return {{"extension_for_other_release", likely}, {"cxx_abi", possible}, {"companions", possible}};
}

// cuInit, cuMemAlloc_v2
bool is_of_driver(const std::string& symbol) {
    return starts_with(symbol, "cu") && symbol.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2) == 2;
}

// A symbol without a version: whose it is follows from its name.
Suspects symbol_absent(LogQuestion& q) {
    const std::string symbol = q.value("symbol"), by = q.value("needed_by");
    // bitsandbytes loads this one where it finds no GPU.
    if (has_part(by, {"libbitsandbytes_cpu"})) return {{"framework_cpu_only", likely}};
    if (const char* const library = library_of_symbol(symbol)) return symbol_of_set(q, symbol, by, library);
    if (starts_with(symbol, "cudnn")) return {{"cudnn_mixed", likely}, {"cudnn_missing", possible}};
    if (is_of_driver(symbol)) return symbol_of_driver(q, symbol, by);
    if (starts_with(symbol, "cuda")) return {{"library_set_mixed", likely}};
    if (starts_with(symbol, "__cuda"))
        return {{"toolkit_parts_disagree", likely}, {"library_set_mixed", possible}};
    if (has_part(symbol, {"c10", "at4_ops", "2at", "torch", "6caffe2"}) || is_of_old_torch(symbol))
        return symbol_of_torch(q, symbol);
    if (starts_with_any(symbol, {"Py", "_Py"})) return {{"python_mismatch", likely}};
    if (has_part(symbol, {"tensorflow", "perftools8gputools", "stream_executor"}))
        return {{"extension_for_other_release", likely}, {"cxx_abi", possible}};
    if (starts_with(symbol, "iJIT_")) return {{"missing_library", likely}};
    if (family_of(by) != Family::other) return {{"library_set_mixed", likely}};
    // A program or module without anything of CUDA or Python around it.
    if (!by.empty() && !has_part(by, {"packages/", "cuda", "nvidia", "torch"})) return {};
    return {{"undefined_symbol", possible}};
}

// LD_DEBUG=libs: a library of NVIDIA's wheels needs another one, and the last file that is tried for it is in
// a folder of LD_LIBRARY_PATH.
Suspects loader_trace(LogQuestion& q) {
    const std::string folders = ":" + q.value("folders") + ":";
    std::string wanted, by, taken;
    for (const FoundMessage& one : q.all.messages) {
        const std::string* needed_by = one.value("needed_by");
        if (needed_by && one.value("space") && needed_by->find("/site-packages/") != std::string::npos &&
            family_of(*one.value("library")) != Family::other) {
            if (!taken.empty()) break;
            wanted = *one.value("library");
            by = *needed_by;
        }
        const std::string* tried = one.value("tried");
        if (!tried || wanted.empty()) continue;
        const std::size_t slash = tried->find_last_of('/');
        if (slash == std::string::npos || tried->substr(slash + 1) != wanted) continue;
        taken = folders.find(":" + tried->substr(0, slash) + ":") == std::string::npos ? "" : *tried;
    }
    if (taken.empty()) return {};
    q.set("captured", taken);
    q.set("captured_by", by.substr(by.find_last_of('/') + 1));
    return {{"library_captured", likely}};
}

}  // namespace

bool is_of_every_driver(std::string symbol) {
    static const std::vector<std::string> names = split(
        "cuInit cuDeviceGet cuDeviceGetCount cuDeviceGetAttribute cuDeviceGetName cuDeviceTotalMem "
        "cuCtxCreate cuCtxDestroy cuCtxGetCurrent cuCtxSetCurrent cuCtxPushCurrent cuCtxPopCurrent "
        "cuCtxGetDevice cuCtxSynchronize cuDevicePrimaryCtxRetain cuMemAlloc cuMemFree cuMemcpyHtoD "
        "cuMemcpyDtoH cuMemcpyDtoD cuMemcpyHtoDAsync cuMemcpyDtoHAsync cuMemGetInfo cuMemAllocHost "
        "cuMemFreeHost cuMemCreate cuMemMap cuMemUnmap cuMemRelease cuMemAddressReserve cuMemAddressFree "
        "cuMemSetAccess cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleUnload cuModuleGetFunction "
        "cuModuleGetGlobal cuLaunchKernel cuStreamCreate cuStreamDestroy cuStreamSynchronize "
        "cuStreamWaitEvent cuEventCreate cuEventDestroy cuEventRecord cuEventSynchronize cuFuncGetAttribute "
        "cuFuncSetAttribute cuGetErrorName cuGetErrorString cuDriverGetVersion cuPointerGetAttribute "
        "cuLinkCreate cuLinkAddData",
        " ");
    if (ends_with(symbol, "_v2")) symbol.resize(symbol.size() - 3);
    return contains(names, symbol);
}

std::vector<Refinement> refinements_of_symbols() {
    return {{"symbol_version", symbol_version},
            {"symbol_of_library", symbol_of_library},
            {"symbol_absent", symbol_absent},
            {"loader_trace", loader_trace}};
}

}  // namespace ptxguard
