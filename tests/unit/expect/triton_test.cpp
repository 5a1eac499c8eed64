// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/frameworks/triton/triton.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

std::string ptxas_banner(const std::string& version) {
    return std::string(200, 'x') + "Cuda compilation tools, release 12.8, V" + version +
           std::string(1, '\0') + std::string(100, 'x');
}

FakeHost with_triton(const std::string& version, System system = System::linux_) {
    FakeHost host(system);
    const std::string site = system == System::windows ? "C:/s/site-packages" : k_site;
    host.file(site + "/triton/__init__.py", "\"\"\"doc\"\"\"\n__version__ = '" + version + "'\n")
        .file(site + "/triton/compiler/__init__.py")
        .file(site + "/triton/backends/nvidia/compiler.py");
    return host;
}

}  // namespace

TEST_CASE("Triton's CUDA is that of its bundled ptxas") {
    FakeHost host = with_triton("3.6.0");
    const std::string bin = k_site + "/triton/backends/nvidia/bin/";
    host.file(bin + "ptxas", ptxas_banner("12.8.93")).file(bin + "ptxas-blackwell", ptxas_banner("12.9.86"));
    add_record(host, k_site, "triton", "3.6.0");
    const auto found = only(host);
    CHECK(found.framework == "Triton");
    CHECK(found.version->text == "3.6.0");
    CHECK(*found.vendor == Vendor::cuda);
    CHECK(found.cuda->text == "12.8.93");
    REQUIRE(found.tools.size() == 2);
    CHECK(found.tools[0].used_for == "Triton, compute capability below 10.0");
    CHECK(found.tools[1].tool == "ptxas-blackwell");
    CHECK(found.tools[1].version->text == "12.9.86");
    CHECK_FALSE(found.cudnn);
    CHECK(*found.cudnn_from == CudnnWay::none);
    CHECK_FALSE(found.cxx_abi);
}

TEST_CASE("one assembler serves all GPUs, and that of 2.x is in another folder") {
    FakeHost host = with_triton("2.1.0");
    host.file(k_site + "/triton/third_party/cuda/bin/ptxas", ptxas_banner("12.1.105"));
    const auto found = only(host);
    REQUIRE(found.tools.size() == 1);
    CHECK(found.tools[0].used_for == "Triton");
    CHECK(found.cuda->text == "12.1.105");
}

TEST_CASE("Windows: the record is triton-windows and has more of the version") {
    FakeHost host = with_triton("3.3.1", System::windows);
    const std::string site = "C:/s/site-packages";
    host.file(site + "/triton/backends/nvidia/bin/ptxas.exe", ptxas_banner("12.8.61"));
    add_record(host, site, "triton_windows", "3.3.1.post19");
    const auto found = only(host, site);
    CHECK(found.version->text == "3.3.1.post19");
    CHECK(found.build_package == "triton-windows");
    CHECK(found.cuda->text == "12.8.61");
}

TEST_CASE("PyTorch's Triton for ROCm is a build for ROCm") {
    FakeHost host = with_triton("3.3.1");
    add_record(host, k_site, "pytorch_triton_rocm", "3.3.1");
    CHECK(*only(host).vendor == Vendor::rocm);
}

TEST_CASE("another package named triton is not Triton, garbage in version.py is not a version") {
    FakeHost client;
    client.file(k_site + "/triton/__init__.py", "x = 1\n");
    CHECK(look(client, python(k_site)).expectations.empty());
    FakeHost broken = with_triton("nonsense");
    const auto found = only(broken);
    CHECK_FALSE(found.version);
    CHECK(!found.trouble.empty());
    FakeHost tool = with_triton("3.2.0");
    tool.file(k_site + "/triton/backends/nvidia/bin/ptxas", "garbage");
    CHECK_FALSE(only(tool).tools.front().version);
}

TEST_CASE("a declared Triton has its release's tools") {
    const auto found = named("triton==3.2.0");
    CHECK(found.cuda->text == "12.4.99");
    REQUIRE(found.tools.size() == 1);
    const auto two = named("triton==3.3.0");
    REQUIRE(two.tools.size() == 2);
    CHECK(named("triton==3.3.1.post19", System::windows).cuda->text == "12.8.61");
    CHECK_FALSE(named("triton==2.0.0").cuda);
}

TEST_CASE("a Triton version that was never released is recognized") {
    const auto never = named("triton==3.2.9");
    REQUIRE(never.published);
    CHECK_FALSE(*never.published);
    CHECK(never.near_releases ==
          std::vector<std::string>{"3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.3.1", "3.4.0"});
    CHECK_FALSE(named("triton==99.0.0").published);
    CHECK_FALSE(named("triton==1.0.1").published);
}
