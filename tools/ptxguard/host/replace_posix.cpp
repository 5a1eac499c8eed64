// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "host/descriptor_posix.hpp"
#include "host/left_behind_posix.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "model/ranges.hpp"

namespace ptxguard::platform {

namespace {

Trouble not_changed(const std::string& path, const std::string& cause) {
    return {path, "is not changed", cause};
}

// Also removed by Ctrl+C.
void expect_beside(const std::string& path, bool expected) {
    LeftBehind& all = left_behind();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (expected)
        all.folders.insert(path);
    else
        all.folders.erase(path);
}

// The names of extended attributes; access lists are among them.
std::vector<std::string> attributes_of(int file) {
    std::string list(64u << 10, '\0');  // the kernel's limit
    const ssize_t size = ::flistxattr(file, &list[0], list.size());
    list.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return split(list, std::string_view("\0", 1));
}

std::optional<std::string> attribute(int file, const std::string& name) {
    std::string value(64u << 10, '\0');
    const ssize_t size = ::fgetxattr(file, name.c_str(), &value[0], value.size());
    if (size < 0) return std::nullopt;
    value.resize(static_cast<std::size_t>(size));
    return value;
}

// The name of an attribute that cannot be kept; empty = all are equal.
std::string copy_attributes(int from, int to) {
    const std::vector<std::string> wanted = attributes_of(from);
    for (const std::string& name : attributes_of(to)) {
        const bool inherited = !contains(wanted, name);
        // From the folder's default access list. The system gives labels ("security.") itself.
        if (inherited && !starts_with(name, "security.") && ::fremovexattr(to, name.c_str()) != 0)
            return name;
    }
    for (const std::string& name : wanted) {
        const auto value = attribute(from, name);
        if (!value || attribute(to, name) == value) continue;
        if (::fsetxattr(to, name.c_str(), value->data(), value->size(), 0) != 0) return name;
    }
    return {};
}

bool write_whole(int file, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = ::write(file, bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) return false;
        at += static_cast<std::size_t>(put);
    }
    return true;
}

// Why the new file would differ from the old one; empty = it does not. Also where a file system ignores a
// mode.
std::string make_like(int file, int old_file) {
    struct stat old, now;
    if (::fstat(old_file, &old) != 0) return words_of(errno);
    const bool given =
        ::fchown(file, old.st_uid, old.st_gid) == 0 && ::fchmod(file, old.st_mode & 07777) == 0;
    (void)given;  // decided by what it is now
    const std::string attribute = copy_attributes(old_file, file);
    if (!attribute.empty()) return "its attribute " + attribute + " cannot be kept: " + words_of(errno);
    if (::fstat(file, &now) != 0) return words_of(errno);
    const bool same = now.st_uid == old.st_uid && now.st_gid == old.st_gid && now.st_mode == old.st_mode;
    return same ? "" : "its owner, group or mode cannot be kept";
}

}  // namespace

std::optional<Trouble> why_not_replaceable(const std::string& path) {
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0) return not_changed(path, words_of(errno));
    if (!S_ISREG(info.st_mode)) return not_changed(path, "it is not a regular file");
    if ((info.st_mode & S_IWUSR) == 0) return not_changed(path, "it is read-only");
    if (::access(path.c_str(), W_OK) != 0) return not_changed(path, words_of(errno));
    if (::geteuid() != 0 && info.st_uid != ::geteuid())
        return not_changed(path, "it belongs to another user, and a new file would not");
    if (info.st_nlink > 1)
        return not_changed(path, "it has another name (a hard link), which would keep the old text");
    const std::string folder = parent_path(path);
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
        return not_changed(path, "its folder takes no new file: " + words_of(errno));
    return std::nullopt;
}

std::string state_of_file(const std::string& path) {
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0) return {};
    std::string state;
    for (const auto number :
         {static_cast<long long>(info.st_dev), static_cast<long long>(info.st_ino),
          static_cast<long long>(info.st_ctim.tv_sec), static_cast<long long>(info.st_ctim.tv_nsec)})
        state += std::to_string(number) + " ";
    return state;
}

std::optional<Trouble> create_like(const std::string& beside, const std::string& bytes,
                                   const std::string& path) {
    const Descriptor old(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!old) return not_changed(path, words_of(errno));
    expect_beside(beside, true);
    Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) {
        const int error = errno;
        expect_beside(beside, false);
        return not_changed(path, "its folder takes no new file: " + words_of(error));
    }
    std::string why = write_whole(file.get(), bytes) ? make_like(file.get(), old.get()) : words_of(errno);
    if (why.empty() && !file.close()) why = words_of(errno);
    if (why.empty()) return std::nullopt;
    remove_beside(beside);
    return not_changed(path, why);
}

// Not a function of the C library: the oldest one that we support has none. A file that is gone must not come
// back by another way.
Result<bool> exchange(const std::string& a, const std::string& b) {
#ifdef SYS_renameat2
    constexpr unsigned exchange_both = 2;  // RENAME_EXCHANGE
    if (::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), exchange_both) == 0) return true;
    if (errno == ENOENT) return not_changed(b, words_of(errno));
#endif
    return false;
}

void remove_beside(const std::string& beside) {
    ::unlink(beside.c_str());
    expect_beside(beside, false);
}

void remove_own_file(const std::string& path) {
    struct stat info;
    if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid())
        ::unlink(path.c_str());
}

// Ids repeat, so the program counts, too. Where another process cannot be examined, it may be one of ours.
bool runs_this_program(unsigned process) {
    if (process == process_id()) return false;
    if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return false;
    const auto program = link_target("/proc/" + std::to_string(process) + "/exe");
    return !program || program == link_target("/proc/self/exe");
}

}  // namespace ptxguard::platform
