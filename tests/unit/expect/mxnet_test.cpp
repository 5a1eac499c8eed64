// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "expect/frameworks/mxnet/mxnet.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost& add_mxnet(FakeHost& host, const std::string& version) {
    return host.file(k_site + "/mxnet/libinfo.py",
                     "import os\n\ndef find_lib_path(prefix='libmxnet'):\n    __version__ = 'x'\n\n# current "
                     "version\n__version__ = \"" +
                         version + "\"\n");
}

}  // namespace

TEST_CASE("a wheel of MXNet: the package's name gives CUDA, its library the C++ ABI") {
    FakeHost host;
    add_mxnet(host, "1.9.1");
    add_record(host, k_site, "mxnet_cu112", "1.9.1");
    built::Elf elf;
    elf.dynamic = false;
    elf.sections = {{".dynstr", std::string("\0_ZN5mxnet4dmlc6ConfigERKSs\0", 28)}};
    host.file(k_site + "/mxnet/libmxnet.so", elf.build());
    const Expectation mxnet = only(host);
    CHECK(mxnet.framework == "MXNet");
    CHECK(mxnet.package == "mxnet-cu112");
    CHECK(mxnet.version->text == "1.9.1");
    CHECK(mxnet.version.origin.line == 7);
    CHECK(mxnet.cuda->text == "11.2");
    CHECK(*mxnet.vendor == Vendor::cuda);
    CHECK(*mxnet.cxx_abi == 0);
}

TEST_CASE("MXNet without a record: CUDA and cuDNN come from the libraries that it needs") {
    FakeHost host;
    add_mxnet(host, "1.9.1");
    built::Elf elf;
    elf.needed = {"libcudnn.so.8", "libcudart.so.11.0", "libc.so.6"};
    host.file(k_site + "/mxnet/libmxnet.so", elf.build());
    CHECK(only(host).cuda->text == "11");
    CHECK(only(host).cudnn->text == "8");
    CHECK(*only(host).vendor == Vendor::cuda);
    // The package's name is more precise.
    add_record(host, k_site, "mxnet-cu112", "1.9.1");
    CHECK(only(host).cuda->text == "11.2");
    CHECK(only(host).cudnn->text == "8");
}

TEST_CASE("MXNet without CUDA, and MXNet without a matching record") {
    FakeHost cpu;
    add_mxnet(cpu, "1.9.1");
    add_record(cpu, k_site, "mxnet", "1.9.1");
    add_record(cpu, k_site, "mxnet-model-server", "1.0.0");
    CHECK(*only(cpu).cpu_only);
    FakeHost bare;
    add_mxnet(bare, "1.9.1");
    CHECK_FALSE(only(bare).vendor);
    CHECK_FALSE(only(bare).cuda);
    CHECK(only(bare).trouble.empty());
}

TEST_CASE("MXNet packages on top of each other, and a libinfo.py without a version") {
    FakeHost host;
    add_mxnet(host, "1.9.1");
    add_record(host, k_site, "mxnet", "1.9.1");
    add_record(host, k_site, "mxnet-cu112", "1.9.1");
    CHECK(only(host).trouble.find("mxnet 1.9.1, mxnet-cu112 1.9.1") != std::string::npos);
    CHECK_FALSE(only(host).cuda);
    FakeHost without_version;
    without_version.file(k_site + "/mxnet/libinfo.py", "__version__ = find_version()\n");
    CHECK_FALSE(only(without_version).trouble.empty());
}

TEST_CASE("names of MXNet's packages") {
    CHECK(mxnet::cuda_of_package("mxnet-cu112")->text == "11.2");
    CHECK(mxnet::cuda_of_package("mxnet-cu101mkl")->text == "10.1");
    CHECK(mxnet::cuda_of_package("mxnet-cu92")->text == "9.2");
    for (const char* name : {"mxnet", "mxnet-mkl", "mxnet-native", "mxnet-cu", "mxnet-cuda"})
        CHECK_MESSAGE(!mxnet::cuda_of_package(name), name);
    const FakeHost host;
    CHECK(look(host, framework("mxnet-cu112==1.9.1")).expectations.at(0).cuda->text == "11.2");
    CHECK(look(host, framework("mxnet-cu110==1.8.0")).expectations.at(0).cuda->text == "11.0");
    CHECK(*look(host, framework("mxnet==1.9.1")).expectations.at(0).vendor == Vendor::cpu);
}
