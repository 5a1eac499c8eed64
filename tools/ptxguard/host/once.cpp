// SPDX-License-Identifier: Apache-2.0
#include "host/once.hpp"

#include <chrono>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/private_files.hpp"
#include "model/ranges.hpp"

namespace ptxguard::own {
namespace {

bool is_build_program(const std::string& program) {
    static const std::vector<std::string> names = {"make",  "gmake",       "mingw32-make", "nmake",   "jom",
                                                   "ninja", "ninja-build", "samu",         "ptxguard"};
    return contains(names, program);
}

// Programs that start another one for a build: shells, and what is written before a command.
bool is_between(const std::string& program) {
    static const std::vector<std::string> names = {"sh",    "bash", "dash", "ash",        "busybox",
                                                   "ksh",   "zsh",  "cmd",  "powershell", "pwsh",
                                                   "cmake", "env",  "nice", "ccache"};
    return contains(names, program);
}

constexpr std::int64_t k_day = 24LL * 60 * 60 * 1000000000;

void remove_old_marks(const std::string& folder) {
    using std::chrono::system_clock;
    const auto since_1970 = system_clock::now().time_since_epoch();
    const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count();
    const auto entries = platform::list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
        const std::string path = join_path(folder, entry.name);
        if (platform::status(path).mtime_ns < now - k_day) platform::remove_own_file(path);
    }
}

}  // namespace

std::string build_among(const std::vector<Caller>& callers) {
    std::string build = callers.empty() ? "" : callers.front().identity;
    for (const Caller& caller : callers) {
        if (is_build_program(caller.program))
            build = caller.identity;
        else if (!is_between(caller.program) || caller.bare)
            break;
    }
    return build;
}

bool first_to_mark(const std::string& folder, const std::string& name) {
    if (folder.empty() || !private_folder(folder, true)) return true;
    const std::string path = join_path(folder, name);
    if (!platform::create_file(path, "", "")) {
        remove_old_marks(folder);
        return true;
    }
    return platform::status(path).type == FileType::missing;  // it cannot be made
}

}  // namespace ptxguard::own
