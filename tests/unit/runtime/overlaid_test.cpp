// SPDX-License-Identifier: Apache-2.0
#include "runtime/overlaid.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "module_world.hpp"

namespace ptxguard {
namespace {

std::vector<SharedFile> overlaid(const Environment& host) {
    PythonEnvironment python;
    python.places.push_back({k_site});
    return overlaid_packages(host, module_files(host, python));
}

// Folders of records have underscores for the dashes of a name.
std::string in_folder(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// Two packages with a library of 3 and of 5 bytes; the one of 5 is there.
Environment two(const std::string& first, const std::string& second, const std::string& file,
                const std::string& requires_ = {}) {
    Environment host({});
    host.record(in_folder(first), "1.0", file + ",sha256=x,3\n");
    host.record(in_folder(second), "2.0", file + ",sha256=y,5\n", requires_);
    host.file(k_site + "/" + file, "12345");
    return host;
}

}  // namespace

TEST_CASE("two builds of one package: the sizes in the records show which one is there") {
    const auto found = overlaid(two("spconv-cu118", "spconv-cu120", "spconv/core_cc.so"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "spconv-cu120");
    CHECK(found[0].other == "spconv-cu118");
    CHECK(found[0].owner == "spconv-cu120");
    CHECK(found[0].version->text == "2.0");
    CHECK(found[0].mixed);
    CHECK(found[0].file == "spconv/core_cc.so");
}

TEST_CASE("a build for CPUs over the one for GPUs") {
    for (const char* cpu : {"xgboost-cpu", "faiss-cpu"}) {
        const auto found = overlaid(two("faiss-gpu-cu12", cpu, "faiss/libfaiss.so"));
        REQUIRE(found.size() == 1);
        CHECK(found[0].package == "faiss-gpu-cu12");
        CHECK(found[0].other == cpu);
        CHECK(found[0].owner == cpu);
        CHECK_FALSE(found[0].mixed);
    }
    // tensorflow is for GPUs, as its sister names itself for CPUs.
    const auto found = overlaid(two("tensorflow", "tensorflow-cpu", "tensorflow/libtensorflow_cc.so.2"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "tensorflow");
    CHECK(found[0].owner == "tensorflow-cpu");
}

TEST_CASE("one module by two names: Python takes the more exact one") {
    Environment host({});
    host.record("faiss_gpu_cu12", "1.11", "faiss/_swigfaiss.so,sha256=x,3\n");
    host.record("faiss_cpu", "1.11", "faiss/_swigfaiss.cpython-311-x86_64-linux-gnu.so,sha256=y,5\n");
    host.file(k_site + "/faiss/_swigfaiss.so", "123");
    host.file(k_site + "/faiss/_swigfaiss.cpython-311-x86_64-linux-gnu.so", "12345");
    const auto found = overlaid(host);
    REQUIRE(found.size() == 1);
    CHECK(found[0].owner == "faiss-cpu");
}

TEST_CASE("neither different packages nor one that overlays what it requires is named") {
    CHECK(overlaid(two("opencv-python", "opencv-python-headless", "cv2/cv2.abi3.so")).empty());
    CHECK(overlaid(two("nvidia-nccl-cu12", "nvidia-nccl-cu13", "nvidia/nccl/lib/libnccl.so.2")).empty());
    // One of them requires the other, or a third one both.
    CHECK(overlaid(two("dsl-base", "dsl-cu13", "dsl/lib.so", "dsl-base==1.0")).empty());
    Environment host = two("dsl-base", "dsl-cu13", "dsl/lib.so");
    CHECK(overlaid(host).size() == 1);
    host.record("dsl", "1.0", "dsl/__init__.py,,\n", "dsl-base\nRequires-Dist: dsl-cu13; extra == 'cu13'");
    CHECK(overlaid(host).empty());
    // Alternatives of one package are none.
    Environment extras = two("te-cu12", "te-cu13", "te/lib.so");
    extras.record("te", "1.0", "te/__init__.py,,\n",
                  "te-cu12; extra == 'cu12'\nRequires-Dist: te-cu13; extra == 'cu13'");
    CHECK(overlaid(extras).size() == 1);
}

TEST_CASE("files of both are there: nobody owns them") {
    Environment host({});
    host.record("a_cu11", "1", "a/x.so,sha256=x,3\na/y.so,sha256=x,3\n");
    host.record("a_cu12", "1", "a/x.so,sha256=x,5\na/y.so,sha256=x,5\n");
    host.file(k_site + "/a/x.so", "123").file(k_site + "/a/y.so", "12345");
    const auto found = overlaid(host);
    REQUIRE(found.size() == 1);
    CHECK(found[0].owner.empty());
}

}  // namespace ptxguard
