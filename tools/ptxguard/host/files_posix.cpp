// Files of this machine through POSIX calls. Everything is opened without blocking, so a FIFO or a device
// called "version.txt" cannot hang us.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor_posix.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"

extern char** environ;

namespace ptxguard::platform {

namespace {

FileType type_of(mode_t mode) {
    if (S_ISREG(mode)) return FileType::regular;
    return S_ISDIR(mode) ? FileType::directory : FileType::other;
}

FileType type_of_failure(int error, bool is_link) {
    if (error == ELOOP) return FileType::link_loop;
    // Only these mean that the file does not exist; a failing disk or an unreachable server does not.
    if (error != ENOENT && error != ENOTDIR && error != ENAMETOOLONG) return FileType::unreadable;
    return is_link ? FileType::dangling_link : FileType::missing;
}

Result<Descriptor> open_regular(const std::string& path, struct stat& info) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return cannot_be_read(path, words_of(errno));
    if (::fstat(file.get(), &info) != 0) return cannot_be_read(path, words_of(errno));
    if (S_ISDIR(info.st_mode)) return cannot_be_read(path, words_of(EISDIR));
    if (!S_ISREG(info.st_mode)) return cannot_be_read(path, "it is not a regular file");
    return Result<Descriptor>(std::move(file));
}

Trouble cannot_be_written(const std::string& path, int error) {
    return {path, "cannot be written", words_of(error)};
}

// 0, or errno of the failure.
int write_and_close(Descriptor& file, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = ::write(file.get(), bytes.data() + at, bytes.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : ENOSPC;
        at += static_cast<std::size_t>(put);
    }
    return file.close() ? 0 : errno;
}

}  // namespace

System this_system() { return System::linux_; }

Environment later_environment() { return {}; }
std::optional<RegistryKey> registry(const std::string&) { return std::nullopt; }

Environment environment() {
    Environment result;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos && equals > 0)
            result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return result;
}

FileStatus status(const std::string& path) {
    FileStatus result;
    if (path.empty()) return result;
    struct stat info;
    const bool there = ::lstat(path.c_str(), &info) == 0;
    result.is_link = there && S_ISLNK(info.st_mode);
    if (!there || (result.is_link && ::stat(path.c_str(), &info) != 0)) {
        result.type = type_of_failure(errno, result.is_link);
        return result;
    }
    result.type = type_of(info.st_mode);
    const bool folder = result.type == FileType::directory;
    if (result.type != FileType::other && ::access(path.c_str(), folder ? R_OK | X_OK : R_OK) != 0 &&
        errno == EACCES) {
        result.type = FileType::unreadable;
    }
    const bool any_x = (info.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
    result.executable = S_ISREG(info.st_mode) && any_x && ::access(path.c_str(), X_OK) == 0;
    result.writable = folder && ::access(path.c_str(), W_OK | X_OK) == 0;
    result.size = static_cast<std::uint64_t>(info.st_size);
    result.mtime_ns = static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000000000 + info.st_mtim.tv_nsec;
    result.device = info.st_dev;
    result.inode = info.st_ino;
    return result;
}

// Files in /proc report size 0 and others may grow: the size is only a hint for how much to read at once.
Result<std::string> read_from(const std::string& path, std::uint64_t offset, std::size_t most) {
    struct stat info;
    const Result<Descriptor> file = open_regular(path, info);
    if (!file) return file.trouble();
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
    const auto expected =
        static_cast<std::size_t>(std::min<std::uint64_t>(most, size - std::min(size, offset)));
    std::string bytes(expected, '\0');
    std::size_t at = 0;
    char more[1u << 14];  // beyond the expected size, where usually nothing follows
    while (at < most) {
        const bool is_expected = at < expected;
        const std::size_t step = is_expected ? expected - at : std::min(most - at, sizeof more);
        const ssize_t got =
            ::pread(file->get(), is_expected ? &bytes[at] : more, step, static_cast<off_t>(offset + at));
        if (got < 0 && errno != EINTR) return cannot_be_read(path, words_of(errno));
        if (got == 0) break;
        if (got > 0 && !is_expected) bytes.append(more, static_cast<std::size_t>(got));
        at += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    bytes.resize(at);
    return bytes;
}

Result<Source> open(const std::string& path) {
    struct stat info;
    Result<Descriptor> opened = open_regular(path, info);
    if (!opened) return opened.trouble();
    const auto file = std::make_shared<Descriptor>(std::move(*opened));
    const auto read = [file](std::uint64_t offset, char* to, std::size_t length) -> std::size_t {
        std::size_t done = 0;
        while (done < length && offset <= static_cast<std::uint64_t>(INT64_MAX) - length) {
            const ssize_t got =
                ::pread(file->get(), to + done, length - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    };
    return Source{read, static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0))};
}

namespace {

// Calls add(folder, entry) for each.
template <typename Add>
std::optional<Trouble> each_entry(const std::string& directory, const Add& add) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), ::closedir);
    if (!folder) return cannot_be_listed(directory, words_of(errno));
    for (errno = 0; const dirent* entry = ::readdir(folder.get()); errno = 0)
        if (std::string_view(entry->d_name) != "." && std::string_view(entry->d_name) != "..")
            add(::dirfd(folder.get()), *entry);
    if (errno != 0) return cannot_be_listed(directory, words_of(errno));
    return std::nullopt;
}

}  // namespace

Result<std::vector<DirectoryEntry>> list(const std::string& directory) {
    std::vector<DirectoryEntry> entries;
    const auto trouble = each_entry(directory, [&](int folder, const dirent& entry) {
        FileType type = FileType::other;
        if (entry.d_type == DT_REG) type = FileType::regular;
        if (entry.d_type == DT_DIR) type = FileType::directory;
        if (entry.d_type == DT_LNK || entry.d_type == DT_UNKNOWN) {
            struct stat info;
            const bool there = ::fstatat(folder, entry.d_name, &info, 0) == 0;
            type = there ? type_of(info.st_mode) : type_of_failure(errno, true);
        }
        entries.push_back({entry.d_name, type});
    });
    if (trouble) return *trouble;
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

Result<std::vector<std::string>> names(const std::string& directory) {
    std::vector<std::string> names;
    const auto trouble =
        each_entry(directory, [&](int, const dirent& entry) { names.emplace_back(entry.d_name); });
    if (trouble) return *trouble;
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::string> real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
    if (!real) return cannot_be_resolved(path, words_of(errno));
    return std::string(real.get());
}

std::string current_folder() {
    const std::unique_ptr<char, void (*)(void*)> folder(::getcwd(nullptr, 0), std::free);
    return folder ? folder.get() : "/";
}

std::optional<std::string> link_target(const std::string& path) {
    char text[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), text, sizeof text);
    if (length < 0) return std::nullopt;
    return std::string(text, static_cast<std::size_t>(length));
}

std::optional<Trouble> create_file(const std::string& path, const std::string& bytes,
                                   const std::string& replaced) {
    struct stat old;
    const bool replaces = ::lstat(replaced.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666));
    if (!file) return cannot_be_written(path, errno);
    if (replaces) {
        const bool given = ::fchown(file.get(), old.st_uid, old.st_gid) == 0;
        (void)given;  // only root may change the owner, and other users own the file already
        ::fchmod(file.get(), old.st_mode & 0777);
    }
    const int error = write_and_close(file, bytes);
    if (error == 0) return std::nullopt;
    ::unlink(path.c_str());
    return cannot_be_written(path, error);
}

std::optional<Trouble> write_into(const std::string& path, const std::string& bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666));
    const int error = file ? write_and_close(file, bytes) : errno;
    if (error == 0) return std::nullopt;
    return cannot_be_written(path, error);
}

bool is_standard_output(const std::string& path) {
    struct stat there, standard;
    return ::stat(path.c_str(), &there) == 0 && ::fstat(1, &standard) == 0 &&
           there.st_dev == standard.st_dev && there.st_ino == standard.st_ino;
}

std::optional<Trouble> rename_over(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) == 0) return std::nullopt;
    const Trouble trouble = cannot_be_written(to, errno);
    ::unlink(from.c_str());
    return trouble;
}

std::optional<Trouble> make_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0777) == 0) return std::nullopt;
    const int error = errno;
    if (status(path).type == FileType::directory) return std::nullopt;
    return Trouble{path, "cannot be made", words_of(error)};
}

unsigned process_id() { return static_cast<unsigned>(::getpid()); }

}  // namespace ptxguard::platform
