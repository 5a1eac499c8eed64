// What the records of pip, conda and dpkg contain.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "packages/conda.hpp"
#include "packages/dpkg.hpp"
#include "packages/wheels.hpp"

using namespace ptxguard;

TEST_CASE("truncated dpkg records give the whole version or none") {
    const std::string status = "Package: a\nStatus: install ok installed\nVersion: 2:1.13.1+dfsg-4\n\n";
    for (std::size_t size = 0; size < status.size(); ++size) {
        const auto found = read_dpkg_status(status.substr(0, size), "a");
        CHECK_MESSAGE((!found || status.find(found->text) != std::string::npos), size);
    }
}

TEST_CASE("dpkg's records are read") {
    const std::string status =
        "Package: a\nStatus: install ok installed\nDescription: x\n Version: 9\nVersion: 1:2.0-1\n\n"
        "Package: b\nStatus: deinstall ok config-files\nVersion: 3.0\n";
    REQUIRE(read_dpkg_status(status, "a"));
    CHECK(read_dpkg_status(status, "a")->text == "1:2.0-1");
    CHECK(read_dpkg_status(status, "a")->line == 5);
    CHECK_FALSE(read_dpkg_status(status, "b"));  // removed
    CHECK_FALSE(read_dpkg_status(status, "c"));
    CHECK_FALSE(read_dpkg_status("garbage", "a"));
    CHECK(upstream_version("2:1.13.1+dfsg-4")->text == "1.13.1");
    CHECK(upstream_version("2.6.0~ds1-2")->text == "2.6.0");
    CHECK(upstream_version("2.0")->text == "2.0");
    CHECK_FALSE(upstream_version("new"));
}

TEST_CASE("a version comes from METADATA, or from the record's name if it has none") {
    FakeHost host;
    host.file("/site/torch-2.0.0+cu118.dist-info/METADATA", "Name: torch\nVersion: 2.0.1+cu118\n\n");
    host.file("/site/jax-0.6.0.dist-info/METADATA", "Name: jax\n\n");
    host.folder("/site/Old_Thing-1.5-py3.11.egg-info").folder("/site/nameless.dist-info");
    host.folder("/site/triton_windows-3.3.1.post19.dist-info");
    CHECK(installed_version(host, "/site", {"torch"})->text == "2.0.1+cu118");
    CHECK(installed_version(host, "/site", {"torch"}).origin.line == 2);
    CHECK(installed_version(host, "/site", {"jax"})->text == "0.6.0");
    CHECK(installed_version(host, "/site", {"old-thing"})->text == "1.5");
    CHECK(installed_version(host, "/site", {"triton*"})->text == "3.3.1.post19");
    CHECK_FALSE(installed_version(host, "/site", {"nameless"}));
    CHECK_FALSE(installed_version(host, "/site", {"tor"}));
    CHECK_FALSE(installed_version(host, "/elsewhere", {"torch"}));
}

TEST_CASE("conda's packages in the order of the names; other files are skipped") {
    FakeHost host;
    const auto record = [&](const std::string& name, const std::string& text) {
        host.file("/env/conda-meta/" + name + ".json", text);
    };
    record("pytorch-2.5.1-py3.11_cuda12.4_0", R"({"name": "pytorch", "version": "2.5.1", "build": "b",
           "depends": ["cudnn >=9.3"], "files": ["lib\\site-packages\\torch\\version.py"]})");
    record("libtorch-2.5.1-h1_0", R"({"name": "libtorch", "version": "2.5.1"})");
    record("pytorch-mutex-1.0-cuda", "[]");
    record("pytorch-cuda-12.4-h1", "{");
    host.file("/env/conda-meta/history", "");
    const auto found = conda_packages(host, "/env", {"libtorch", "pytorch*"});
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "libtorch");
    CHECK(found[1].depends == std::vector<std::string>{"cudnn >=9.3"});
    CHECK(found[1].files == std::vector<std::string>{"lib/site-packages/torch/version.py"});
    CHECK(conda_packages(host, "", {"pytorch"}).empty());
    CHECK(conda_records(host, "/env").size() == 4);
}

TEST_CASE("a RECORD whose paths are quoted lists the same files") {
    FakeHost host;
    host.file("/s/a-1.dist-info/METADATA", "Name: a\nVersion: 1\n");
    host.file("/s/a-1.dist-info/RECORD", "\"a/x.so\",sha256=abc,123\n\"a/y.py\",sha256=def,4\n");
    const auto wheels = installed_wheels(host, "/s", {"a"});
    REQUIRE(wheels.size() == 1);
    const auto files = recorded_files(host, wheels[0]);
    REQUIRE(files.size() == 2);
    CHECK(files[0].path == "a/x.so");
    CHECK(files[0].size == "123");
}

TEST_CASE("a RECORD's lines list files and sizes; what a line leaves out is empty") {
    FakeHost host;
    InstalledWheel wheel;
    wheel.path = "/s/a-1.dist-info/METADATA";
    CHECK(recorded_files(host, wheel).empty());
    host.file("/s/a-1.dist-info/RECORD", "a/x.so,sha256=abc,123\r\na/y.py,,\na-1.dist-info/RECORD,,\na/z\n");
    const auto files = recorded_files(host, wheel);
    REQUIRE(files.size() == 4);
    CHECK(files[0].path == "a/x.so");
    CHECK(files[0].size == "123");
    CHECK(files[1].path == "a/y.py");
    CHECK(files[1].size.empty());
    CHECK(files[3].path == "a/z");
    CHECK(files[3].size.empty());
}
