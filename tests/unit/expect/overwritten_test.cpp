// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_site = "/s/site-packages";
const std::string k_file = "nvidia/nccl/lib/libnccl.so.2";

FakeHost& add_nccl(FakeHost& host, const std::string& package, const std::string& version,
                   const std::string& size) {
    const std::string folder = k_site + "/" + package + "-" + version + ".dist-info";
    return host
        .file(folder + "/METADATA",
              "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n\n")
        .file(folder + "/RECORD", k_file + ",sha256=abc," + size + "\nnvidia/__init__.py,sha256=abc,0\n");
}

std::vector<Conflict> misfits(const std::string& content, const std::string& other_version,
                              const std::string& other_size) {
    FakeHost host;
    add_torch(host, k_site, "2.8.0", "'12.8'");
    add_record(host, k_site, "torch", "2.8.0", "Requires-Dist: nvidia-nccl-cu12==2.27.3\n");
    add_nccl(host, "nvidia_nccl_cu12", "2.27.3", "8");
    if (!other_version.empty()) add_nccl(host, "nvidia_nccl_cu11", other_version, other_size);
    host.file(k_site + "/" + k_file, content);
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    return conflicts(scenario.expectations[0]);
}

}  // namespace

TEST_CASE("A library that the package of another CUDA laid over the framework's own is a misfit") {
    const auto found = misfits("12345", "2.14.3", "5");
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "nvidia-nccl-cu12 2.27.3");
    CHECK(found[0].message == "has lost its libnccl.so.2 to nvidia-nccl-cu11 2.14.3");
    CHECK(found[0].harm == Harm::import);
    CHECK(
        found[0].fix ==
        "python3 -m pip uninstall -y nvidia-nccl-cu11 && python3 -m pip install --force-reinstall --no-deps "
        "'nvidia-nccl-cu12==2.27.3'");
    REQUIRE(misfits("12345", "2.29.1", "5").size() == 1);
    CHECK(misfits("12345", "2.29.1", "5").front().harm == Harm::later);
}

TEST_CASE(
    "Two packages with a file of one name are no misfit while the own one lies there, or nobody knows") {
    CHECK(misfits("12345678", "", "").empty());
    CHECK(misfits("12345678", "2.14.3", "5").empty());
    CHECK(misfits("12345678", "2.14.3", "8").empty());
    CHECK(misfits("123456", "2.14.3", "5").empty());
}
