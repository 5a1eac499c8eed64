// Compilers in Python packages: NVIDIA's wheels, Triton, torch.
// SPDX-License-Identifier: Apache-2.0
#include "discover/compilers_found.hpp"
#include "formats/tool_file.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

void find_in_wheel(const std::string& root, FoundCompilers& found) {
    const Host& host = found.host();
    found.add(ConsumerKind::ptxas, join_path(root, "bin/" + executable_name("ptxas", host.system())));
    add_tileiras(join_path(root, "bin"), found);
    const bool windows = host.system() == System::windows;
    const std::vector<std::string> folders =
        windows ? std::vector<std::string>{"bin", "bin/x64", "bin/x86_64", "nvvm/bin"}
                : std::vector<std::string>{"lib", "nvvm/lib64"};
    for (const std::string& folder : folders) find_libraries_in(join_path(root, folder), found);
}

void find_triton(const std::string& site, FoundCompilers& found) {
    const Host& host = found.host();
    const std::string root = join_path(site, "triton");
    std::vector<BundledTool> tools;
    for (const char* folder : {"backends/nvidia/bin", "third_party/cuda/bin"})
        for (const char* name : {"ptxas", "ptxas-blackwell"}) {
            const std::string path = join_path(join_path(root, folder), executable_name(name, host.system()));
            if (!is_file(host, path)) continue;
            const bool newer = std::string(name) != "ptxas";
            found.add(ConsumerKind::ptxas, path, {},
                      newer ? "Triton, compute capability 10.0 and above" : "Triton");
            BundledTool tool;
            tool.path = path;
            tool.tool = name;
            tools.push_back(tool);
        }
    if (tools.empty()) return;
    // Replaces the ptxas for older GPUs; ptxas-blackwell has no such variable.
    const std::string chosen = host.env("TRITON_PTXAS_PATH").value_or("");
    if (!chosen.empty() && found.add(ConsumerKind::ptxas, chosen, {}, "Triton, by TRITON_PTXAS_PATH"))
        for (BundledTool& tool : tools)
            if (tool.tool == "ptxas") tool.path = chosen;
    found.add_triton(root, installed_version(host, site, {"triton*", "pytorch-triton"})).tools =
        std::move(tools);
}

}  // namespace

void add_tileiras(const std::string& folder, FoundCompilers& found) {
    const std::string path = join_path(folder, executable_name("tileiras", found.host().system()));
    if (is_file(found.host(), path))
        found.add(ConsumerKind::tileiras, path, found.owners().owner(path, {"tileiras"}).version);
}

void find_libraries_in(const std::string& folder, FoundCompilers& found) {
    const Host& host = found.host();
    const auto entries = host.list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
        const std::string path = join_path(folder, entry.name);
        const ToolFile kind = tool_file(entry.name);
        // libnvrtc.alt.so and the like are copies of the same library for another way of loading.
        if (entry.name.find(".alt.") != std::string::npos) continue;
        if (kind == ToolFile::nvrtc)
            found.add(ProducerKind::nvrtc, path, library_version(found, path, "nvrtc"));
        if (kind == ToolFile::libnvvm)
            found.add(ProducerKind::libnvvm, path, library_version(found, path, "nvvm"));
    }
    find_linker_in(folder, found);
}

void find_linker_in(const std::string& folder, FoundCompilers& found) {
    const auto entries = found.host().list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries)
        if (tool_file(entry.name) == ToolFile::nvjitlink && entry.name.find(".alt.") == npos) {
            const std::string path = join_path(folder, entry.name);
            found.add(ConsumerKind::nvjitlink, path, library_version(found, path, "nvjitlink"));
        }
}

Known<Version> library_version(FoundCompilers& found, const std::string& path, const char* library) {
    const std::string file = real_or_same(found.host(), path);
    const std::string name = file_name(file);
    const std::size_t at = name.find(".so.");
    if (at != std::string::npos)
        if (const auto version = parse_version(name.substr(at + 4)); version && version->numbers.size() >= 3)
            return {*version, Origin::from_file(file)};
    return found.owners().owner(path, {library}).version;
}

void find_python_compilers(const PythonEnvironment& python, FoundCompilers& found) {
    const Host& host = found.host();
    for (const SitePlace& place : python.places) {
        const std::string nvidia = join_path(place.folder, "nvidia");
        if (const auto entries = host.list(nvidia))
            for (const DirectoryEntry& entry : *entries)
                if (entry.type == FileType::directory) find_in_wheel(join_path(nvidia, entry.name), found);
        find_triton(place.folder, found);
        found.add(ConsumerKind::ptxas,
                  join_path(place.folder, "torch/bin/" + executable_name("ptxas", host.system())), {},
                  "torch.compile");
    }
}

}  // namespace ptxguard
