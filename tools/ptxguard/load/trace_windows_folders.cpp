// Folders of a Windows machine and the files in them, in any spelling.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/trace_windows_parts.hpp"

namespace ptxguard {

namespace {

constexpr Limit k_most_dll_folders{4096, "folders searched for DLLs", "later ones"};

std::string expanded(const Host& host, const std::string& base, const std::string& pattern) {
    if (!starts_with(pattern, "%")) return join_path(base, pattern);
    const std::size_t end = pattern.find('%', 1);
    if (end == std::string::npos) return {};
    const auto value = host.env(pattern.substr(1, end - 1));
    return value && !value->empty() ? *value + pattern.substr(end + 1) : std::string{};
}

// Folders that match all but the last name, and that name.
std::pair<std::vector<std::string>, std::string> walk(DllFolders& folders, const std::string& base,
                                                      const std::string& pattern) {
    const std::string full = normal_path(expanded(folders.host(), base, pattern), System::windows);
    if (full.empty()) return {};
    const std::size_t star = full.find('*');
    if (star == std::string::npos) return {{parent_path(full)}, file_name(full)};
    const std::size_t slash = full.rfind('/', star);
    std::vector<std::string> names = split(full.substr(slash + 1), "/");
    const std::string last = names.back();
    names.pop_back();
    std::vector<std::string> found{
        slash == std::string::npos ? base : full.substr(0, std::max<std::size_t>(slash, 1))};
    for (const std::string& name : names) {
        std::vector<std::string> next;
        for (const std::string& folder : found)
            for (const std::string& child : folders.folders(folder))
                if (matches_pattern(lower(child), lower(name)) &&
                    !folders.host().exceeds(k_most_dll_folders, next.size() + 1, folder))
                    next.push_back(join_path(folder, child));
        found = next;
    }
    return {found, last};
}

}  // namespace

std::string folder_key(const std::string& folder) { return lower(normal_path(folder, System::windows)); }

const DllFolders::Listing& DllFolders::listing(const std::string& folder) {
    const std::string key = folder_key(folder);
    const auto known = m_listings.find(key);
    if (known != m_listings.end()) return known->second;
    static const Listing k_nothing;
    if (m_host.exceeds(k_most_dll_folders, m_listings.size() + 1, folder)) return k_nothing;
    Listing& listing = m_listings[key];
    const auto entries = m_host.list(folder);
    if (!entries) return listing;
    listing.exists = true;
    for (const DirectoryEntry& entry : *entries) {
        if (entry.type == FileType::regular) listing.files.emplace(lower(entry.name), entry.name);
        if (entry.type == FileType::directory) listing.folders.push_back(entry.name);
    }
    return listing;
}

std::optional<std::string> DllFolders::find(const std::string& folder, const std::string& name) {
    const auto& files = listing(folder).files;
    const auto found = files.find(lower(name));
    if (found == files.end()) return std::nullopt;
    return join_path(folder, found->second);
}

bool DllFolders::exists(const std::string& folder) { return listing(folder).exists; }
const std::map<std::string, std::string>& DllFolders::files(const std::string& folder) {
    return listing(folder).files;
}
std::vector<std::string> DllFolders::folders(const std::string& folder) { return listing(folder).folders; }

std::vector<std::string> matching_folders(DllFolders& folders, const std::string& base,
                                          const std::string& pattern) {
    std::vector<std::string> result;
    const auto [parents, last] = walk(folders, base, pattern);
    for (const std::string& parent : parents)
        for (const std::string& child : folders.folders(parent))
            if (matches_pattern(lower(child), lower(last))) result.push_back(join_path(parent, child));
    return result;
}

std::vector<std::string> matching_files(DllFolders& folders, const std::string& base,
                                        const std::string& pattern) {
    std::vector<std::string> result;
    const auto [parents, last] = walk(folders, base, pattern);
    for (const std::string& parent : parents)
        for (const auto& [small, spelt] : folders.files(parent))
            if (matches_pattern(small, lower(last))) result.push_back(join_path(parent, spelt));
    return result;
}

}  // namespace ptxguard
