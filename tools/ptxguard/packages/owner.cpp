// SPDX-License-Identifier: Apache-2.0
#include "packages/owner.hpp"

#include <algorithm>
#include <string_view>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/dpkg.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

// The path by which a file was reached, and its real path.
struct PackageOwners::AskedFile {
    std::vector<std::string> paths;
    std::uint64_t size = 0;
    const std::vector<std::string>& words;

    bool is_likely(const std::string& package) const {
        return any_of(words,
                      [&](const std::string& word) { return package.find(word) != std::string::npos; });
    }
};

namespace {

constexpr int k_levels = 6;  // nvidia/cu13/bin/x86_64/x.dll is five levels below site-packages
constexpr std::size_t k_record_limit = 16u << 20;

std::string with_slashes(std::string text) {
    const std::size_t first = text.find('\\');
    if (first != std::string::npos)
        std::replace(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(), '\\', '/');
    return text;
}

Known<Version> of_package(const std::string& text, const std::string& path, const std::string& package) {
    const auto version = parse_version(text);
    if (!version) return {};
    return {*version,
            Origin::from_file(path).shown_as("package " + package + " " + text + " (" + path + ")")};
}

// The folders that contain a file, from the innermost.
std::vector<std::string> folders_above(const std::string& path) {
    std::vector<std::string> folders;
    for (std::string folder = parent_path(path); !folder.empty() && folders.size() < k_levels;
         folder = parent_path(folder)) {
        folders.push_back(folder);
        if (parent_path(folder) == folder) break;
    }
    return folders;
}

std::string below(const std::string& path, const std::string& folder) {
    if (!starts_with(path, folder)) return {};
    return path.substr(std::min(path.size(), folder.size() + (ends_with(folder, "/") ? 0 : 1)));
}

// "nvidia/cu13/include/crt/x.h" -> "/include/crt/x.h": the path that remains in a toolkit assembled from
// wheels.
std::string_view below_package(std::string_view recorded) {
    for (int level = 0; level < 2; ++level) {
        const std::size_t slash = recorded.find('/', level);
        if (slash == std::string_view::npos) return {};
        recorded.remove_prefix(slash);
    }
    return recorded;
}

enum class Listed { no, with_another_size, yes };

// RECORD has one line per file, "path,hash,size". A line for exactly this path matches without a size too.
// Each line is read once: an untrusted RECORD may have one line of 16 MB.
Listed listed(std::string_view record, const std::string& relative, const std::string& path,
              std::uint64_t size, bool assembled) {
    Listed answer = Listed::no;
    const std::string wanted = file_name(path) + ",", bytes = "," + std::to_string(size);
    std::size_t next = 0;  // after the lines that were searched
    for (auto at = record.find(wanted); at != std::string_view::npos; at = record.find(wanted, next)) {
        const std::size_t begin =
            next + record.substr(next, at - next).find_last_of("\r\n") + 1;  // npos + 1 = 0
        next = std::min(record.find_first_of("\r\n", at), record.size());
        const std::string_view line = record.substr(begin, next - begin);
        const std::string_view file = line.substr(0, line.find(','));
        const std::string_view rest = line.substr(file.size());
        if (file.size() != at - begin + wanted.size() - 1) continue;
        const std::string_view end = below_package(file);
        if (assembled ? end.empty() || !ends_with(path, std::string(end)) : file != relative) continue;
        if (ends_with(rest, bytes) || (!assembled && ends_with(rest, ","))) return Listed::yes;
        answer = Listed::with_another_size;
    }
    return answer;
}

}  // namespace

std::vector<PackageOwners::Record>& PackageOwners::records_in(const std::string& folder) {
    const auto known = m_records.find(folder);
    if (known != m_records.end()) return known->second;
    auto& records = m_records[folder];
    for (const auto& entry : entries_in(m_host, folder)) {
        const std::string package = package_of_record(entry.name);
        if (!package.empty()) records.push_back({join_path(folder, entry.name), package, std::nullopt});
    }
    return records;
}

// Packages with a likely name are searched first: most files are in one of these.
PackageOwner PackageOwners::of_wheel(const std::string& folder, const AskedFile& file, bool assembled) {
    PackageOwner nearly;
    for (const bool likely : {true, false})
        for (Record& record : records_in(folder)) {
            if (file.is_likely(record.package) != likely) continue;
            if (!likely && !starts_with(record.package, "nvidia")) continue;
            const std::string path = join_path(record.folder, "RECORD");
            if (!record.files) {
                auto text = m_host.read(path, k_record_limit);
                record.files = text ? with_slashes(plain_record(std::move(*text))) : std::string();
            }
            for (const std::string& spelling : file.paths) {
                const Listed answer =
                    listed(*record.files, below(spelling, folder), spelling, file.size, assembled);
                if (answer == Listed::yes) {
                    const auto version = version_of_record(m_host, record.folder);
                    if (version)
                        return {record.package, of_package(version->text, path, record.package), true};
                }
                if (answer == Listed::no || nearly.version.origin.kind != OriginKind::none) continue;
                nearly.lister = record.package;
                nearly.lists = version_of_record(m_host, record.folder);
                nearly.version.origin = Origin::from_file(path);
                nearly.version.origin.text = path + " lists this file with another size";
            }
        }
    return nearly;
}

// A toolkit assembled from wheels has their records in a separate folder.
PackageOwner PackageOwners::of_wheels_above(const AskedFile& file) {
    PackageOwner nearly;
    for (const std::string& path : file.paths)
        for (const std::string& folder : folders_above(path))
            for (const bool assembled : {false, true}) {
                PackageOwner owner =
                    of_wheel(assembled ? join_path(folder, "dist-info") : folder, file, assembled);
                if (owner.version) return owner;
                if (nearly.version.origin.kind == OriginKind::none) nearly = owner;
            }
    return nearly;
}

PackageOwner PackageOwners::of_conda(const AskedFile& file) {
    for (const std::string& path : file.paths)
        for (const std::string& folder : folders_above(path)) {
            const std::string relative = below(path, folder);
            for (const CondaRecord& record : conda_records(m_host, folder)) {
                if (!file.is_likely(lower(record.package))) continue;
                auto& package = m_conda_packages[record.path];
                if (!package) package = read_conda_package(m_host, record.path);
                if (!package) continue;
                if (contains(package->files, relative))
                    return {package->name, of_package(package->version, record.path, package->name)};
            }
        }
    return {};
}

PackageOwner PackageOwners::of_dpkg(const AskedFile& file) {
    for (const std::string& package : dpkg_owners(m_host, file.paths, file.words)) {
        auto known = m_dpkg_versions.find(package);
        if (known == m_dpkg_versions.end())
            known = m_dpkg_versions.emplace(package, dpkg_version(m_host, package)).first;
        if (known->second) return {package, known->second};
    }
    return {};
}

PackageOwner PackageOwners::owner(const std::string& path, const std::vector<std::string>& words) {
    AskedFile file{{with_slashes(path)}, m_host.status(path).size, words};
    const auto real = m_host.real_path(path);
    if (real && *real != path) file.paths.insert(file.paths.begin(), *real);
    PackageOwner owner = of_wheels_above(file);
    if (owner.version) return owner;
    PackageOwner other = of_conda(file);
    if (!other.version && m_host.system() == System::linux_) other = of_dpkg(file);
    return other.version ? other : owner;
}

}  // namespace ptxguard
