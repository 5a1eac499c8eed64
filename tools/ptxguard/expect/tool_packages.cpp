// Packages that search for ptxas or libdevice themselves: those that a reader found, and those in the table.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/tool_search.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// A package with NVIDIA's wheels next to it is meant for a GPU, even if there is none here.
std::string wheels_beside(const Host& host, const std::string& site) {
    for (const char* name : {"cudnn", "cublas", "cuda_runtime", "cu13"}) {
        const std::string folder = join_path(site, std::string("nvidia/") + name);
        if (is_folder(host, folder)) return "NVIDIA's wheels are installed beside it (" + folder + ")";
    }
    return "";
}

bool is_known(const std::vector<SearchingPackage>& packages, const std::string& package) {
    return std::any_of(packages.begin(), packages.end(),
                       [&](const SearchingPackage& one) { return one.package == package; });
}

void add_expected(const Host& host, const ToolSearch& search, const Scenario& scenario,
                  std::vector<SearchingPackage>& packages) {
    for (const Expectation& one : scenario.expectations) {
        if (one.package != search.package || one.path.empty() || !one.version || !one.may_use_cuda())
            continue;
        if (one.declared || !one.trouble.empty()) continue;
        SearchingPackage package{one.package, one.version, one.path, one.site, one.how, ""};
        package.gpu_because = wheels_beside(host, package.site);
        if (one.required) package.gpu_because = "it was asked for";
        packages.push_back(std::move(package));
        return;
    }
}

// A package for GPUs only, so no other evidence is needed.
void add_recorded(const Host& host, const ToolSearch& search, const std::vector<SitePlace>& places,
                  std::vector<SearchingPackage>& packages) {
    for (const SitePlace& place : places) {
        const std::string folder = join_path(place.folder, search.folder);
        if (!is_folder(host, folder)) continue;
        SearchingPackage package{search.package,        {}, folder, place.folder, Installation::wheel,
                                 "it is for GPUs only"};
        const auto wheels = installed_wheels(host, place.folder, search.records);
        for (const InstalledWheel& wheel : wheels) {
            package.release = wheel.version();
            if (!package.release) continue;
            if (wheel.installer == "conda") package.how = Installation::conda;
            break;
        }
        if (place.editable) package.how = Installation::editable;
        if (package.release) packages.push_back(std::move(package));
        return;
    }
}

// For named frameworks: where they were found. "jax-cuda12-pjrt" searches on behalf of "jax".
std::vector<SitePlace> places_of(const ToolSearch& search, const Scenario& scenario) {
    std::vector<SitePlace> places;
    for (const Expectation& one : scenario.expectations)
        if (!one.site.empty() && starts_with(search.package, one.package))
            places.push_back({one.site, one.how == Installation::editable});
    return places;
}

}  // namespace

std::vector<SearchingPackage> searching_packages(const Host& host, const std::vector<ToolSearch>& searches,
                                                 const Request& request, const Scenario& scenario) {
    std::vector<SearchingPackage> packages;
    for (const ToolSearch& search : searches) {
        if (is_known(packages, search.package)) continue;
        if (search.records.empty())
            add_expected(host, search, scenario, packages);
        else
            add_recorded(host, search,
                         request.frameworks.empty() ? scenario.python.places : places_of(search, scenario),
                         packages);
    }
    return packages;
}

}  // namespace ptxguard
