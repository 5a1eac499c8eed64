// Our own place on a POSIX system: executable, cache, temporary folders, standard streams, cores.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <sched.h>
#include <unistd.h>

#include "host/descriptor_posix.hpp"
#include "host/host.hpp"
#include "host/main_arguments.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"

namespace ptxguard {

std::vector<std::string> utf8_arguments(int argc, char** argv) {
    return argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

namespace own {

namespace {

// XDG: a relative folder is to be ignored.
std::string folder_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value && is_absolute(value, System::linux_) ? value : "";
}

}  // namespace

std::string executable_path() { return platform::link_target("/proc/self/exe").value_or(""); }

std::string cache_folder() {
    const std::string cache = folder_of("XDG_CACHE_HOME"), home = folder_of("HOME");
    if (!cache.empty()) return join_path(cache, "ptxguard");
    return home.empty() ? "" : join_path(home, ".cache/ptxguard");
}

Result<std::string> temporary_folder() {
    const std::string wanted = folder_of("TMPDIR");
    std::string path = join_path(wanted.empty() ? "/tmp" : wanted, "ptxguard-XXXXXX");
    if (!::mkdtemp(&path[0])) return Trouble{parent_path(path), "takes no temporary folder", platform::words_of(errno)};
    return path;
}

void remove_tree(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

Result<std::string> read_standard_input(std::size_t limit) {
    std::string bytes;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t got = ::read(0, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_be_read("standard input", platform::words_of(errno));
        if (got == 0) return bytes;
        bytes.append(buffer, static_cast<std::size_t>(got));
        if (bytes.size() > limit) return too_large("standard input", limit);
    }
}

bool stdout_is_terminal() { return ::isatty(1) == 1; }

unsigned cores() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
    return static_cast<unsigned>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace own

}  // namespace ptxguard
