// SPDX-License-Identifier: Apache-2.0
#include "packages/conda.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

std::string folder_of_records(const std::string& prefix) { return join_path(prefix, "conda-meta"); }

constexpr std::size_t k_limit = 64u << 20;  // lists every file of the package

// pytorch-2.5.1-py3.11_cuda12.4_0.json -> pytorch (two dashes from the end)
std::string package_of(const std::string& file) {
    const std::size_t build = file.rfind('-');
    const std::size_t version = build == std::string::npos || build == 0 ? build : file.rfind('-', build - 1);
    return version == std::string::npos ? std::string() : file.substr(0, version);
}

}  // namespace

bool is_conda_prefix(const Host& host, const std::string& prefix) {
    return !prefix.empty() && is_folder(host, folder_of_records(prefix));
}

std::vector<CondaRecord> conda_records(const Host& host, const std::string& prefix) {
    std::vector<CondaRecord> records;
    if (prefix.empty()) return records;
    const std::string folder = folder_of_records(prefix);
    for (const DirectoryEntry& entry : entries_in(host, folder))
        if (ends_with(entry.name, ".json"))
            records.push_back({join_path(folder, entry.name), package_of(entry.name)});
    return records;
}

std::optional<CondaPackage> read_conda_package(const Host& host, const std::string& path) {
    const auto text = read_text(host, path, k_limit);
    const auto json = text ? parse_json(*text, path) : Result<Json>(Trouble{});
    if (!json || !json->is_object()) return std::nullopt;
    CondaPackage package;
    package.path = path;
    package.name = (*json)["name"].as_string();
    package.version = (*json)["version"].as_string();
    package.build = (*json)["build"].as_string();
    for (const Json& dependency : (*json)["depends"].items())
        package.depends.push_back(dependency.as_string());
    for (const Json& file : (*json)["files"].items()) {
        package.files.push_back(file.as_string());
        std::replace(package.files.back().begin(), package.files.back().end(), '\\', '/');
    }
    return package;
}

std::vector<CondaPackage> conda_packages(const Host& host, const std::string& prefix,
                                         const std::vector<std::string>& names) {
    std::vector<CondaPackage> packages;
    for (const CondaRecord& record : conda_records(host, prefix)) {
        if (!names_package(names, record.package)) continue;
        if (auto package = read_conda_package(host, record.path)) packages.push_back(std::move(*package));
    }
    const auto place_of = [&](const CondaPackage& package) {
        return std::find_if(names.begin(), names.end(),
                            [&](const std::string& name) { return names_package({name}, package.name); });
    };
    std::stable_sort(packages.begin(), packages.end(),
                     [&](const CondaPackage& a, const CondaPackage& b) { return place_of(a) < place_of(b); });
    return packages;
}

std::string prefix_of_site(const std::string& site) {
    if (lower(file_name(site)) != "site-packages") return {};
    const std::string above = parent_path(site);
    if (lower(file_name(above)) == "lib") return parent_path(above);
    return starts_with(lower(file_name(above)), "py") ? parent_path(parent_path(above)) : std::string();
}

}  // namespace ptxguard
