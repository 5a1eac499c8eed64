// SPDX-License-Identifier: Apache-2.0
#include "load/dotnet.hpp"

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_deps_size = 16u << 20;
constexpr const char* k_runtime_config = ".runtimeconfig.json";

std::string dotnet_folder(DllFolders& folders) {
    const Host& host = folders.host();
    std::vector<std::string> places;
    if (const std::string program = program_on_path(host, "dotnet"); !program.empty())
        places.push_back(parent_path(program));
    if (const auto root = host.env("DOTNET_ROOT")) places.push_back(*root);
    places.push_back(join_path(host.env("ProgramFiles").value_or("C:/Program Files"), "dotnet"));
    for (const std::string& place : places)
        if (folders.find(place, "dotnet.exe")) return normal_path(place, System::windows);
    return {};
}

DotnetHost by_dotnet(DllFolders& folders, const std::string& assembly) {
    DotnetHost host{dotnet_folder(folders), "dotnet.exe", "", parent_path(assembly)};
    if (host.folder.empty())
        host.remark = "no dotnet.exe was found, which runs " + file_name(assembly) +
                      ": its folder is searched first; name it with --host-exe";
    return host;
}

std::string without_suffix(const std::string& name, std::size_t size) {
    return name.substr(0, name.size() - size);
}

// Of all systems' folders in "runtimes/win-x64/native/x.dll", those of 64-bit Windows.
bool is_for_windows(const std::string& rid) {
    const std::string small = lower(rid);
    return small == "any" || (starts_with(small, "win") && !ends_with(small, "x86") &&
                              !ends_with(small, "arm") && !ends_with(small, "arm64"));
}

}  // namespace

DotnetHost host_of_assembly(DllFolders& folders, const std::string& assembly) {
    const std::string folder = parent_path(assembly);
    const std::string program = without_suffix(file_name(assembly), 4) + ".exe";
    if (ends_with(lower(assembly), ".exe")) return {folder, file_name(assembly), ""};
    if (folders.find(folder, program))
        return {folder, program,
                "started as " + program + "; `dotnet " + file_name(assembly) +
                    "` would search the folder of dotnet.exe instead of this one"};
    return by_dotnet(folders, assembly);
}

DotnetHost host_named(DllFolders& folders, const std::string& path) {
    const std::string normal = normal_path(path, System::windows), small = lower(normal);
    if (ends_with(small, ".exe") && folders.find(parent_path(normal), file_name(normal)))
        return {parent_path(normal), file_name(normal), ""};
    if (ends_with(small, ".dll") && folders.find(parent_path(normal), file_name(normal)))
        return host_of_assembly(folders, normal);
    if (ends_with(small, ".exe")) return {parent_path(normal), "--host-exe", ""};
    // A published application whose program is dotnet.exe.
    for (const auto& [name, spelt] : folders.files(normal))
        if (ends_with(name, k_runtime_config)) {
            const std::string stem = without_suffix(spelt, std::string(k_runtime_config).size());
            return host_of_assembly(folders, join_path(normal, stem + ".dll"));
        }
    return {normal, "--host-exe", ""};
}

DllSearch dll_import_search(DllFolders& folders, const std::string& assembly, const DllProcess& process,
                            const DllPlaces& places) {
    DllSearch search;
    const auto add = [&](const DllStep& step) {
        const bool known = any_of(search, [&](const DllStep& other) {
            return folder_key(other.folder) == folder_key(step.folder);
        });
        if (!step.folder.empty() && !known) search.push_back(step);
    };
    const std::string folder = parent_path(assembly);
    const std::string file = join_path(folder, without_suffix(file_name(assembly), 4) + ".deps.json");
    const auto text = folders.host().read(file, k_deps_size);
    const auto deps = text ? parse_json(*text, file) : Result<Json>(Trouble{});
    const Json nothing;
    const Json& targets = deps ? (*deps)["targets"] : nothing;
    for (const auto& [framework, packages] : targets.members())
        for (const auto& [package, assets] : packages.members()) {
            for (const auto& [asset, about] : assets["runtimeTargets"].members())
                if (about["assetType"].as_string() == "native" && is_for_windows(about["rid"].as_string()))
                    add({normal_path(join_path(folder, parent_path(asset)), System::windows), file_name(file),
                         asset});
            for (const auto& [asset, about] : assets["native"].members())
                add({normal_path(join_path(folder, parent_path(asset)), System::windows), file_name(file),
                     asset});
        }
    add({folder, "folder of " + file_name(assembly), ""});
    for (const DllStep& step : standard_search(process, places)) add(step);
    return search;
}

}  // namespace ptxguard
