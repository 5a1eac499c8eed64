// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <set>

#include "diagnose/library_releases.hpp"
#include "diagnose/question.hpp"
#include "facts/recipe_tables.hpp"
#include "messages/error_codes.hpp"
#include "model/arch.hpp"
#include "model/ranges.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

Suspects cudnn_versions(LogQuestion& q) {
    const LibraryReleases releases = library_releases(q.message);
    if (releases.loaded) q.set("cudnn_found", releases.loaded->text);
    if (releases.built) q.set("cudnn_built", releases.built->text);
    const auto& [library, loaded, built] = releases;
    if (!loaded || !built) return {{"cudnn_older", likely}};
    if (loaded->major() != built->major()) return {{"cudnn_major", certain}, {"cudnn_older", likely}};
    // Frameworks before 2019 refused newer minors too.
    if (loaded->minor() > built->minor()) return {{"cudnn_newer", q.confidence}};
    if (!(*loaded < *built)) {  // the message contradicts itself
        q.forget("cudnn_found");
        q.forget("cudnn_built");
        return {{"cudnn_older", likely}};
    }
    return {{"cudnn_older", q.confidence}};
}

// TensorFlow's next line after the one that says that it never calls ptxas here.
Suspects relies_on_driver(LogQuestion& q) {
    if (q.has_cause("ptxas_never_called")) return {{"ptxas_never_called", certain}};
    return {{"framework_finds_no_ptxas", q.confidence}};
}

Suspects toolkit_versions(LogQuestion& q) {
    // A message that names only the framework's side: the nvcc that the log prints is the other one.
    if (q.value("toolkit").empty() && !q.value("nvcc").empty())
        if (const auto nvcc = parse_version(q.value("nvcc"))) q.set("toolkit", nvcc->release());
    const auto toolkit = parse_version(q.value("toolkit")), built = parse_version(q.value("built"));
    if (!toolkit || !built) return {{"toolkit_major_mismatch", q.confidence}};
    if (toolkit->major() != built->major() || built->major() < 11)
        return {{"toolkit_major_mismatch", q.confidence}};
    return {{"toolkit_major_mismatch", at_most(q.confidence, likely)},
            {"toolkit_minor_mismatch", at_most(q.confidence, likely)}};
}

Suspects error_number(LogQuestion& q) {
    const ErrorCode* code = find_error_code(std::atoi(q.value("error").c_str()));
    if (!code) return {};
    Suspects suspects = code->suspects;
    for (Suspect& suspect : suspects) suspect.confidence = at_most(suspect.confidence, q.confidence);
    return suspects;
}

// At its start the driver does not look for the program's symbols, but for its own in another file.
Suspects error_number_of_start(LogQuestion& q) {
    if (q.value("error") == "500") return {{"driver_unusable", at_most(likely, q.confidence)}};
    return error_number(q);
}

// cuda-bindings and cuda-python: a function that the driver does not have.
Suspects driver_function_absent(LogQuestion& q) {
    q.set("entry", "cu" + q.value("entry_rest"));
    // "cuCtxGetDevice_v2" is newer than the name without it.
    const bool in_every = !ends_with(q.value("entry"), "_v2") && is_of_every_driver(q.value("entry"));
    if (in_every) return {{"no_driver", at_most(q.confidence, likely)}};
    return {{"driver_too_old", q.confidence}};
}

Suspects numba_error(LogQuestion& q) {
    const int number = std::atoi(q.value("error").c_str());
    if (number == 222)
        return {{"ptx_newer_than_driver", certain}, {"run_time_ptx_newer_than_driver", certain}};
    // Drivers before CUDA 11.1 have no number of its own for that, and Numba's compiler writes valid PTX.
    if (number == 218)
        return {{"run_time_ptx_newer_than_driver", likely}, {"ptx_does_not_compile", possible}};
    return error_number(q);
}

// "cuGetProcAddress"; others' functions have such names too.
Suspects driver_entry_absent(LogQuestion& q) {
    const std::string entry = q.value("entry");
    const bool of_driver = entry.size() > 2 && starts_with(entry, "cu") && entry[2] >= 'A' && entry[2] <= 'Z';
    return of_driver ? Suspects{{"driver_too_old", q.confidence}} : Suspects{};
}

// A message of ptxas's code, which is in the driver too.
Suspects ptx_reader(LogQuestion& q) {
    if (q.has_mark("jit_of_driver")) return {{"ptx_newer_than_driver", q.confidence}};
    return {{"ptx_newer_than_ptxas", q.confidence}, {"ptx_newer_than_driver", possible}};
}

// libNVVM: "IR version 1.6 incompatible with current version 2.0"
Suspects ir_versions(LogQuestion& q) {
    const auto made = parse_version(q.value("ir_made")), read = parse_version(q.value("ir_read"));
    if (q.has_mark("numba")) q.set("program", "Numba");
    if (!q.has_mark("nvvm") && !q.has_mark("numba")) return {{"ir_newer_than_linker", q.confidence}};
    if (!made || !read) return {{"ir_unfit_for_nvvm", q.confidence}};
    return {{*made < *read ? "ir_older_than_nvvm" : "ir_newer_than_nvvm", q.confidence}};
}

// "Memory usage: 7995392 bytes free, 11721572352 bytes total", which XLA prints beside a failed handle.
struct MemoryOfGpu {
    unsigned long long free = 0, total = 0;
    bool is_full() const { return total > 0 && free < total / 20; }
    bool is_free() const { return total > 0 && free > total / 5; }
};

MemoryOfGpu memory_of_gpu(const LogQuestion& q) {
    MemoryOfGpu memory;
    for (const FoundMessage& message : q.all.messages) {
        const std::string *free = message.value("free"), *total = message.value("total");
        if (!free || !total) continue;
        memory.free = std::strtoull(free->c_str(), nullptr, 10);
        memory.total = std::strtoull(total->c_str(), nullptr, 10);
        if (memory.is_full()) break;
    }
    return memory;
}

Suspects memory_usage(LogQuestion& q) {
    return memory_of_gpu(q).is_full() ? Suspects{{"gpu_memory", certain}} : Suspects{};
}

Suspects cudnn_not_initialized(LogQuestion& q) {
    Suspects suspects{{"cudnn_failed", possible}, {"gpu_memory", possible}};
    if (memory_of_gpu(q).is_free()) suspects.pop_back();
    return suspects;
}

// XLA prints the driver whenever cuDNN gives it no handle. With memory left, one that is older than all of
// CUDA 12 is the likely reason.
Suspects driver_in_doubt(LogQuestion& q) {
    constexpr int k_first_of_cuda_12 = 525;
    const auto driver = parse_version(q.value("driver"));
    const bool old = driver && driver->major() < k_first_of_cuda_12 && memory_of_gpu(q).is_free();
    return {{"driver_too_old", old ? likely : possible}};
}

// A file that names no release is no engine: "got 0.0.0".
Suspects plan_versions(LogQuestion& q) {
    const auto built = parse_version(q.value("plan_built"));
    const bool none = built && all_of(built->numbers, [](auto number) { return number == 0; });
    if (!none) return {{"plan_of_other_tensorrt", q.confidence}};
    q.forget("plan_built");
    return {{"plan_damaged", likely}, {"plan_of_other_tensorrt", possible}};
}

// Numbers of the file format, which no table translates into releases. 0 is read where no engine begins, or
// where the formats have nothing in common.
Suspects plan_formats(LogQuestion& q) {
    return {{"plan_of_other_tensorrt", q.value("format_built") == "0" ? likely : q.confidence}};
}

// xFormers: "PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)"
Suspects built_for_torch(LogQuestion& q) {
    q.set("extension", "xFormers");
    const std::string here = q.value("torch_here");
    if (here.find("+cpu") == std::string::npos) return {{"built_for_other_torch", certain}};
    q.set("framework", "PyTorch " + here);
    q.set("package", "torch");
    return {{"framework_cpu_only", certain}, {"built_for_other_torch", likely}};
}

Suspects jax_plugin(LogQuestion& q) {
    q.set("one", q.value("plugin") + " " + q.value("plugin_version"));
    q.set("other", "jaxlib " + q.value("jaxlib"));
    q.forget("package");
    return {{"companions", certain}};
}

// The result codes of NVML (nvml.h), which monitors and Ollama print.
Suspects nvml_number(LogQuestion& q) {
    switch (std::atoi(q.value("nvml").c_str())) {
        case 4: return {{"device_file_denied", q.confidence}};
        case 9:
        case 12:
        case 13: return {{"no_driver", q.confidence}};
        case 15: return {{"hardware", q.confidence}};
        case 17: return {{"gpu_access_blocked", q.confidence}};
        case 18: return {{"driver_mismatch", q.confidence}};
        case 999: return {{"driver_unknown_error", at_most(q.confidence, likely)}};
        default: return {{"driver_unusable", possible}};
    }
}

// nvidia-smi reaches the kernel's module, but not libcuda.
Suspects driver_library_fails(LogQuestion& q) {
    const bool in_wsl = q.all.of_wsl || q.has_value("wsl");
    return {{in_wsl ? "wsl_other_driver" : "driver_unusable", q.confidence}};
}

// Xid numbers of the kernel's log (NVIDIA's table): faults of a program, and of the GPU or its connection.
Suspects xid(LogQuestion& q) {
    static const std::set<int> of_programs{13, 31, 43, 45, 68}, of_the_driver{119, 120},
        of_hardware{48, 62, 63, 64, 74, 79, 92, 94, 95, 140};
    const int number = std::atoi(q.value("xid").c_str());
    if (of_programs.count(number)) return {{"program_bug", q.confidence}, {"hardware", possible}};
    if (of_hardware.count(number)) return {{"hardware", q.confidence}};
    if (of_the_driver.count(number)) return {{"driver_unusable", q.confidence}, {"hardware", possible}};
    return {{"hardware", possible}};
}

// The module that the kernel's build refuses.
Suspects module_of_nvidia(LogQuestion& q) {
    return starts_with(q.value("module"), "nvidia") ? Suspects{{"kernel_module_build", q.confidence}}
                                                    : Suspects{};
}

// CUDA.jl: "only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 13.0.0)"
Suspects supported_drivers(LogQuestion& q) {
    const auto here = parse_version(q.value("driver_cuda"));
    const bool older = here && here->major() < std::atoi(q.value("supported").c_str());
    return {{older ? "driver_too_old" : "package_older_than_driver", q.confidence}};
}

// Docker Desktop gets the driver's library from WSL.
Suspects no_driver_for_container(LogQuestion& q) {
    if (q.all.of_wsl) return {{"wsl_no_adapter", likely}, {"wsl_other_driver", possible}};
    return {{"no_driver", q.confidence}};
}

// An older driver cannot read the device code of newer releases.
Suspects kernel_image_invalid(LogQuestion& q) {
    Suspects suspects{{"no_code_for_gpu", likely}, {"ptx_newer_than_driver", q.confidence}};
    const int cuda = cuda_of_driver(q);
    if (cuda > 0 && cuda < 1204) suspects.insert(suspects.begin(), {"driver_too_old", likely});
    return suspects;
}

// PyTorch's list leaves out Jetson's GPUs although the code of the desktop's runs on them.
Suspects torch_lists_no_gpu(LogQuestion& q) {
    const auto arch = parse_arch(q.value("arch"));
    const bool of_jetson =
        arch && (arch->number == 53 || arch->number == 62 || arch->number == 72 || arch->number == 87);
    return {{"framework_lacks_gpu", of_jetson ? possible : q.confidence}};
}

Suspects nothing(LogQuestion&) { return {}; }
// DKMS builds the modules of others too.
Suspects dkms_failed(LogQuestion& q) {
    const bool of_nvidia =
        q.has_cause("kernel_module_build") || q.has_cause("no_driver") || !q.value("driver").empty();
    return {{"kernel_module_build", of_nvidia ? certain : possible}};
}
Suspects no_smi(LogQuestion& q) { return {{"no_driver", q.confidence}}; }

Suspects nvcc_absent(LogQuestion& q) {
    std::string root = q.value("path");
    while (!root.empty() && root.back() == '/') root.pop_back();
    if (!root.empty()) q.set("path", root + "/bin/nvcc");
    return {{"variable_names_no_toolkit", likely}, {"no_toolkit", likely}};
}

Suspects toolkit_too_old(LogQuestion& q) {
    if (q.value("toolkit").empty() && !q.value("found_cuda").empty()) q.set("toolkit", q.value("found_cuda"));
    return {{"toolkit_release_old", at_most(q.confidence, likely)}};
}
Suspects arch_unknown_to_torch(LogQuestion& q) {
    return {{"arch_unknown_to_build", q.value("arch").empty() ? likely : q.confidence}};
}
Suspects default_arch(LogQuestion&) {
    return {{"host_compiler_unsupported", possible},
            {"tool_does_not_run", possible},
            {"toolkit_incomplete", possible},
            {"toolkit_parts_disagree", possible}};
}
Suspects arch_list_empty(LogQuestion&) {
    return {{"tool_does_not_run", possible}, {"no_toolkit", possible}, {"native_without_gpu", possible}};
}
Suspects compiler_test(LogQuestion& q) {
    return {{"host_compiler_unsupported", possible},
            {"toolkit_parts_disagree", at_most(q.confidence, possible)},
            {"toolkit_incomplete", possible},
            {"tool_does_not_run", possible}};
}
// PyTorch's FindCUDA compared texts: "10.0.130" and "10.0" are one release.
Suspects parts_by_version(LogQuestion& q) {
    const std::string* of_nvcc = q.message.value("nvcc");
    const auto nvcc = parse_version(of_nvcc ? *of_nvcc : ""), headers = parse_version(q.value("headers"));
    if (!nvcc) return {{"toolkit_parts_disagree", possible}};
    if (headers && same_release(*nvcc, *headers)) return {};
    return {{"toolkit_parts_disagree", q.confidence}};
}
// Modules of CMake that search what a newer CUDA no longer has, and modules that an older CMake lacks.
Suspects cmake_module_too_old(LogQuestion& q) {
    return {{"cmake_too_old", q.confidence}, {"toolkit_incomplete", possible}};
}
// Whether it is older or newer than what the package supports.
Suspects toolkit_unsupported(LogQuestion& q) {
    const auto found = parse_version(q.value("found_cuda")), supported = parse_version(q.value("supported"));
    if (!found || !supported || *supported < *found) return {{"package_older_than_toolkit", q.confidence}};
    q.set("toolkit", q.value("found_cuda"));
    q.set("need", q.value("supported"));
    return {{"toolkit_release_old", q.confidence}};
}
Suspects cuda_target_absent(LogQuestion& q) {
    if (lower(q.value("target")) == "nvtoolsext") return {{"nvtx_absent", likely}, {"no_toolkit", possible}};
    q.set("path", "CUDA::" + q.value("target"));
    return {{"toolkit_incomplete", likely}, {"no_toolkit", possible}};
}
// It is CMake or nvcc that does not have the standard; CMake names both.
Suspects cmake_dialect(LogQuestion& q) {
    const BuildFeature* row = recipe_tables(q.facts).build_feature("C++" + q.value("standard"));
    const auto nvcc = parse_version(q.value("cmake_nvcc"));
    if (row && row->cuda) q.set("need", row->cuda->text);
    if (row && row->cmake) q.set("need_cmake", row->cmake->text);
    if (row && row->cuda && nvcc && *nvcc < *row->cuda) return {{"nvcc_lacks_standard", q.confidence}};
    if (row && row->cmake && nvcc) return {{"cmake_too_old", q.confidence}};
    return {{"cmake_too_old", at_most(q.confidence, likely)}, {"nvcc_lacks_standard", possible}};
}
}  // namespace

std::vector<Refinement> refinements_of_versions() {
    return {{"cudnn_versions", cudnn_versions},
            {"relies_on_driver", relies_on_driver},
            {"toolkit_versions", toolkit_versions},
            {"error_number", error_number},
            {"error_number_of_start", error_number_of_start},
            {"numba_error", numba_error},
            {"driver_function_absent", driver_function_absent},
            {"driver_entry_absent", driver_entry_absent},
            {"ptx_reader", ptx_reader},
            {"ir_versions", ir_versions},
            {"memory_usage", memory_usage},
            {"cudnn_not_initialized", cudnn_not_initialized},
            {"driver_in_doubt", driver_in_doubt},
            {"plan_versions", plan_versions},
            {"plan_formats", plan_formats},
            {"built_for_torch", built_for_torch},
            {"jax_plugin", jax_plugin},
            {"nvml_number", nvml_number},
            {"driver_library_fails", driver_library_fails},
            {"xid", xid},
            {"module_of_nvidia", module_of_nvidia},
            {"supported_drivers", supported_drivers},
            {"no_gpu_asked", nothing},
            {"no_smi", no_smi},
            {"no_driver_for_container", no_driver_for_container},
            {"dkms_failed", dkms_failed},
            {"kernel_image_invalid", kernel_image_invalid},
            {"torch_lists_no_gpu", torch_lists_no_gpu},
            {"nvcc_absent", nvcc_absent},
            {"toolkit_too_old", toolkit_too_old},
            {"toolkit_unsupported", toolkit_unsupported},
            {"arch_unknown_to_torch", arch_unknown_to_torch},
            {"default_arch", default_arch},
            {"arch_list_empty", arch_list_empty},
            {"compiler_test", compiler_test},
            {"parts_by_version", parts_by_version},
            {"cmake_module_too_old", cmake_module_too_old},
            {"cuda_target_absent", cuda_target_absent},
            {"cmake_dialect", cmake_dialect}};
}

}  // namespace ptxguard
