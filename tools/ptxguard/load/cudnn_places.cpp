// SPDX-License-Identifier: Apache-2.0
#include "load/cudnn_places.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

struct Places {
    const Host& host;
    std::vector<CudnnPlace> found;

    void add(const std::string& folder, const std::string& source) {
        const std::string path = normal_path(folder, host.system());
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const CudnnPlace& place) { return place.folder == path; });
        if (!known && is_absolute(path, host.system()) && is_folder(host, path))
            found.push_back({path, source});
    }
    void add(const std::vector<LibraryPlace>& places) {
        for (const LibraryPlace& place : places) add(place.folder, place.source);
    }
};

void add_site(Places& places, const std::string& site) { places.add(libraries_of_site(places.host, site)); }

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
        for (const std::string& folder : library_folders_of_toolkit(places.host, toolkit.root))
            places.add(folder, source);
    }
}

void add_machine(Places& places) {
    const Host& host = places.host;
    const bool windows = host.system() == System::windows;
    const std::string conda = host.env("CONDA_PREFIX").value_or("");
    if (!conda.empty()) places.add(join_path(conda, windows ? "Library/bin" : "lib"), "conda");
    if (!windows) {
        for (const auto& folder : split_list(host.env("LD_LIBRARY_PATH").value_or(""), System::linux_))
            places.add(folder, "search path");
        for (const std::string& folder : system_library_folders()) places.add(folder, "system");
        places.add("/usr/local/lib", "system");
    }
    places.add(installed_libraries(host));
    for (const PathFolder& entry : path_folders(host))
        if (windows) places.add(entry.folder, "search path");
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
