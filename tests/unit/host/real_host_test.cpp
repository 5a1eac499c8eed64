// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "host/host.hpp"
#include "host/library.hpp"
#include "temporary.hpp"

using namespace ptxguard;

TEST_CASE("files with any name are written, read and listed in order") {
    const Temporary folder;
    const auto host = real_host();
    const std::string odd = "sp ace';ü→";
    folder.write(join_path(odd, "b.txt"), "12345");
    folder.write(join_path(odd, "a.txt"), "");
    own::make_folders(folder / join_path(odd, "c"));
    const auto entries = host->list(folder / odd);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    CHECK((*entries)[0].name == "a.txt");
    CHECK((*entries)[1].type == FileType::regular);
    CHECK((*entries)[2].type == FileType::directory);
    const std::string path = folder / join_path(odd, "b.txt");
    CHECK(*host->read(path) == "12345");
    CHECK(*host->read_range(path, 3, 9) == "45");
    CHECK(*host->read_range(path, 99, 9) == "");
    CHECK(host->read(path, 4).trouble().text() == path + " is larger than 4 bytes");
    CHECK(*host->read(path, 5) == "12345");
}

TEST_CASE("the status of a file has type, size, time and identity") {
    const Temporary folder;
    const auto host = real_host();
    const std::string path = folder.write("x.txt", "123");
    const FileStatus status = host->status(path), again = host->status(folder / "./x.txt");
    CHECK(status.type == FileType::regular);
    CHECK(status.size == 3);
    CHECK(status.mtime_ns > 1600000000ll * 1000000000);
    CHECK_FALSE(status.executable);
    CHECK((status.inode == again.inode && status.device == again.device && status.inode != 0));
    CHECK(host->status(own::executable_path()).executable);
    CHECK(host->status(folder.path).type == FileType::directory);
    CHECK(host->status(folder.path).inode != status.inode);
    CHECK(host->status(folder / "none").type == FileType::missing);
    CHECK(host->status(folder / "x.txt/below").type == FileType::missing);
    CHECK(host->status("").type == FileType::missing);
}

TEST_CASE("an error with a file names it and has the system's message") {
    const Temporary folder;
    const auto host = real_host();
    const Trouble missing = host->read(folder / "none").trouble();
    CHECK(missing.subject == folder / "none");
    CHECK(missing.what == "cannot be read");
    CHECK_FALSE(missing.cause.empty());
    CHECK_FALSE(host->read(folder.path));
    CHECK_FALSE(host->list(folder / "none"));
    CHECK_FALSE(host->real_path(folder / "none"));
}

TEST_CASE("writing a file replaces it completely and leaves nothing else") {
    const Temporary folder;
    CHECK_FALSE(own::write_file(folder / "a/b/c.json", "1"));
    CHECK_FALSE(own::write_file(folder / "a/b/c.json", "22"));
    CHECK(*real_host()->read(folder / "a/b/c.json") == "22");
    CHECK(real_host()->list(folder / "a/b")->size() == 1);
    const auto trouble = own::write_file(folder / "a/b/c.json/d", "3");
    REQUIRE(trouble);
    CHECK_FALSE(trouble->cause.empty());
    CHECK(own::write_file(folder / "a", "3"));  // a folder is not replaced
    CHECK(real_host()->list(folder.path)->size() == 1);
}

TEST_CASE("a temporary folder is new each time and is removed with its contents") {
    const std::string one = *own::temporary_folder(), two = *own::temporary_folder();
    CHECK(one != two);
    own::write_file(join_path(one, "deep/er/x"), "");
    own::remove_tree(one);
    own::remove_tree(two);
    own::remove_tree(two);
    CHECK(real_host()->status(one).type == FileType::missing);
}

TEST_CASE("our own program and environment are known") {
    CHECK(ends_with(lower(file_name(own::executable_path())).substr(0, 9), "unit_host"));
    CHECK(own::cores() >= 1);
    CHECK_FALSE(real_host()->foreign());
    CHECK(real_host()->native_path("x/y") == "x/y");
    CHECK(real_host()->env("PATH"));
    CHECK_FALSE(real_host()->env("PTXGUARD_NOT_SET_ANYWHERE"));
    CHECK(real_host()->environment().size() > 1);
}

TEST_CASE("a library that is missing or invalid cannot be loaded") {
    const Temporary folder;
    const auto missing = LoadedLibrary::open(folder / "libnone.so");
    REQUIRE_FALSE(missing);
    CHECK(missing.trouble().subject == folder / "libnone.so");
    CHECK_FALSE(missing.trouble().cause.empty());
    CHECK_FALSE(LoadedLibrary::open(folder.write("libbad.so", "garbage")));
}
