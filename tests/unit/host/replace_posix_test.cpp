// What a new text must keep on a POSIX system, and the files that cannot keep it.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "host/host.hpp"
#include "host/replace.hpp"
#include "temporary.hpp"

using namespace ptxguard;

namespace {

std::string text_there(const std::string& path) {
    const auto text = real_host()->read(path);
    return text ? *text : "";
}

// "" = the text was put.
std::string replace(const std::string& path) {
    auto text = own::NewText::beside(path, "old", "new");
    if (!text) return text.trouble().text();
    const auto trouble = text->put();
    return trouble ? trouble->text() : "";
}

struct stat status_of(const std::string& path) {
    struct stat info {};
    ::lstat(path.c_str(), &info);
    return info;
}

}  // namespace

TEST_CASE("owner, group and mode stay") {
    const Temporary folder;
    const std::string path = folder.write("x.sh", "old");
    for (const mode_t mode : {0600, 0644, 0755, 0666, 04755}) {
        folder.write("x.sh", "old");
        if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), 1234, 4321) == 0);
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        const struct stat before = status_of(path);
        const mode_t mask = ::umask(077);
        CHECK(replace(path) == "");
        ::umask(mask);
        const struct stat after = status_of(path);
        CHECK(text_there(path) == "new");
        CHECK(after.st_mode == before.st_mode);
        CHECK(after.st_uid == before.st_uid);
        CHECK(after.st_gid == before.st_gid);
    }
}

TEST_CASE("extended attributes and access lists stay") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0) return;  // the file system has none
    // user::rw-, user:1:r--, group::r--, mask::r--, other::---
    const unsigned char list[] = {2, 0, 0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  4,
                                  0, 1, 0,   0,   0,   4,   0,  4, 0,   255, 255, 255, 255, 16, 0,
                                  4, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    const char* const access = "system.posix_acl_access";
    const bool has_lists = ::setxattr(path.c_str(), access, list, sizeof list, 0) == 0;
    CHECK(replace(path) == "");
    CHECK(text_there(path) == "new");
    char value[100];
    CHECK(std::string(value, static_cast<std::size_t>(::getxattr(path.c_str(), "user.note", value, 100))) ==
          "kept");
    if (!has_lists) return;
    CHECK(::getxattr(path.c_str(), access, value, 100) == static_cast<ssize_t>(sizeof list));
    CHECK(std::equal(std::begin(list), std::end(list), reinterpret_cast<unsigned char*>(value)));
    // A new file in the folder gets a list; the old one had none.
    const std::string plain = folder.write("plain.txt", "old");
    REQUIRE(::setxattr(folder.path.c_str(), "system.posix_acl_default", list, sizeof list, 0) == 0);
    CHECK(replace(plain) == "");
    CHECK(::getxattr(plain.c_str(), access, value, 100) == -1);
}

TEST_CASE("a change of mode, attributes or names between writing and renaming is not lost") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    const auto stays = [&](const auto& change) {
        auto text = own::NewText::beside(path, "old", "new");
        REQUIRE(text);
        ::usleep(20000);  // the clock of a file system has steps
        change();
        CHECK(text->put());
        CHECK(text_there(path) == "old");
    };
    stays([&] { ::chmod(path.c_str(), 0600); });
    stays([&] { ::chmod(path.c_str(), 0444); });
    ::chmod(path.c_str(), 0644);
    stays([&] { REQUIRE(::link(path.c_str(), (folder / "other").c_str()) == 0); });
    ::unlink((folder / "other").c_str());
    stays([&] {
        const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC);
        CHECK(::write(file, "old", 3) == 3);
        ::close(file);
    });
    // The file becomes a link to one with the same bytes.
    folder.write("elsewhere", "old");
    stays([&] {
        ::unlink(path.c_str());
        CHECK(::symlink("elsewhere", path.c_str()) == 0);
    });
    CHECK(text_there(folder / "elsewhere") == "old");
}

TEST_CASE("what cannot keep everything is refused before and says why") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    const auto refused = [&](const std::string& which, const char* why) {
        const auto trouble = own::why_not_replaceable(which);
        REQUIRE_MESSAGE(trouble, why);
        CHECK_MESSAGE(trouble->text().find(why) != std::string::npos, trouble->text());
        CHECK(trouble->subject == which);
        CHECK(replace(which) == trouble->text());
        CHECK(text_there(path) == "old");
    };
    CHECK_FALSE(own::why_not_replaceable(path));
    for (const mode_t mode : {0444, 0555, 0400}) {
        ::chmod(path.c_str(), mode);
        refused(path, "read-only");
    }
    ::chmod(path.c_str(), 0644);
    REQUIRE(::link(path.c_str(), (folder / "hard").c_str()) == 0);
    refused(path, "hard link");
    CHECK(status_of(path).st_ino == status_of(folder / "hard").st_ino);
    ::unlink((folder / "hard").c_str());
    REQUIRE(::symlink("x.txt", (folder / "soft").c_str()) == 0);
    refused(folder / "soft", "not a regular file");
    refused(folder.path, "not a regular file");
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    refused(folder / "fifo", "not a regular file");
    refused(folder / "none", "No such file");
    if (::geteuid() == 0) return;
    ::chmod(folder.path.c_str(), 0555);
    refused(path, "its folder takes no new file");
    ::chmod(folder.path.c_str(), 0755);
}

TEST_CASE("another user's file would become ours") {
    if (::geteuid() != 0) return;
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    ::chmod(folder.path.c_str(), 0777);
    ::chmod(path.c_str(), 0666);
    const pid_t child = ::fork();
    if (child == 0) {
        const bool other = ::setgid(1234) == 0 && ::setuid(1234) == 0;
        ::_exit(other && own::why_not_replaceable(path) ? 0 : 1);
    }
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    CHECK(state == 0);
    CHECK(text_there(path) == "old");
}

TEST_CASE("a killed run leaves the old file, and the next one removes the new") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        const auto text = own::NewText::beside(path, "old", "new");
        ::raise(SIGKILL);
        ::_exit(0);
    }
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    CHECK(WIFSIGNALED(state));
    CHECK(text_there(path) == "old");
    CHECK(real_host()->list(folder.path)->size() == 2);
    own::remove_new_texts(folder.path);
    CHECK(real_host()->list(folder.path)->size() == 1);
    CHECK(text_there(path) == "old");
}

TEST_CASE("the new texts of a run that goes on stay") {
    const Temporary folder;
    const std::string path = folder.write("x.txt", "old");
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto text = own::NewText::beside(path, "old", "new");
        (void)!::write(ready[1], "x", 1);
        ::pause();
    }
    char byte;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    own::remove_new_texts(folder.path);
    CHECK(real_host()->list(folder.path)->size() == 2);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    own::remove_new_texts(folder.path);
    CHECK(real_host()->list(folder.path)->size() == 1);
    ::close(ready[0]);
    ::close(ready[1]);
}
