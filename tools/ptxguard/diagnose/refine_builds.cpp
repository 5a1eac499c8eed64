// Which program, option or device code it is that a build misses.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "diagnose/question.hpp"
#include "model/arch.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

// A program that is not found, by its name. Other programs are no business of a build's toolchain.
Suspects tool_absent(LogQuestion& q) {
    static const std::vector<std::string> of_builds = split(
        "ninja cmake git make gmake gcc g++ cc c++ clang clang++ cl ld ar gfortran x86_64-linux-gnu-gcc "
        "x86_64-linux-gnu-g++ aarch64-linux-gnu-gcc cargo rustc protoc swig bazel bazelisk meson pkg-config "
        "patchelf ccache sccache nasm python python3 patch cython lld ld.lld",
        " ");
    static const std::set<std::string> of_toolkit{"ptxas", "cicc",      "cudafe++", "fatbinary", "nvlink",
                                                  "bin2c", "cuobjdump", "nvdisasm", "nvprune"};
    std::string name = file_of(q.value("tool"));
    if (ends_with(lower(name), ".exe")) name.resize(name.size() - 4);
    if (contains(of_builds, name)) {
        q.set("tool", name);
        return {{"missing_tool", q.confidence}};
    }
    if (of_toolkit.count(name)) {
        q.set("path", name);
        return {{"toolkit_incomplete", likely}};
    }
    if (name == "nvcc" && q.value("tool").find_first_of("/\\") == npos)
        return {{"no_toolkit", at_most(q.confidence, likely)}, {"nvcc_off_path", possible}};
    if (starts_with_any(name, {"nvidia-container-", "nvidia-ctk", "nvidia-docker"}))
        return {{"no_container_toolkit", certain}};
    return {};
}

// Docker and Go. The rows of a shell name nvcc and nvidia-smi themselves.
Suspects tool_absent_in_container(LogQuestion& q) {
    const std::string name = file_of(q.value("tool"));
    if (name == "nvidia-smi") return {{"container_sees_no_gpu", likely}};
    if (name == "nvcc") return {{"no_toolkit", likely}, {"image_without_nvcc", likely}};
    return tool_absent(q);
}

// Python's words for a file of any kind; libraries have their own rows.
Suspects file_or_tool_absent(LogQuestion& q) {
    Suspects suspects = tool_absent(q);
    const std::string name = file_of(q.value("tool"));
    if (!suspects.empty() || starts_with(name, "nv") || name.find(".so") != std::string::npos)
        return suspects;
    q.set("path", q.value("tool"));
    return {{"file_absent", possible}};
}

// A program for another processor; of others' programs the toolchain knows nothing.
Suspects exec_format(LogQuestion& q) {
    const std::string line = lower(q.message.text);
    for (const char* tool : {"nvcc", "ptxas", "cicc", "cudafe", "fatbinary", "nvlink", "cuobjdump", "/cuda"})
        if (line.find(tool) != std::string::npos) return {{"tool_does_not_run", q.confidence}};
    return {};
}

// "fused_layer_norm_cuda", "mmcv._ext", "detectron2._C": what a package compiles, and no package of an index.
Suspects module_absent(LogQuestion& q) {
    static const std::vector<std::string> compiled = split(
        "spconv.core_cc fused_dense_lib dropout_layer_norm xentropy_cuda_lib rotary_emb amp_C apex_C syncbn "
        "exllama_kernels exllamav2_ext fast_multihead_attn awq_ext curope awq_inference_engine pointops "
        "chamfer_3D MultiScaleDeformableAttention",
        " ");
    const std::string module = q.value("module");
    const bool of_package = ends_with(module, "._C") || ends_with(module, "._ext");
    if (of_package || ends_with(module, "_cuda") || contains(compiled, module))
        return {{"extension_absent", likely}};
    return {{"missing_module", q.confidence}};
}

// "compute_native", "compute_", "compute_80+PTX"
Suspects arch_text(LogQuestion& q) {
    if (ends_with(q.value("value"), "_native")) return {{"native_unresolved", q.confidence}};
    return {{"arch_not_a_name", q.confidence}};
}

// "compute_1", "compute_65": no GPU has it. One above all that the tables list may be newer than they are.
Suspects arch_asked_of_nvcc(LogQuestion& q) {
    const auto arch = parse_arch(q.value("arch"));
    const std::vector<Arch> listed = q.facts.archs();
    if (arch && (contains(listed, Arch{arch->number}) || listed.back().number < arch->number))
        return {{"arch_unknown_to_nvcc", q.confidence}};
    q.set("value", q.value("arch"));
    return {{"arch_not_a_name", q.confidence}};
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

// "Instruction 'wgmma.fence' not supported on .target 'sm_90'": of 90a only. A compiler that writes PTX at
// run time names the GPU itself; there, and with the letter, this GPU has no such instruction.
Suspects instruction_absent(LogQuestion& q) {
    const auto arch = parse_arch(q.value("arch"));
    if (arch && arch->number < 90) return {{"list_lacks_gpu", q.confidence}};
    const bool plain = arch && arch->suffix == 0 && !q.has_mark("triton");
    if (plain && arch->major() < 12) return {{"arch_lacks_suffix", likely}};
    if (plain) return {{"ptx_does_not_compile", q.confidence}, {"arch_lacks_suffix", likely}};
    return {{"ptx_does_not_compile", q.confidence}};
}

// nvcc's options that a release added; others are of the host compiler, or of programs that expect another
// nvcc.
Suspects nvcc_option(LogQuestion& q) {
    std::string option = q.value("option");
    option.erase(0, std::min(option.find_first_not_of('-'), option.size()));
    option.resize(std::min(option.find('='), option.size()));
    q.set("option", option);
    static const std::map<std::string, const char*> since{{"compress-mode", "12.8"},
                                                          {"static-global-template-stub", "12.8"},
                                                          {"threads", "11.2"},
                                                          {"diag-suppress", ""},
                                                          {"extended-lambda", ""},
                                                          {"forward-unknown-to-host-compiler", ""},
                                                          {"allow-unsupported-compiler", ""},
                                                          {"split-compile", ""},
                                                          {"jobserver", ""},
                                                          {"relocatable-ptx", ""},
                                                          {"device-entity-has-hidden-visibility", ""},
                                                          {"fdevice-time-trace", ""},
                                                          {"generate-dependencies-with-compile", ""},
                                                          {"MD", ""}};
    if (const auto known = since.find(option); known != since.end()) {
        if (*known->second) q.set("since", known->second);
        return {{"nvcc_older_than_option", *known->second ? certain : likely}};
    }
    const bool of_host =
        starts_with_any(option, {"W", "f", "m", "pthread", "isystem=", "openmp", "O3 ", "Z"});
    if (of_host) return {{"command_wrong", likely}};
    return {{"toolkit_parts_disagree", possible}, {"command_wrong", possible}};
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

// The framework sees no GPU: the rest of the log may say that it is a CPU build, that the driver is older
// than its CUDA, or that there is none. In a container a device file is missing more often than a CUDA build.
Suspects sees_no_gpu(LogQuestion& q) {
    const std::string torch = q.value("torch");
    if (torch.find("+cpu") != std::string::npos || q.has_value("torch_build", "None"))
        return {{"framework_cpu_only", likely}};
    const auto built = parse_version(q.value("torch_cuda")), driver = parse_version(q.value("driver_cuda"));
    if (built && driver && driver->major() < built->major()) {
        q.set("runtime", "CUDA " + q.value("torch_cuda"));
        return {{"driver_too_old", likely}, {"cuda_unavailable", possible}};
    }
    if (q.has_value("cdi") || q.has_value("container_command"))
        return {{"cuda_unavailable_in_container", likely}, {"cuda_unavailable", possible}};
    return {{"cuda_unavailable", q.confidence}};
}

// From 2.11 on TensorFlow has no CUDA build for Windows.
Suspects tensorflow_without_cuda(LogQuestion& q) {
    const auto version = parse_version(q.value("tensorflow"));
    const bool is_new =
        version && (version->major() > 2 || (version->major() == 2 && version->minor() >= 11));
    if (is_new && q.all.of_windows && !q.all.of_wsl) return {{"tensorflow_of_windows", likely}};
    return {{q.confidence == possible ? "cuda_unavailable" : "framework_cpu_only", q.confidence}};
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
    return {{"module_absent", module_absent},
            {"arch_word", arch_word},
            {"arch_text", arch_text},
            {"arch_asked_of_nvcc", arch_asked_of_nvcc},
            {"api_not_linked", api_not_linked},
            {"tool_absent", tool_absent},
            {"tool_absent_in_container", tool_absent_in_container},
            {"file_or_tool_absent", file_or_tool_absent},
            {"build_tool", build_tool},
            {"exec_format", exec_format},
            {"nvcc_option", nvcc_option},
            {"instruction_absent", instruction_absent},
            {"nvlink_releases", nvlink_releases},
            {"ggml_archs", ggml_archs},
            {"sees_no_gpu", sees_no_gpu},
            {"tensorflow_without_cuda", tensorflow_without_cuda},
            {"packages_of_driver", packages_of_driver}};
}

}  // namespace ptxguard
