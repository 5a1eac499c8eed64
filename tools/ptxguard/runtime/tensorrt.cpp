// SPDX-License-Identifier: Apache-2.0
#include "runtime/tensorrt.hpp"

#include <optional>
#include <string>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/modules.hpp"
#include "model/ranges.hpp"
#include "runtime/module_packages.hpp"

namespace ptxguard {
namespace {

const std::string k_nvinfer = "libnvinfer.so.";

bool is_of_a_framework(const PackageFiles& files, const Scenario& scenario) {
    return any_of(scenario.expectations, [&](const Expectation& one) {
        return !files.package.empty() && (files.package == one.package || files.package == one.build_package);
    });
}

// Where TensorRT's packages and the distributions install it.
std::vector<std::string> folders_of_tensorrt(const Host& host, const Scenario& scenario) {
    std::vector<std::string> folders = split(host.env("LD_LIBRARY_PATH").value_or(""), ":");
    for (const SitePlace& place : scenario.python.places)
        folders.push_back(join_path(place.folder, "tensorrt_libs"));
    for (const char* triple : {"x86_64-linux-gnu", "aarch64-linux-gnu"})
        folders.push_back(join_path("/usr/lib", triple));
    return folders;
}

// Missing, with a file of another major; nothing if it is there, or if no other is.
std::optional<LoadedFile> other_major_of(const Host& host, const std::vector<std::string>& folders,
                                         const std::string& wanted) {
    LoadedFile library;
    library.name = wanted;
    library.library = "nvinfer";
    for (const std::string& folder : folders) {
        const auto names = host.names(folder);
        for (const std::string& name : names ? *names : std::vector<std::string>()) {
            if (name == wanted) return std::nullopt;
            const bool is_soname =
                starts_with(name, k_nvinfer) && name.find('.', k_nvinfer.size()) == std::string::npos;
            if (is_soname && library.losers.empty())
                library.losers.push_back(
                    {join_path(folder, name), {}, LoadLost::other_name, "of another major", {}});
        }
    }
    if (library.losers.empty()) return std::nullopt;
    return library;
}

}  // namespace

std::vector<NativeModule> plugins_for_other_tensorrt(const Host& host, const std::vector<PackageFiles>& files,
                                                     const Scenario& scenario) {
    std::vector<NativeModule> found;
    const std::vector<std::string> folders = folders_of_tensorrt(host, scenario);
    for (const PackageFiles& package : files) {
        if (!is_of_a_framework(package, scenario)) continue;
        for (const std::string& path : package.modules) {
            if (file_name(path).find("tensorrt") == std::string::npos) continue;
            for (const std::string& needed : module_head(host, path).needed) {
                auto library = starts_with(needed, k_nvinfer) ? other_major_of(host, folders, needed)
                                                              : std::optional<LoadedFile>();
                if (!library) continue;
                NativeModule module;
                module.path = path;
                module.package = package.package;
                module.use = ModuleUse::when_used;
                module.missing.push_back(std::move(*library));
                describe_package(host, package, module);
                found.push_back(std::move(module));
            }
        }
    }
    return found;
}

}  // namespace ptxguard
