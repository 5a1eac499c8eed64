// SPDX-License-Identifier: Apache-2.0
#include "load/cudnn_places.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_installer = "C:/Program Files/NVIDIA/CUDNN";
constexpr int k_prefix_levels = 3;  // prefix/lib/python3.11/site-packages; Lib/site-packages needs two

struct Places {
    const Host& host;
    std::vector<CudnnPlace> found;

    void add(const std::string& folder, const char* source) {
        const std::string path = normal_path(folder, host.system());
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const CudnnPlace& place) { return place.folder == path; });
        if (!known && is_absolute(path, host.system()) && is_folder(host, path))
            found.push_back({path, source});
    }
    std::vector<std::string> folders_in(const std::string& folder) const {
        std::vector<std::string> names;
        const auto entries = host.list(folder);
        for (const auto& entry : entries ? *entries : std::vector<DirectoryEntry>())
            if (entry.type == FileType::directory) names.push_back(join_path(folder, entry.name));
        return names;
    }
};

void add_site(Places& places, const std::string& site) {
    const bool windows = places.host.system() == System::windows;
    places.add(join_path(site, windows ? "nvidia/cudnn/bin" : "nvidia/cudnn/lib"), "wheel");
    std::string prefix = site;
    for (int level = 0; level < k_prefix_levels; ++level) {
        prefix = parent_path(prefix);
        if (!is_folder(places.host, join_path(prefix, "conda-meta"))) continue;
        places.add(join_path(prefix, windows ? "Library/bin" : "lib"), "conda");
    }
}

void add_frameworks(Places& places, const Scenario& scenario) {
    for (const Expectation& expectation : scenario.expectations) {
        if (expectation.path.empty()) continue;
        if (!expectation.site.empty()) add_site(places, expectation.site);
        places.add(join_path(expectation.path, "lib"), "framework");  // torch brings its own on Windows
    }
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (library.taken && starts_with(library.library, "cudnn"))
                places.add(parent_path(*library.taken), "search path");
}

void add_toolkits(Places& places, const Scenario& scenario) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        if (toolkit.layout == Layout::wheel) {
            add_site(places, parent_path(parent_path(toolkit.root)));  // site-packages/nvidia/cu13
            continue;
        }
        const char* source = toolkit.layout == Layout::conda    ? "conda"
                             : toolkit.layout == Layout::debian ? "system"
                                                                : "toolkit";
        for (const char* folder :
             {"bin/x64", "bin", "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
            if (places.host.system() == System::linux_ || starts_with(folder, "bin"))
                places.add(join_path(toolkit.root, folder), source);
    }
}

void add_machine(Places& places) {
    const Host& host = places.host;
    const std::string conda = host.env("CONDA_PREFIX").value_or("");
    if (host.system() == System::linux_) {
        if (!conda.empty()) places.add(join_path(conda, "lib"), "conda");
        for (const auto& folder : split_list(host.env("LD_LIBRARY_PATH").value_or(""), System::linux_))
            places.add(folder, "search path");
        for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                   "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64"})
            places.add(folder, starts_with(folder, "/usr/local/cuda") ? "toolkit" : "system");
        return;
    }
    if (!conda.empty()) places.add(join_path(conda, "Library/bin"), "conda");
    // CUDNN/v9.5/bin/12.6, since 9.14 also bin/12.9/x64; CUDNN/v8.x/bin.
    for (const auto& version : places.folders_in(k_installer)) {
        const std::string bin = join_path(version, "bin");
        places.add(bin, "installer");
        for (const auto& cuda : places.folders_in(bin)) {
            places.add(cuda, "installer");
            places.add(join_path(cuda, "x64"), "installer");
        }
    }
    for (const PathFolder& entry : path_folders(host)) places.add(entry.folder, "search path");
}

}  // namespace

std::vector<CudnnPlace> cudnn_places(const Host& host, const Scenario& scenario) {
    Places places{host, {}};
    add_toolkits(places, scenario);
    for (const Expectation& expectation : scenario.expectations)
        if (!expectation.site.empty()) add_site(places, expectation.site);
    for (const SitePlace& place : scenario.python.places) add_site(places, place.folder);
    add_machine(places);
    add_frameworks(places, scenario);
    return std::move(places.found);
}

std::vector<std::string> cudnn_headers(const Host& host, const CudnnPlace& place) {
    std::vector<std::string> folders;
    const std::string name = file_name(place.folder), above = parent_path(place.folder);
    folders.push_back(join_path(above, "include"));
    // .../lib/x86_64-linux-gnu and .../include/x86_64-linux-gnu; .../bin/12.6 and .../include/12.6; deeper
    // bin/x64
    folders.push_back(join_path(parent_path(above), "include/" + name));
    folders.push_back(join_path(parent_path(above), "include"));
    folders.push_back(join_path(parent_path(parent_path(above)), "include/" + std::string(file_name(above))));
    std::vector<std::string> headers;
    for (const auto& folder : folders)
        for (const char* file : {"cudnn_version.h", "cudnn_version_v9.h", "cudnn_version_v8.h", "cudnn.h"}) {
            const std::string path = normal_path(join_path(folder, file), host.system());
            if (std::find(headers.begin(), headers.end(), path) == headers.end()) headers.push_back(path);
        }
    return headers;
}

}  // namespace ptxguard
