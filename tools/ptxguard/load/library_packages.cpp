// Which package brought a file, and so its version, where the file itself and its name do not tell: NVIDIA's
// wheels (cuBLAS, whose file knows no version of its own), conda, Debian. Only packages that name the library
// count: the copy of cudart inside torch has not torch's version.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/wheel_metadata.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/library_versions.hpp"
#include "load/packages.hpp"
#include "model/json.hpp"

namespace ptxguard {
namespace {

constexpr int k_levels = 6;  // nvidia/cu13/bin/x86_64/x.dll lies five below site-packages
constexpr std::size_t k_record_limit = 4u << 20, k_status_limit = 32u << 20;

std::string with_slashes(std::string text) {
    std::replace(text.begin(), text.end(), '\\', '/');
    return text;
}

PackagedLibrary known(const std::string& text, const std::string& path, const std::string& package) {
    const auto version = parse_version(text);
    if (!version) return {};
    Origin origin = Origin::from_file(path);
    origin.text = "package " + package + " " + text + " (" + path + ")";
    return {{*version, origin}, package};
}

// RECORD has one line for each file, "path,hash,size"; what stands behind the path of the first one that ends
// with `end`.
std::optional<std::string_view> recorded(std::string_view record, const std::string& end, bool whole) {
    const std::string wanted = end + ",";
    for (auto at = record.find(wanted); at != std::string_view::npos; at = record.find(wanted, at + 1)) {
        const bool begins = at == 0 || record[at - 1] == '\n' || (!whole && record[at - 1] == '/');
        if (!begins) continue;
        at += wanted.size();
        return record.substr(at, record.find_first_of("\r\n", at) - at);
    }
    return std::nullopt;
}

// A file that somebody has put in place of the package's own has another size. Of its own place a line may
// tell none.
bool is_of_size(std::string_view line, std::uint64_t size, bool may_tell_none) {
    if (ends_with(line, "," + std::to_string(size))) return true;
    return may_tell_none && ends_with(line, ",");
}

std::string last_two(const std::string& path) {
    const auto last = path.rfind('/');
    const auto before = last == std::string::npos || last == 0 ? last : path.rfind('/', last - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
}

}  // namespace

const std::vector<LibraryPackages::DistInfo>& LibraryPackages::dist_infos(const std::string& folder) {
    const auto known = m_dist_infos.find(folder);
    if (known != m_dist_infos.end()) return known->second;
    auto& infos = m_dist_infos[folder];
    const auto entries = m_host.list(folder);
    for (const auto& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
        const auto name = lower(entry.name);
        if (starts_with(name, "nvidia") && ends_with(name, ".dist-info"))
            infos.push_back({join_path(folder, entry.name), name, std::nullopt});
    }
    return infos;
}

const std::string& LibraryPackages::record_of(const DistInfo& info) {
    if (!info.record) {
        auto text = m_host.read(join_path(info.folder, "RECORD"), k_record_limit);
        info.record = text ? with_slashes(std::move(*text)) : std::string();
    }
    return *info.record;
}

// Packages whose name has the library's first word are asked first: most libraries lie in one of these.
PackagedLibrary LibraryPackages::in_dist_infos(const std::string& folder, const std::string& file,
                                               const std::string& word, std::uint64_t size, bool whole) {
    const auto& infos = dist_infos(folder);
    for (const bool likely : {true, false})
        for (const auto& info : infos) {
            if ((info.name.find(word) != std::string::npos) != likely) continue;
            const auto line = recorded(record_of(info), file, whole);
            if (!line || !is_of_size(*line, size, whole)) continue;
            const auto path = join_path(info.folder, "METADATA");
            const auto text = m_host.read(path);
            const auto metadata = text ? read_wheel_metadata(*text) : std::nullopt;
            if (metadata) return known(metadata->version, path, metadata->name);
        }
    return {};
}

namespace {

// conda-meta/libcublas-12.8.4.1-h9ab20c4_0.json, with "name", "version" and "files".
PackagedLibrary in_conda_meta(const Host& host, const std::string& folder, const std::string& relative,
                              const std::string& library) {
    const auto meta = join_path(folder, "conda-meta");
    const auto entries = host.list(meta);
    if (!entries) return {};
    for (const auto& entry : *entries) {
        if (!ends_with(entry.name, ".json") || lower(entry.name).find(library) == std::string::npos) continue;
        const auto path = join_path(meta, entry.name);
        const auto text = host.read(path, k_record_limit);
        const auto json = text ? parse_json(*text, path) : Result<Json>(Trouble{});
        if (!json) continue;
        for (const auto& file : (*json)["files"].items())
            if (with_slashes(file.as_string()) == relative)
                return known((*json)["version"].as_string(), path, (*json)["name"].as_string());
    }
    return {};
}

// "12.8.4.1-1" of Debian's and NVIDIA's packages, without epoch and revision.
std::string upstream_version(std::string text) {
    text.erase(0, text.find(':') == std::string::npos ? 0 : text.find(':') + 1);
    return text.substr(0, text.find_first_of("-+~"));
}

PackagedLibrary in_dpkg_status(const Host& host, const std::string& package) {
    const std::string path = "/var/lib/dpkg/status";
    const auto text = host.read(path, k_status_limit);
    if (!text) return {};
    const std::string head = "Package: " + package + "\n";
    auto at = starts_with(*text, head) ? 0 : text->find("\n" + head);
    if (at == std::string::npos) return {};
    const auto end = text->find("\n\n", at + 1);
    at = text->find("\nVersion: ", at);
    if (at == std::string::npos || at > end) return {};
    at += std::string_view("\nVersion: ").size();
    return known(upstream_version(text->substr(at, text->find('\n', at) - at)), path, package);
}

// /var/lib/dpkg/info/libcublas-12-8:amd64.list has one line for each file.
PackagedLibrary in_dpkg(const Host& host, const std::string& path, const std::string& library) {
    const std::string info = "/var/lib/dpkg/info";
    const auto entries = host.list(info);
    if (!entries) return {};
    for (const auto& entry : *entries) {
        if (!ends_with(entry.name, ".list") || entry.name.find(library) == std::string::npos) continue;
        const auto text = host.read(join_path(info, entry.name), k_record_limit);
        if (text && (*text + "\n").find("\n" + path + "\n") != std::string::npos)
            return in_dpkg_status(host, entry.name.substr(0, entry.name.find_first_of(":.")));
    }
    return {};
}

}  // namespace

PackagedLibrary LibraryPackages::package(const LibraryName& name, const std::string& path) {
    // The parts of cuDNN come in its package, cuBLASLt in cuBLAS': the library's first word is in all their
    // names.
    auto word = lower(name.library).substr(0, name.library.find_first_of("_-"));
    for (const char* family : {"cublas", "cusolver", "cufft"})
        if (starts_with(word, family)) word = family;
    const auto file = with_slashes(path);
    auto folder = parent_path(file);
    const std::uint64_t size = m_host.status(path).size;
    for (int level = 0; level < k_levels && !folder.empty(); ++level) {
        const auto relative = file.substr(folder.size() + (ends_with(folder, "/") ? 0 : 1));
        if (auto found = in_dist_infos(folder, relative, word, size, true); found.version) return found;
        // A toolkit that was put together from wheels keeps their records; a file of the same size is theirs.
        if (auto found = in_dist_infos(join_path(folder, "dist-info"), last_two(file), word, size, false);
            found.version)
            return found;
        if (auto found = in_conda_meta(m_host, folder, relative, word); found.version) return found;
        const auto above = parent_path(folder);
        if (above == folder) break;
        folder = above;
    }
    return m_host.system() == System::linux_ ? in_dpkg(m_host, file, word) : PackagedLibrary{};
}

std::string package_of_library(const Host& host, const Facts& facts, const std::string& path) {
    const auto real = host.real_path(path);
    const std::string file = real ? *real : path;
    const auto name = library_by_file_name(facts, file_name(file));
    return name ? LibraryPackages(host).package(*name, file).package : std::string();
}

}  // namespace ptxguard
