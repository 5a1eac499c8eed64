// SPDX-License-Identifier: Apache-2.0
#include "host/ld_so_conf.hpp"

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most = 1u << 20;
constexpr int k_deepest = 8;

void read_file(const Host& host, const std::string& path, int depth, std::vector<std::string>& folders) {
    const auto text = host.read(path, k_most);
    if (!text || depth > k_deepest) return;
    for (const std::string& line : split(*text, "\n")) {
        const std::string words = trim(line.substr(0, line.find('#')));
        if (starts_with(words, "include ") || starts_with(words, "include\t")) {
            for (const std::string& pattern : split(words.substr(8), " \t")) {
                const std::string named =
                    is_absolute(pattern, System::linux_) ? pattern : join_path(parent_path(path), pattern);
                for (const std::string& file : paths_matching(host, named))
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
