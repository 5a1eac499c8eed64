// SPDX-License-Identifier: Apache-2.0
#include "host/fake_host.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("a file of the fake machine creates its folders") {
    FakeHost host;
    host.file("/opt/cuda/version.json", "{}");
    CHECK(host.status("/opt/cuda/version.json").type == FileType::regular);
    CHECK(host.status("/opt/cuda/version.json").size == 2);
    CHECK(host.status("/opt/cuda").type == FileType::directory);
    CHECK(host.status("/opt/./cuda/../cuda/").type == FileType::directory);
    CHECK(host.status("/opt/cudda").type == FileType::missing);
    CHECK(host.status("/opt/cuda/version.json/x").type == FileType::missing);
    CHECK(*host.read("/opt/cuda/version.json", 2) == "{}");
}

TEST_CASE("reading too much, a folder or nothing is an error that names the path") {
    FakeHost host;
    host.file("/a/b", "12345");
    CHECK(host.read("/a/b", 4).trouble().text() == "/a/b is larger than 4 bytes");
    CHECK(host.read("/a", 9).trouble().text() == "/a cannot be read: Is a directory");
    CHECK(host.read("/c", 9).trouble().text() == "/c cannot be read: No such file or directory");
    CHECK(*host.read_range("/a/b", 3, 10) == "45");
    CHECK(*host.read_range("/a/b", 9, 10) == "");
}

TEST_CASE("links of the fake machine are followed and two names are one file") {
    FakeHost host;
    host.program("/usr/local/cuda-13.0/bin/nvcc", "13.0");
    host.link("/etc/alternatives/cuda", "/usr/local/cuda-13.0")
        .link("/usr/local/cuda", "../../etc/alternatives/cuda");
    const FileStatus a = host.status("/usr/local/cuda/bin/nvcc"),
                     b = host.status("/usr/local/cuda-13.0/bin/nvcc");
    CHECK(a.type == FileType::regular);
    CHECK(a.executable);
    CHECK((a.inode == b.inode && a.device == b.device));
    CHECK(host.status("/usr/local/cuda").is_link);
    CHECK_FALSE(a.is_link);
    CHECK(*host.real_path("/usr/local/cuda/bin/../bin/nvcc") == "/usr/local/cuda-13.0/bin/nvcc");
    CHECK(host.run({{"/usr/local/cuda/bin/nvcc"}}).out == "13.0");
}

TEST_CASE("dangling and looping links and closed folders are distinguished") {
    FakeHost host;
    host.link("/dangling", "/nowhere").link("/loop1", "/loop2").link("/loop2", "loop1").unreadable("/closed");
    CHECK(host.status("/dangling").type == FileType::dangling_link);
    CHECK(host.status("/dangling/x").type == FileType::missing);
    CHECK(host.status("/loop1").type == FileType::link_loop);
    CHECK(host.status("/closed").type == FileType::unreadable);
    CHECK(host.status("/closed/x").type == FileType::unreadable);
    CHECK(host.list("/closed").trouble().text() == "/closed cannot be listed: Permission denied");
    CHECK(host.real_path("/loop1").trouble().cause == "Too many levels of symbolic links");
}

TEST_CASE("a folder lists its entries by name with the type of their targets") {
    FakeHost host;
    host.folder("/d/b").file("/d/c").link("/d/a", "b").file("/d/b/deeper");
    const auto entries = *host.list("/d");
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].name == "a");
    CHECK(entries[0].type == FileType::directory);
    CHECK(entries[2].name == "c");
    CHECK(entries[2].type == FileType::regular);
}

TEST_CASE("names on a Windows machine are case-insensitive") {
    FakeHost host(System::windows);
    host.program("C:\\CUDA\\v13.0\\bin\\nvcc.exe", "13").env("Path", "x").file("D:/data/a.txt", "1");
    CHECK(host.status("c:/cuda/V13.0/BIN/NVCC.EXE").type == FileType::regular);
    CHECK(host.status("C:\\CUDA\\v13.0\\bin\\nvcc.exe").executable);
    CHECK(*host.real_path("c:\\cuda\\V13.0") == "C:/CUDA/v13.0");
    CHECK(*host.env("PATH") == "x");
    CHECK(*host.read("d:\\DATA\\A.TXT", 9) == "1");
    CHECK(host.list("C:/cuda")->begin()->name == "v13.0");
    CHECK(host.run({{"c:/cuda/v13.0/bin/nvcc.exe"}}).ok());
}

TEST_CASE("programs answer, and one that cannot run has a reason") {
    FakeHost host;
    host.program("/bin/echo", [](const Command& command) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        result.out = command.argv.back();
        return result;
    });
    host.file("/bin/plain").folder("/bin/folder").env("A", "1");
    CHECK(host.run_all({{{"/bin/echo", "1"}}, {{"/bin/echo", "2"}}}, 0)[1].out == "2");
    CHECK(host.commands_run.size() == 2);
    CHECK(host.run({{"/bin/plain"}}).trouble == "Permission denied");
    CHECK(host.run({{"/bin/none"}}).trouble == "No such file or directory");
    CHECK(host.run({{"/bin/none"}}).state == ProcessResult::State::not_started);
    CHECK_FALSE(host.env("a"));
    host.foreign(true);
    CHECK(host.run({{"/bin/echo"}}).trouble == "is not run: the tree under --root is only read");
}

TEST_CASE("a drive is part of a name on a Linux machine") {
    FakeHost host;
    host.file("Z:/x/y", "1").link("/link", "Z:/x");
    CHECK(*host.read("Z:/x/y", 9) == "1");
    CHECK(*host.real_path("Z:/x/y") == "/Z:/x/y");
    CHECK(*host.read("/link/y", 9) == "1");
}

TEST_CASE("a value of the fake registry adds its key and those above it, in any spelling") {
    FakeHost host(System::windows);
    host.registry_value("SOFTWARE\\A\\v1", "Dir", "C:\\a").registry_value("SOFTWARE\\A\\v2", "Dir", "C:\\b");
    CHECK(host.registry("software\\a\\V1")->values.at("Dir") == "C:\\a");
    CHECK(host.registry("SOFTWARE\\A")->keys == std::vector<std::string>{"v1", "v2"});
    CHECK(host.registry("SOFTWARE\\A")->values.empty());
    CHECK_FALSE(host.registry("SOFTWARE\\B"));
}
