// Our own process on a POSIX system: executable, cache, temporary folders, standard streams, cores.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor_posix.hpp"
#include "host/host.hpp"
#include "host/left_behind_posix.hpp"
#include "host/main_arguments.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"

namespace ptxguard {

ProcessSetup::ProcessSetup() {
    // Opened in the opposite direction: using the stream fails as on a closed one.
    for (const int fd : {0, 1, 2})
        if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    std::signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
    // Threads get memory in steps of 4 MiB: a step of 128 KiB costs hundreds of system calls.
    ::mallopt(M_TOP_PAD, 4 << 20);
    // What was a file's text is used for the next one, instead of going back to the system.
    ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    ::mallopt(M_MMAP_THRESHOLD, 8 << 20);
#endif
}

ProcessSetup::~ProcessSetup() = default;

std::vector<std::string> utf8_arguments(int argc, char** argv) {
    return argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

namespace own {

namespace {

// XDG: a relative folder must be ignored.
std::string folder_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value && is_absolute(value, System::linux_) ? value : "";
}

constexpr const char* k_temporary = "ptxguard-work.XXXXXX";
constexpr int k_most_folders = 100;

bool may_be_ours(const std::string& name) {
    const std::string pattern = k_temporary;
    return name.size() == pattern.size() && starts_with(name, pattern.substr(0, pattern.find('X')));
}

// A killed run leaves its folder behind. A running one holds a lock on its folder, which works across
// containers that share /tmp, where process ids do not. Where locks do not work, nothing is removed.
void remove_stale_folders(const std::string& above) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(above.c_str()), ::closedir);
    if (!folder) return;
    while (const dirent* entry = ::readdir(folder.get())) {
        if (!may_be_ours(entry->d_name)) continue;
        const std::string path = join_path(above, entry->d_name);
        struct stat info;
        if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid())
            continue;
        const platform::Descriptor lock(
            ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_tree(path);
    }
}

// As long as this process lives. False: another run has taken it for a left one, before it was locked.
bool keep_locked(const std::string& path) {
    const int lock = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0) return false;
    struct stat ours, there;
    const bool taken = ::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const bool same = ::fstat(lock, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
                      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
    if (!taken && same) return true;
    ::close(lock);
    return false;
}

}  // namespace

// A group with us as the only member is usual, and lets its members write: our own group counts as us.
Author author_of(const std::string& path) {
    Author author = Author::we;
    const auto judge = [&](const struct stat& info) {
        const bool group = (info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && info.st_gid != ::getegid();
        if (info.st_uid != 0 && info.st_uid != ::geteuid())
            author = Author::another_user;
        else if ((group || (info.st_mode & S_IWOTH) != 0) && author == Author::we)
            author = Author::anybody;
    };
    struct stat info;
    const std::string folder = parent_path(path);
    if (::stat(folder.empty() ? "." : folder.c_str(), &info) == 0) judge(info);
    if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
        info.st_mode = 0;  // of a link it means nothing
        judge(info);
    }
    if (::stat(path.c_str(), &info) == 0) judge(info);
    return author;
}

std::string executable_path() { return platform::link_target("/proc/self/exe").value_or(""); }

std::string cache_folder() {
    const std::string cache = folder_of("XDG_CACHE_HOME"), home = folder_of("HOME");
    if (!cache.empty()) return join_path(cache, "ptxguard");
    return home.empty() ? "" : join_path(home, ".cache/ptxguard");
}

Result<std::string> temporary_folder() {
    const std::string wanted = folder_of("TMPDIR");
    const std::string above = wanted.empty() ? "/tmp" : wanted;
    remove_stale_folders(above);
    for (int tries = 0; tries < k_most_folders; ++tries) {
        std::string path = join_path(above, k_temporary);
        if (!::mkdtemp(&path[0])) break;
        if (!keep_locked(path)) continue;
        platform::LeftBehind& all = platform::left_behind();
        const std::lock_guard<std::mutex> guard(all.mutex);
        all.folders.insert(path);
        return path;
    }
    return Trouble{above, "takes no temporary folder", platform::words_of(errno)};
}

// Called from destructors: without memory the folder stays until a later run finds it.
void remove_tree(const std::string& path) {
    try {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
        platform::LeftBehind& all = platform::left_behind();
        const std::lock_guard<std::mutex> guard(all.mutex);
        all.folders.erase(path);
    } catch (const std::exception&) {
    }
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

bool stderr_is_terminal() { return ::isatty(2) == 1; }

std::size_t terminal_width(bool of_errors) {
    winsize size{};
    return ::ioctl(of_errors ? 2 : 1, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned cores() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
    return static_cast<unsigned>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace own

}  // namespace ptxguard
