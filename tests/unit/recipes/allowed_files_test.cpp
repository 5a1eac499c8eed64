// Which files a recipe may make `lint` read: those below the named folder or its repository.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/allowed_files.hpp"

#include <doctest/doctest.h>

#include <ctime>

#include "host/fake_host.hpp"

using namespace ptxguard;
using recipes::AllowedFiles;

namespace {

// A repository in /r, and what a stranger would like to see of the machine.
FakeHost machine() {
    FakeHost host;
    host.folder("/r/.git").file("/r/common.txt", "x\n").file("/r/a/b/requirements.txt", "x\n");
    host.file("/secret.txt", "swordfish\n").file("/r2/other.txt", "x\n");
    return host;
}

bool allows(const FakeHost& host, const std::string& named, const std::string& path) {
    const AllowedFiles files(host, {named});
    const bool allowed = !files.outside(path);
    if (!allowed) CHECK_FALSE(files.read(path));  // one decision
    return allowed;
}

}  // namespace

TEST_CASE("the named folder and the repository that holds it are inside") {
    const FakeHost host = machine();
    for (const char* named : {"/r", "/r/", "/r/a", "/r/a/b/requirements.txt", "/r/a/../a/b"}) {
        CAPTURE(named);
        CHECK(allows(host, named, "/r/common.txt"));
        CHECK(allows(host, named, "/r/a/b/../../common.txt"));
        CHECK(allows(host, named, "/r/not/there.txt"));
        for (const char* path : {"/secret.txt", "/r/../secret.txt", "/r/a/b/../../../secret.txt",
                                 "/r2/other.txt", "/r/not/../../r2/none.txt", "/", "/r/../.."})
            CHECK_FALSE_MESSAGE(allows(host, named, path), path);
    }
}

TEST_CASE("without a repository, the named folder or the folder of the named file is inside") {
    FakeHost host;
    host.file("/x/requirements.txt", "x\n").file("/x/a/requirements.txt", "x\n").file("/xa/x.txt", "x\n");
    CHECK(allows(host, "/x", "/x/a/requirements.txt"));
    CHECK_FALSE(allows(host, "/x/a", "/x/requirements.txt"));
    CHECK(allows(host, "/x/a/requirements.txt", "/x/a/other.txt"));
    CHECK_FALSE(allows(host, "/x/a/requirements.txt", "/x/requirements.txt"));
    CHECK_FALSE(allows(host, "/x", "/xa/x.txt"));
    // Several named ones are one project.
    const AllowedFiles both(host, {"/x", "/xa/x.txt"});
    CHECK_FALSE(both.outside("/x/a/requirements.txt"));
    CHECK_FALSE(both.outside("/xa/x.txt"));
    CHECK(both.outside("/"));
}

TEST_CASE("the .git of a worktree is a file, and the nearest one counts") {
    FakeHost host = machine();
    host.file("/r/sub/.git", "gitdir: ../.git/modules/sub\n").file("/r/sub/requirements.txt", "x\n");
    CHECK_FALSE(allows(host, "/r/sub", "/r/common.txt"));
    CHECK(allows(host, "/r", "/r/sub/requirements.txt"));
}

TEST_CASE("links count as the file to which they lead") {
    FakeHost host = machine();
    host.link("/r/out.txt", "/secret.txt").link("/r/up.txt", "../secret.txt").link("/r/in.txt", "common.txt");
    host.link("/r/etc", "/r2").link("/r/dir", "a/b").link("/r/chain.txt", "out.txt");
    CHECK(allows(host, "/r", "/r/in.txt"));
    CHECK(allows(host, "/r", "/r/dir/requirements.txt"));
    for (const char* path : {"/r/out.txt", "/r/up.txt", "/r/chain.txt", "/r/etc/other.txt", "/r/etc/none.txt",
                             "/r/etc/../r/etc"})
        CHECK_FALSE_MESSAGE(allows(host, "/r", path), path);
    // A hook names every file of a repository, also links.
    CHECK_FALSE(allows(host, "/r/out.txt", "/r/out.txt"));
    CHECK(allows(host, "/r/in.txt", "/r/in.txt"));
    CHECK(allows(host, "/secret.txt", "/secret.txt"));
    // A folder that the user names by a link is that folder.
    CHECK(allows(host, "/r/etc", "/r/etc/other.txt"));
    // From outside, a link into the repository leads inside.
    host.link("/into", "/r");
    CHECK(allows(host, "/r", "/into/common.txt"));
}

TEST_CASE("whether a refused file exists changes only what is reported of a file that a reader looks for") {
    FakeHost host = machine();
    host.link("/r/out.txt", "/secret.txt");
    const AllowedFiles files(host, {"/r"});
    const auto there = files.outside("/secret.txt"), missing = files.outside("/none.txt");
    REQUIRE(there);
    REQUIRE(missing);
    CHECK(there->why == missing->why);
    CHECK(there->is_there);
    CHECK_FALSE(missing->is_there);
    CHECK(files.outside("/r/out.txt")->why != there->why);  // a link says so
    CHECK(files.read("/r/out.txt").trouble().subject == "/r/out.txt");
    CHECK(files.read("/r/out.txt").trouble().text().find("swordfish") == std::string::npos);
}

TEST_CASE("a path of a million names is decided at once") {
    const FakeHost host = machine();
    std::string deep = "/r";
    for (int i = 0; i < 500000; ++i) deep += "/x";
    const std::clock_t start = std::clock();  // processor time: other programs do not count
    CHECK(allows(host, "/r", deep));
    CHECK_FALSE(allows(host, "/r", deep.substr(2)));
    CHECK(allows(host, "/r", "/r//a//none//x"));
    CHECK_FALSE(allows(host, "/r", "/r//a//..//..//x"));
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);
}

TEST_CASE("relative paths start at the working folder") {
    FakeHost host = machine();
    host.env("PWD", "/r/a");
    CHECK(allows(host, ".", "b/requirements.txt"));
    CHECK(allows(host, "b/requirements.txt", "../common.txt"));
    CHECK_FALSE(allows(host, ".", "../../secret.txt"));
}

TEST_CASE("Windows: drives and letter case") {
    FakeHost host(System::windows);
    host.folder("C:/r/.git").file("C:/r/x.txt", "x\n").file("C:/secret.txt", "x\n").file("D:/r/x.txt", "x\n");
    CHECK(allows(host, "C:\\r", "c:\\R\\x.txt"));
    CHECK_FALSE(allows(host, "C:/r", "C:/secret.txt"));
    CHECK_FALSE(allows(host, "C:/r", "D:/r/x.txt"));
    CHECK_FALSE(allows(host, "C:/r", "C:/r/../secret.txt"));
}
