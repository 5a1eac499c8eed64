// SPDX-License-Identifier: Apache-2.0
#include "packages/owner.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

void add_wheel(FakeHost& host, const std::string& site, const std::string& name, const std::string& version,
               const std::string& record) {
    const std::string info = site + "/" + name + "-" + version + ".dist-info";
    host.file(info + "/METADATA", "Name: " + name + "\nVersion: " + version + "\n\n");
    host.file(info + "/RECORD", record);
}

std::string owner_of(const FakeHost& host, const std::string& path, const std::vector<std::string>& words) {
    const PackageOwner owner = PackageOwners(host).owner(path, words);
    return owner.version ? owner.package + " " + owner.version->text : "nobody";
}

}  // namespace

TEST_CASE("a file belongs to the wheel that lists it with its size, whatever the wheel is called") {
    FakeHost host;
    host.file("/site/nvidia/cublas/lib/libcublas.so.12", "12345");
    add_wheel(host, "/site", "nvidia_cudnn_cu12", "9.1.0.70", "nvidia/cudnn/lib/libcudnn.so.9,sha256=x,5\n");
    add_wheel(host, "/site", "nvidia_cublas_cu12", "12.4.5.8",
              "nvidia/cublas/lib/libcublas.so.12,sha256=x,5\n");
    CHECK(owner_of(host, "/site/nvidia/cublas/lib/libcublas.so.12", {"cublas"}) ==
          "nvidia-cublas-cu12 12.4.5.8");
    CHECK(owner_of(host, "/site/nvidia/cublas/lib/libcublas.so.12", {"x"}) == "nvidia-cublas-cu12 12.4.5.8");
    CHECK(owner_of(host, "/site/nvidia/cudnn/lib/libcudnn.so.9", {"cudnn"}) == "nobody");  // does not exist
}

TEST_CASE("a file of another size belongs to another package, and the record that lists it is named") {
    FakeHost host;
    host.file("/site/nvidia/cublas/lib/libcublas.so.12", "123456");
    add_wheel(host, "/site", "nvidia_cublas_cu12", "12.4.5.8",
              "nvidia/cublas/lib/libcublas.so.12,sha256=x,5\n");
    const PackageOwner owner =
        PackageOwners(host).owner("/site/nvidia/cublas/lib/libcublas.so.12", {"cublas"});
    CHECK_FALSE(owner.version);
    CHECK(owner.package.empty());
    CHECK(owner.version.origin.text ==
          "/site/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD lists this file with another size");
}

TEST_CASE("a record without line ends is read once") {
    FakeHost host;
    host.file("/site/nvidia/cublas/lib/libcublas.so.12", "12345");
    std::string record;
    while (record.size() < 8u << 20) record += "libcublas.so.12,";
    add_wheel(host, "/site", "nvidia_cublas_cu12", "12.4.5.8", record);
    CHECK(owner_of(host, "/site/nvidia/cublas/lib/libcublas.so.12", {"cublas"}) == "nobody");
}

TEST_CASE("packages other than NVIDIA's own a file only if their name was requested") {
    FakeHost host;
    host.file("/site/torch/lib/libcudart.so.12", "12345");
    add_wheel(host, "/site", "torch", "2.5.1", "torch/lib/libcudart.so.12,sha256=x,5\n");
    CHECK(owner_of(host, "/site/torch/lib/libcudart.so.12", {"cuda-runtime"}) == "nobody");
    CHECK(owner_of(host, "/site/torch/lib/libcudart.so.12", {"torch"}) == "torch 2.5.1");
}

TEST_CASE("a package is found by a path through a link and by one that points outside site-packages") {
    FakeHost host;
    host.file("/cache/a1/libcublas.so.12", "12345");
    host.link("/site/nvidia/cublas/lib/libcublas.so.12", "/cache/a1/libcublas.so.12")
        .link("/venv/lib64", "/site");
    add_wheel(host, "/site", "nvidia_cublas_cu12", "12.4.5.8",
              "nvidia/cublas/lib/libcublas.so.12,sha256=x,5\n");
    for (const char* path :
         {"/site/nvidia/cublas/lib/libcublas.so.12", "/venv/lib64/nvidia/cublas/lib/libcublas.so.12"}) {
        CAPTURE(path);
        CHECK(owner_of(host, path, {"cublas"}) == "nvidia-cublas-cu12 12.4.5.8");
    }
}

TEST_CASE("conda and dpkg own what they list") {
    FakeHost host;
    host.file("/env/lib/libcublas.so.12", "x").file("/usr/lib/libcublas.so.12", "x");
    host.file("/env/conda-meta/libcublas-12.9.1.4-h1_0.json",
              R"({"name": "libcublas", "version": "12.9.1.4", "files": ["lib/libcublas.so.12"]})");
    host.file("/env/conda-meta/libcublas-dev-12.8.0.1-h1_0.json",
              R"({"name": "libcublas-dev", "version": "12.8.0.1", "files": ["lib/libcublas.so"]})");
    host.file("/var/lib/dpkg/info/libcublas-12-8:amd64.list", "/usr/lib\n/usr/lib/libcublas.so.12\n");
    host.file("/var/lib/dpkg/info/libcublas-dev-12-8.list", "/usr/lib/libcublas.so\n");
    host.file("/var/lib/dpkg/status",
              "Package: libcublas-12-8\nStatus: install ok installed\nVersion: 12.8.4.1-1\n");
    CHECK(owner_of(host, "/env/lib/libcublas.so.12", {"cublas"}) == "libcublas 12.9.1.4");
    CHECK(owner_of(host, "/usr/lib/libcublas.so.12", {"cublas"}) == "libcublas-12-8 12.8.4.1");
    CHECK(owner_of(host, "/usr/lib/libcublas.so.12", {"cudnn"}) == "nobody");
    host.file("/var/lib/dpkg/status",
              "Package: libcublas-12-8\nStatus: deinstall ok config-files\nVersion: 12.8.4.1-1\n");
    CHECK(owner_of(host, "/usr/lib/libcublas.so.12", {"cublas"}) == "nobody");
}
