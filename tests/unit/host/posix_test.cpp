// What only POSIX systems have: links, FIFOs, permissions, libraries, the folders of users.
// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.hpp"
#include "host/library.hpp"
#include "host/once.hpp"
#include "host/output.hpp"
#include "model/text.hpp"
#include "temporary.hpp"

using namespace ptxguard;

TEST_CASE("a folder is writable if files can be created in it; a file never is") {
    const Temporary folder;
    CHECK(real_host()->status(folder.path).writable);
    CHECK_FALSE(real_host()->status(folder.write("x", "1")).writable);
    ::chmod(folder.path.c_str(), 0555);
    if (::geteuid() != 0) CHECK_FALSE(real_host()->status(folder.path).writable);
    ::chmod(folder.path.c_str(), 0755);
}

#ifdef __linux__
TEST_CASE("a process is named by its number and its start, whatever it allocates") {
    const auto identity = [](std::size_t i) { return split(own::callers().at(i).identity, " "); };
    const std::vector<std::string> before = identity(0);
    REQUIRE(before.size() == 3);
    CHECK(before[1] == std::to_string(::getpid()));
    CHECK(std::stoll(before[2]) > 0);
    CHECK(identity(1).at(1) == std::to_string(::getppid()));
    constexpr std::size_t k_size = 1u << 26;
    void* memory = ::mmap(nullptr, k_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    CHECK(identity(0) == before);
    ::munmap(memory, k_size);
}
#endif

TEST_CASE("a file is ours if nobody else could have written it") {
    const Temporary folder;
    const std::string file = folder.write("x", "1");
    CHECK(own::author_of(file) == own::Author::we);
    CHECK(own::author_of(folder / "none") == own::Author::we);
    ::chmod(file.c_str(), 0666);
    CHECK(own::author_of(file) == own::Author::anybody);
    ::chmod(file.c_str(), 0644);
    ::chmod(folder.path.c_str(), 01777);
    CHECK(own::author_of(file) == own::Author::anybody);
    CHECK(own::author_of(folder / "none") == own::Author::anybody);
    ::chmod(folder.path.c_str(), 0770);  // our own group
    CHECK(own::author_of(file) == own::Author::we);
    if (::geteuid() != 0) return;
    REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
    CHECK(own::author_of(file) == own::Author::another_user);
}

TEST_CASE("links on disk are followed, and dangling and looping ones are distinguished") {
    const Temporary folder;
    const auto host = real_host();
    folder.write("real/x", "1");
    REQUIRE(::symlink("real", (folder / "link").c_str()) == 0);
    REQUIRE(::symlink("nowhere", (folder / "dangling").c_str()) == 0);
    REQUIRE(::symlink("loop", (folder / "loop").c_str()) == 0);
    CHECK(host->status(folder / "link").type == FileType::directory);
    CHECK(host->status(folder / "link").is_link);
    CHECK(host->status(folder / "link/x").inode == host->status(folder / "real/x").inode);
    CHECK(*host->real_path(folder / "link/x") == *host->real_path(folder.path) + "/real/x");
    CHECK(host->status(folder / "dangling").type == FileType::dangling_link);
    CHECK(host->status(folder / "loop").type == FileType::link_loop);
    CHECK(host->status(folder / "loop/x").type == FileType::link_loop);
    const auto entries = *host->list(folder.path);
    REQUIRE(entries.size() == 4);
    CHECK(entries[0].type == FileType::dangling_link);
    CHECK(entries[1].type == FileType::directory);
    CHECK(entries[2].type == FileType::link_loop);
}

TEST_CASE("a FIFO is refused and does not block") {
    const Temporary folder;
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(real_host()->status(folder / "fifo").type == FileType::other);
    CHECK(real_host()->read(folder / "fifo").trouble().cause == "it is not a regular file");
}

TEST_CASE("a folder without permission is unreadable" * doctest::skip(::geteuid() == 0)) {
    const Temporary folder;
    folder.write("closed/x", "1");
    ::chmod((folder / "closed").c_str(), 0);
    CHECK(real_host()->status(folder / "closed").type == FileType::unreadable);
    CHECK(real_host()->status(folder / "closed/x").type == FileType::unreadable);
    CHECK(real_host()->list(folder / "closed").trouble().cause == "Permission denied");
    ::chmod((folder / "closed").c_str(), 0700);
}

TEST_CASE("permissions are checked for the user who runs the check" * doctest::skip(::geteuid() != 0)) {
    const Temporary folder;
    folder.write("closed/x", "1");
    ::chmod(folder.path.c_str(), 0755);
    ::chmod((folder / "closed").c_str(), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
        if (::setuid(65534) != 0) ::_exit(2);
        const auto host = real_host();
        const bool closed = host->status(folder / "closed").type == FileType::unreadable &&
                            host->status(folder / "closed/x").type == FileType::unreadable &&
                            host->list(folder / "closed").trouble().cause == "Permission denied";
        ::_exit(closed ? 0 : 1);
    }
    int how = 0;
    ::waitpid(pid, &how, 0);
    CHECK(WEXITSTATUS(how) == 0);
}

TEST_CASE("files in /proc are read although their size is 0") {
    CHECK_FALSE(real_host()->read("/proc/self/status")->empty());
}

TEST_CASE("a library of the system is loaded and its symbols found") {
    const auto library = LoadedLibrary::open("libc.so.6");
    REQUIRE(library);
    CHECK(library->symbol("getpid") != nullptr);
    CHECK(library->symbol("no_such_symbol_anywhere") == nullptr);
    CHECK(ends_with(library->path(), "libc.so.6"));
}

TEST_CASE("writing a file keeps its permissions, and leftovers of a killed run do not matter") {
    const Temporary folder;
    const std::string path = folder.write("report.json", "old");
    ::chmod(path.c_str(), 0640);
    for (int i = 0; i < 300; ++i)
        std::ofstream(path + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(i)) << "left";
    CHECK_FALSE(own::write_file(path, "new"));
    CHECK(*real_host()->read(path) == "new");
    struct stat info;
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("an output file is written where a shell would write it") {
    const Temporary folder;
    const auto make_link = [&](const std::string& target, const char* name) {
        REQUIRE(::symlink(target.c_str(), (folder / name).c_str()) == 0);
        return folder / name;
    };
    const auto type = [](const std::string& path) {
        struct stat info;
        return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
    };
    const std::string file = folder.write("file", "old");
    const std::string link = make_link("file", "link"), dangling = make_link("later", "dangling");
    const std::string device = make_link("/dev/null", "device"), full = make_link("/dev/full", "full");
    const std::string fifo = folder / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    for (const std::string& path : {link, dangling, device, fifo})
        CHECK_FALSE(own::write_output(path, "new"));
    char got[4] = {};
    CHECK((::read(reader, got, 3) == 3 && std::string(got) == "new"));
    ::close(reader);
    CHECK(*real_host()->read(file) == "new");
    CHECK(*real_host()->read(folder / "later") == "new");
    for (const std::string& path : {link, dangling, device}) CHECK(type(path) == S_IFLNK);
    CHECK(type(fifo) == S_IFIFO);
    CHECK(own::write_output(full, "new")->text() == full + " cannot be written: No space left on device");
    // Names that we create point nowhere else.
    CHECK_FALSE(own::write_file(link, "ours"));
    CHECK(type(link) == S_IFREG);
    CHECK(*real_host()->read(file) == "new");
}

TEST_CASE("the cache is where XDG puts it, else under home") {
    const char* const names[] = {"XDG_CACHE_HOME", "HOME"};
    std::string old[2];
    for (int i = 0; i < 2; ++i) old[i] = real_host()->env(names[i]).value_or("");
    ::setenv("HOME", "/home/me", 1);
    ::setenv("XDG_CACHE_HOME", "/var/cache me", 1);
    CHECK(own::cache_folder() == "/var/cache me/ptxguard");
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    CHECK(own::cache_folder() == "/home/me/.cache/ptxguard");
    ::setenv("HOME", "", 1);
    CHECK(own::cache_folder() == "");
    for (int i = 0; i < 2; ++i) old[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], old[i].c_str(), 1);
}

TEST_CASE("temporary folders follow TMPDIR and are private") {
    const Temporary folder;
    ::setenv("TMPDIR", folder.path.c_str(), 1);
    const auto inside = own::temporary_folder();
    ::setenv("TMPDIR", (folder / "none").c_str(), 1);
    const auto nowhere = own::temporary_folder();
    ::unsetenv("TMPDIR");
    REQUIRE(inside);
    CHECK(starts_with(*inside, folder.path + "/"));
    struct stat info;
    REQUIRE(::stat(inside->c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.trouble().text() ==
          (folder / "none") + " takes no temporary folder: No such file or directory");
}

TEST_CASE("links of a tree are resolved inside it") {
    const Temporary folder;
    folder.write("outside", "secret");
    folder.write("root/opt/cuda-13.0/bin/nvcc", "nvcc");
    own::make_folders(folder / "root/etc/alternatives");
    own::make_folders(folder / "root/usr/local");
    const auto make = [&](const std::string& target, const std::string& path) {
        REQUIRE(::symlink(target.c_str(), (folder / ("root" + path)).c_str()) == 0);
    };
    make("/opt/cuda-13.0", "/etc/alternatives/cuda");
    make("/etc/alternatives/cuda", "/usr/local/cuda");
    make("../../../../../outside", "/usr/escape");
    make((folder / "outside"), "/usr/absolute");
    make("loop2", "/usr/loop1");
    make("/usr/loop1", "/usr/loop2");
    make("/", "/usr/all");
    const auto host = root_host(folder / "root", System::linux_, {});
    CHECK(*host->read("/usr/local/cuda/bin/nvcc") == "nvcc");
    CHECK(*host->real_path("/usr/local/cuda") == "/opt/cuda-13.0");
    CHECK(*host->real_path("/usr/local/cuda/../x/../cuda-13.0").trouble().cause.c_str() == 'N');
    CHECK(*host->real_path("/usr/local/cuda/../cuda-13.0") == "/opt/cuda-13.0");
    CHECK(*host->read("/usr/all/usr/all/opt/cuda-13.0/bin/nvcc") == "nvcc");
    CHECK(host->status("/usr/local/cuda").is_link);
    CHECK_FALSE(host->status("/usr/local/cuda/bin").is_link);
    CHECK(host->status("/usr/local/cuda").inode == host->status("/opt/cuda-13.0").inode);
    CHECK(host->status("/usr/escape").type == FileType::dangling_link);
    CHECK(host->status("/usr/absolute").type == FileType::dangling_link);
    CHECK(host->status("/usr/absolute/x").type == FileType::missing);
    CHECK(host->status("/usr/loop1").type == FileType::link_loop);
    CHECK(host->status("/usr/loop1/x").type == FileType::link_loop);
    CHECK(host->real_path("/usr/loop1").trouble().cause == "Too many levels of symbolic links");
    const auto entries = *host->list("/usr");
    REQUIRE(entries.size() == 6);
    CHECK(entries[0].type == FileType::dangling_link);  // absolute
    CHECK(entries[1].type == FileType::directory);      // all
    CHECK(entries[2].type == FileType::dangling_link);  // escape
    CHECK(entries[4].type == FileType::link_loop);      // loop1 and loop2 around local
    CHECK(*root_host(folder / "root", System::windows, {})->read("C:/USR/Local/CUDA/bin/NVCC") == "nvcc");
}

TEST_CASE("the next run removes the temporary folder of a killed run, not that of a running one") {
    const Temporary folder;
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before ? before : "";
    ::setenv("TMPDIR", (folder / "").c_str(), 1);
    const std::string stale = folder / "ptxguard-work.abcdef", fresh = folder / "ptxguard-work.ghijkl";
    const std::string longer = folder / "ptxguard-work.abcdefg";
    const std::string unrelated = folder / "ptxguard-source";
    const std::string active = *own::temporary_folder();
    for (const std::string& path : {stale, fresh, longer, unrelated}) {
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        REQUIRE_FALSE(own::write_file(path + "/probe.cu", "x"));
    }
    const timeval long_ago[2] = {{1000000, 0}, {1000000, 0}};
    for (const std::string& path : {stale, unrelated, active}) REQUIRE(::utimes(path.c_str(), long_ago) == 0);
    const std::string next = *own::temporary_folder();
    const auto host = real_host();
    for (const std::string& path : {stale, fresh}) CHECK(host->status(path).type == FileType::missing);
    for (const std::string& path : {longer, unrelated, active, next})
        CHECK(host->status(path).type == FileType::directory);
    if (kept.empty())
        ::unsetenv("TMPDIR");
    else
        ::setenv("TMPDIR", kept.c_str(), 1);
}
