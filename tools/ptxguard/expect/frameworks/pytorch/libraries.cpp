// What torch's own libraries contain, read without loading them. Names are weaker evidence than version.py,
// and their origin shows that.
// SPDX-License-Identifier: Apache-2.0

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "expect/frameworks/triton/triton.hpp"
#include "formats/cmake_commands.hpp"
#include "formats/library_text.hpp"
#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard::pytorch {

namespace {

constexpr std::uint64_t k_section_limit = 8u << 20;

Origin by_name(const std::string& path) {
    Origin origin = Origin::from_library(path, "the library's name, " + path, Certainty::read);
    return origin;
}

std::optional<Vendor> vendor_of_library(const std::string& name) {
    const auto is = [&](const char* stem) {
        return starts_with(name, std::string("lib") + stem + ".so") || name == std::string(stem) + ".dll";
    };
    if (is("torch_xpu")) return Vendor::xpu;
    if (is("torch_hip")) return Vendor::rocm;
    if (is("torch_cuda") || is("torch_cuda_cu")) return Vendor::cuda;
    return std::nullopt;
}

void read_names(const Host& host, const std::string& library_folder, Expectation& expectation) {
    const Entries entries = entries_in(host, library_folder);
    for (const DirectoryEntry& entry : entries) {
        const std::string path = join_path(library_folder, entry.name), name = lower(entry.name);
        const auto vendor = vendor_of_library(name);
        if (vendor && !expectation.vendor) set_vendor(expectation, *vendor, by_name(path));
        const auto cuda = cuda_of_library(entry.name), cudnn = cudnn_of_library(entry.name);
        if (cuda && plausible(*cuda) && !expectation.cuda) expectation.cuda = {*cuda, by_name(path)};
        if (cudnn && plausible(*cudnn) && !expectation.cudnn) expectation.cudnn = {*cudnn, by_name(path)};
    }
    const bool has_cpu = any_of(entries, [](const DirectoryEntry& entry) {
        return starts_with(entry.name, "libtorch_cpu.so") || lower(entry.name) == "torch_cpu.dll";
    });
    if (has_cpu && !expectation.vendor)
        set_vendor(expectation, Vendor::cpu, by_name(join_path(library_folder, "libtorch_cpu")));
}

void read_archs(const Host& host, const std::string& path, Expectation& expectation) {
    const auto library = host.open(path);
    if (!library) return;
    const auto archs = find_arch_flags(bytes_in(*library, read_only_data(*library), k_section_limit), false);
    if (!archs) return;
    Origin origin =
        Origin::from_library(path, "the architectures compiled in, from " + path, Certainty::read);
    expectation.archs = {*archs, origin};
}

// Up to CUDA 10 its file name contains the runtime's release, later only the major.
void read_needed(const Host& host, const std::string& path, Expectation& expectation) {
    for (const std::string& name : needed_by(host, path)) {
        const auto cuda = cuda_of_library(name);
        if (!cuda || !plausible(*cuda)) continue;
        Origin origin = Origin::from_library(path, path + " needs " + name, Certainty::read);
        expectation.cuda = {*cuda, origin};
        return;
    }
}

}  // namespace

void read_libraries(const Host& host, const std::string& libraries, Expectation& expectation) {
    read_names(host, libraries, expectation);
    const bool windows = host.system() == System::windows;
    if (!expectation.cxx_abi)
        expectation.cxx_abi = abi_of_library(host, join_path(libraries, "libc10.so"), "3c10");
    if (!expectation.archs && expectation.is_of(Vendor::cuda))
        read_archs(host, join_path(libraries, windows ? "torch_python.dll" : "libtorch_python.so"),
                   expectation);
    if (!expectation.cuda && expectation.is_of(Vendor::cuda))
        read_needed(host, join_path(libraries, windows ? "c10_cuda.dll" : "libc10_cuda.so"), expectation);
}

void add_tools(const Host& host, const std::string& site, const std::string& folder,
               Expectation& expectation) {
    // torch.compile's worker sets TRITON_PTXAS_PATH to torch/bin/ptxas, which comes before Triton's own.
    add_tool(host, join_path(folder, "bin/" + executable_name("ptxas", host.system())), "ptxas",
             "torch.compile", expectation);
    triton::add_tools(host, join_path(site, "triton"), expectation);
}

// Up to torch 2.6, TorchConfig.cmake sets the std::string ABI for its users; later ones rely on libstdc++'s
// default, and then the libraries are read (libraries.cpp).

namespace {

constexpr std::string_view k_macro = "_GLIBCXX_USE_CXX11_ABI=";

Known<int> abi_of(const CMakeCommand& command, const std::string& path) {
    if (command.name != "set" || command.arguments.empty() || command.arguments[0] != "TORCH_CXX_FLAGS")
        return {};
    for (const std::string& argument : command.arguments) {
        const std::size_t at = argument.find(k_macro);
        if (at == std::string::npos) continue;
        const std::string value = argument.substr(at + k_macro.size(), 1);
        if (value == "0" || value == "1") return {value == "1", Origin::from_file(path, command.line)};
    }
    return {};
}

// "CXX_STANDARD 17" of a target, or the feature cxx_std_17.
Known<int> standard_of(const CMakeCommand& command, const std::string& path) {
    const auto& words = command.arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string number;
        if (words[i] == "CXX_STANDARD" && i + 1 < words.size()) number = words[i + 1];
        if (starts_with(words[i], "cxx_std_")) number = words[i].substr(8);
        for (const int standard : {11, 14, 17, 20, 23, 26})
            if (number == std::to_string(standard))
                return {standard,
                        Origin::from_file(path, command.lines[i + (words[i] == "CXX_STANDARD" ? 1 : 0)])};
    }
    return {};
}

}  // namespace

void read_cmake_config(std::string_view text, const std::string& path, System system,
                       Expectation& expectation) {
    for (const CMakeCommand& command : read_cmake_commands(text)) {
        if (system == System::linux_)
            if (auto abi = abi_of(command, path)) expectation.cxx_abi = abi;
        const bool sets = command.name == "set_target_properties" || command.name == "set_property" ||
                          command.name == "target_compile_features";
        if (!sets) continue;
        if (auto standard = standard_of(command, path)) expectation.cxx_standard = standard;
    }
}

}  // namespace ptxguard::pytorch
