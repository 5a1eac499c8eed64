// A pin is evidence of what a framework was built with: its own wheels ask for exactly that release.
// SPDX-License-Identifier: Apache-2.0
#include "expect/packages.hpp"

#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/reading.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_metadata_limit = 4u << 20;
constexpr std::size_t k_conda_limit = 64u << 20;  // lists every file of the package

bool fits(const std::string& pattern, const std::string& name) {
    if (!ends_with(pattern, "*")) return name == pattern;
    return name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& pattern) { return fits(pattern, name); });
    return static_cast<std::size_t>(found - names.begin());
}

const char* platform_system(System system) { return system == System::windows ? "Windows" : "Linux"; }

// torch-2.0.0.dist-info -> torch
std::string package_of_folder(const std::string& folder) {
    return canonical_package(folder.substr(0, folder.find('-')));
}

// pytorch-2.5.1-py3.11_cuda12.4_0.json -> pytorch (two dashes from the end)
std::string package_of_record(const std::string& file) {
    const std::size_t build = file.rfind('-');
    const std::size_t version = build == std::string::npos || build == 0 ? build : file.rfind('-', build - 1);
    return version == std::string::npos ? std::string() : file.substr(0, version);
}

Origin origin_of(const InstalledWheel& wheel, const Requirement& requirement) {
    Origin origin = Origin::from_file(wheel.path, requirement.line);
    origin.text = wheel.metadata.name + " " + wheel.metadata.version + " requires " + requirement.package +
                  requirement.specifier;
    return origin;
}

Origin origin_of(const CondaPackage& package, const std::string& what) {
    Origin origin = Origin::from_file(package.path);
    origin.text = "conda package " + package.name + " " + package.version + ": " + what;
    return origin;
}

std::optional<Version> release_of(const std::optional<Version>& version) {
    return version && version->numbers.size() > 1 ? parse_version(version->release()) : std::nullopt;
}

Known<Version> of_build(const CondaPackage& package, const std::string& word) {
    const std::size_t at = package.build.find(word);
    if (at == std::string::npos) return {};
    const auto version = find_version(std::string_view(package.build).substr(at), word);
    if (!version || version->numbers.size() < 2) return {};
    return {*version, origin_of(package, "build " + package.build)};
}

// The lower bound of "NAME >=A,<B", which conda's run exports take from the build; or the exact "NAME A.B.*".
Known<Version> of_dependency(const CondaPackage& package, const std::string& name) {
    for (const std::string& dependency : package.depends) {
        const auto words = split(dependency, " ");
        if (words.size() < 2 || words[0] != name) continue;
        std::string text = words[1].substr(0, words[1].find(','));
        if (starts_with(text, ">=")) text.erase(0, 2);
        if (ends_with(text, ".*")) text.resize(text.size() - 2);
        if (const auto version = parse_version(text))
            return {*version, origin_of(package, "depends on " + dependency)};
    }
    return {};
}

}  // namespace

bool names_package(const std::vector<std::string>& names, const std::string& package) {
    return place_of(names, package) < names.size();
}

std::vector<InstalledWheel> installed_wheels(const Host& host, const std::string& site,
                                             const std::vector<std::string>& names) {
    std::vector<InstalledWheel> wheels;
    const auto entries = host.list(site);
    if (!entries) return wheels;
    for (const DirectoryEntry& entry : *entries) {
        const bool wheel = ends_with(entry.name, ".dist-info"), egg = ends_with(entry.name, ".egg-info");
        if ((!wheel && !egg) || place_of(names, package_of_folder(entry.name)) == names.size()) continue;
        const std::string folder = join_path(site, entry.name);
        const std::string path = join_path(folder, wheel ? "METADATA" : "PKG-INFO");
        const auto text = read_text(host, path, k_metadata_limit);
        const auto metadata = text ? read_wheel_metadata(*text) : std::nullopt;
        if (!metadata || place_of(names, metadata->name) == names.size()) continue;
        const auto installer = read_text(host, join_path(folder, "INSTALLER"), 4096);
        wheels.push_back({path, installer ? trim(*installer) : "", *metadata});
    }
    std::stable_sort(wheels.begin(), wheels.end(), [&](const InstalledWheel& a, const InstalledWheel& b) {
        return place_of(names, a.metadata.name) < place_of(names, b.metadata.name);
    });
    return wheels;
}

std::vector<CondaPackage> conda_packages(const Host& host, const std::string& prefix,
                                         const std::vector<std::string>& names) {
    std::vector<CondaPackage> packages;
    const std::string folder = join_path(prefix, "conda-meta");
    const auto entries = prefix.empty() ? Result<std::vector<DirectoryEntry>>(std::vector<DirectoryEntry>{})
                                        : host.list(folder);
    if (!entries) return packages;
    for (const DirectoryEntry& entry : *entries) {
        if (!ends_with(entry.name, ".json") || place_of(names, package_of_record(entry.name)) == names.size())
            continue;
        const std::string path = join_path(folder, entry.name);
        const auto text = read_text(host, path, k_conda_limit);
        const auto json = text ? parse_json(*text, path) : Result<Json>(Trouble{});
        if (!json || !json->is_object()) continue;
        CondaPackage package{path,
                             (*json)["name"].as_string(),
                             (*json)["version"].as_string(),
                             (*json)["build"].as_string(),
                             {}};
        for (const Json& dependency : (*json)["depends"].items())
            package.depends.push_back(dependency.as_string());
        packages.push_back(std::move(package));
    }
    std::stable_sort(packages.begin(), packages.end(), [&](const CondaPackage& a, const CondaPackage& b) {
        return place_of(names, a.name) < place_of(names, b.name);
    });
    return packages;
}

std::string prefix_of_site(const std::string& site) {
    if (lower(file_name(site)) != "site-packages") return {};
    const std::string above = parent_path(site);
    if (lower(file_name(above)) == "lib") return parent_path(above);
    return starts_with(lower(file_name(above)), "py") ? parent_path(parent_path(above)) : std::string();
}

Known<Version> cuda_of_pins(const InstalledWheel& wheel, System system, std::string_view extra) {
    for (const Requirement& requirement : wheel.metadata.requirements) {
        const bool names_cuda =
            requirement.package == "cuda-toolkit" || starts_with(requirement.package, "nvidia-cuda-runtime");
        if (!names_cuda || !requirement.applies(platform_system(system), extra)) continue;
        if (const auto version = release_of(requirement.pinned()))
            return {*version, origin_of(wheel, requirement)};
    }
    return {};
}

Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra) {
    for (const Requirement& requirement : wheel.metadata.requirements) {
        if (!starts_with(requirement.package, "nvidia-cudnn") ||
            !requirement.applies(platform_system(system), extra))
            continue;
        if (const auto version = requirement.pinned()) return {*version, origin_of(wheel, requirement)};
    }
    return {};
}

Known<Version> cuda_of_conda(const CondaPackage& package) {
    // cuda118py310h2c5c1d4_0, gpu_cuda112py39...
    const std::size_t at = package.build.find("cuda1");
    if (at != std::string::npos)
        if (const auto cuda = cuda_of_tag("cu" + package.build.substr(at + 4, 3)))
            return {*cuda, origin_of(package, "build " + package.build)};
    if (auto version = of_build(package, "cuda")) return version;
    return of_dependency(package, "cuda-version");
}

Known<Version> cudnn_of_conda(const CondaPackage& package) {
    if (auto version = of_build(package, "cudnn")) return version;
    return of_dependency(package, "cudnn");
}

}  // namespace ptxguard
