// Our own files: the code that is the same on all systems.
// SPDX-License-Identifier: Apache-2.0
#include "host/platform.hpp"

#include <algorithm>
#include <atomic>

#include "host/host.hpp"
#include "host/paths.hpp"
#include "host/together.hpp"
#include "host/troubles.hpp"

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

namespace ptxguard::platform {

// Whole files and parts of them, on top of each system's own reads.

Result<std::string> read(const std::string& path, std::size_t limit) {
    Result<std::string> bytes = read_from(path, 0, limit == SIZE_MAX ? limit : limit + 1);
    if (bytes && bytes->size() > limit) return too_large(path, limit);
    return bytes;
}

Result<std::string> read_range(const std::string& path, std::uint64_t offset, std::size_t length) {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - length) return std::string();
    return read_from(path, offset, length);
}

// Several child processes in parallel: a few threads, each of which starts one and waits for it.

std::vector<ProcessResult> run_parallel(const std::vector<Command>& commands, unsigned jobs,
                                        const std::function<ProcessResult(const Command&)>& run) {
    std::vector<ProcessResult> results(commands.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next++) < commands.size();) {
            results[i] = run(commands[i]);
            if (commands[i].finished) commands[i].finished();
        }
    };
    const std::size_t wanted = std::min<std::size_t>(commands.size(), jobs ? jobs : own::cores());
    run_together(std::vector<std::function<void()>>(wanted, work));
    return results;
}

}  // namespace ptxguard::platform
