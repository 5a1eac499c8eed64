// SPDX-License-Identifier: Apache-2.0
#include "discover/ld_so_conf.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most = 1u << 20;
constexpr int k_deepest = 8;

// "/etc/ld.so.conf.d/*.conf": glob of the last part alone, sorted as ldconfig does.
std::vector<std::string> files_named(const Host& host, const std::string& pattern) {
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos) return {pattern};
    const std::string folder = parent_path(pattern), name = file_name(pattern);
    if (folder.find('*') != std::string::npos) return {};
    const std::string before = name.substr(0, name.find('*')), after = name.substr(name.find('*') + 1);
    std::vector<std::string> files;
    if (const auto entries = host.list(folder))
        for (const DirectoryEntry& entry : *entries)
            if (entry.name.size() >= before.size() + after.size() && entry.name[0] != '.' &&
                starts_with(entry.name, before) && ends_with(entry.name, after))
                files.push_back(join_path(folder, entry.name));
    std::sort(files.begin(), files.end());
    return files;
}

void read_file(const Host& host, const std::string& path, int depth, std::vector<std::string>& folders) {
    const auto text = host.read(path, k_most);
    if (!text || depth > k_deepest) return;
    for (const std::string& line : split(*text, "\n")) {
        const std::string words = trim(line.substr(0, line.find('#')));
        if (starts_with(words, "include ") || starts_with(words, "include\t")) {
            for (const std::string& pattern : split(words.substr(8), " \t")) {
                const std::string named =
                    is_absolute(pattern, System::linux_) ? pattern : join_path(parent_path(path), pattern);
                for (const std::string& file : files_named(host, named))
                    read_file(host, file, depth + 1, folders);
            }
            continue;
        }
        if (starts_with(words, "hwcap")) continue;
        for (const std::string& folder : split(words, ": \t,"))
            if (is_absolute(folder, System::linux_)) folders.push_back(folder);
    }
}

}  // namespace

std::vector<std::string> ld_so_conf_folders(const Host& host) {
    std::vector<std::string> folders;
    read_file(host, "/etc/ld.so.conf", 0, folders);
    return folders;
}

}  // namespace ptxguard
