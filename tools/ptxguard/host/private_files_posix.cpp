// SPDX-License-Identifier: Apache-2.0
#include "host/private_files.hpp"

#include <cerrno>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/descriptor_posix.hpp"
#include "host/paths.hpp"

namespace ptxguard::own {

namespace {

constexpr mode_t k_others = S_IRWXG | S_IRWXO, k_others_write = S_IWGRP | S_IWOTH;

void make_private_folders(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) == 0 || errno != ENOENT) return;
    const std::string above = parent_path(path);
    if (above.empty() || above == path) return;
    make_private_folders(above);
    ::mkdir(path.c_str(), 0700);
}

std::optional<std::string> read_secret(const std::string& path) {
    const platform::Descriptor file(
        ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info;
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
        (info.st_mode & k_others) != 0)
        return std::nullopt;
    std::string bytes(k_secret_size + 1, '\0');
    const ssize_t got = ::read(file.get(), &bytes[0], bytes.size());
    bytes.resize(k_secret_size);
    if (got != static_cast<ssize_t>(k_secret_size)) return std::nullopt;
    return bytes;
}

// Another process may do the same: the first has made it for both. A file that is no secret is replaced.
void put_in_place(const std::string& beside, const std::string& path) {
    struct stat info;
    const bool there = ::lstat(path.c_str(), &info) == 0;
    if (!there && (::link(beside.c_str(), path.c_str()) == 0 || errno == EEXIST)) return;
    ::rename(beside.c_str(), path.c_str());
}

}  // namespace

bool private_folder(const std::string& path, bool make) {
    if (make) make_private_folders(path);
    const platform::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat info;
    if (!folder || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid() ||
        (info.st_mode & k_others_write) != 0)
        return false;
    if (make && (info.st_mode & k_others) != 0) ::fchmod(folder.get(), 0700);
    return true;
}

std::optional<std::string> secret(const std::string& path, bool make) {
    auto found = read_secret(path);
    if (found || !make) return found;
    std::random_device random;
    std::string bytes;
    while (bytes.size() < k_secret_size) bytes += static_cast<char>(random());
    std::string beside = path + ".XXXXXX";
    platform::Descriptor file(::mkstemp(&beside[0]));
    if (!file) return std::nullopt;
    const bool written =
        ::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    if (file.close() && written) put_in_place(beside, path);
    ::unlink(beside.c_str());
    return read_secret(path);
}

}  // namespace ptxguard::own
