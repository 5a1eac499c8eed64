// Our own files: the code that is the same on all systems.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "host/host.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"

namespace ptxguard::own {

constexpr int k_most_tries = 1000;  // names for a new file

std::optional<Trouble> make_folders(const std::string& path) {
    if (path.empty() || platform::status(path).type == FileType::directory) return std::nullopt;
    const std::string above = parent_path(path);
    if (above != path) {
        if (const auto trouble = make_folders(above)) return trouble;
    }
    return platform::make_folder(path);
}

std::optional<Trouble> write_file(const std::string& path, const std::string& bytes) {
    static std::atomic<unsigned> count{0};
    const std::string folder = parent_path(path);
    if (!folder.empty()) {
        if (const auto trouble = make_folders(folder)) return trouble;
    }
    // Process ids repeat in containers: a killed run may have left the same name behind.
    for (int tries = 1;; ++tries) {
        const std::string beside =
            path + ".new-" + std::to_string(platform::process_id()) + "-" + std::to_string(count++);
        auto trouble = platform::create_file(beside, bytes, path);
        if (!trouble) return platform::rename_over(beside, path);
        if (tries == k_most_tries || platform::status(beside).type == FileType::missing) {
            trouble->subject = path;
            return trouble;
        }
    }
}

}  // namespace ptxguard::own
