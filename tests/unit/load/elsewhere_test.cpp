// SPDX-License-Identifier: Apache-2.0
#include "load/elsewhere.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

const std::string k_site = "/venv/lib/python3.11/site-packages";

LoadTrace lacking(const std::string& name, const std::string& library) {
    LoadTrace trace;
    LoadedFile file;
    file.name = name;
    file.library = library;
    file.how = LoadHow::dlopen;
    trace.libraries.push_back(file);
    return trace;
}

std::vector<LoadLoser> losers(const FakeHost& host, const std::string& name, const std::string& library) {
    LoadTrace trace = lacking(name, library);
    find_elsewhere(host, Facts::embedded(), k_site, trace);
    return trace.libraries.front().losers;
}

}  // namespace

TEST_CASE("a library found in a package, in the environment or in a toolkit is listed as not searched") {
    for (const std::string& folder :
         {k_site + "/nvidia/cublas/lib", std::string("/venv/lib"), std::string("/usr/local/cuda-12.4/lib64"),
          std::string("/opt/cuda/lib64"), std::string("/opt/cuda-12.4/targets/x86_64-linux/lib"),
          std::string("/sdk/lib64")}) {
        FakeHost host;
        host.file(folder + "/libcublas.so.12").env("CUDA_HOME", "/sdk");
        const auto found = losers(host, "libcublas.so.12", "cublas");
        REQUIRE(found.size() == 1);
        CHECK(found[0].path == folder + "/libcublas.so.12");
        CHECK(found[0].lost == LoadLost::not_searched);
    }
}

TEST_CASE("a library in another folder of the same Python is listed after those of its own") {
    const std::string lib64 = "/venv/lib64/python3.11/site-packages";
    FakeHost host;
    host.file(k_site + "/nvidia/cudnn/lib/libcudnn.so.9");
    LoadTrace trace = lacking("libcudnn.so.9", "cudnn");
    find_elsewhere(host, Facts::embedded(), lib64, trace, {k_site});
    REQUIRE(trace.libraries.front().losers.size() == 1);
    CHECK(trace.libraries.front().losers[0].path == k_site + "/nvidia/cudnn/lib/libcudnn.so.9");
}

TEST_CASE("the library of another CUDA is named if the required one is missing") {
    FakeHost host;
    host.file("/usr/local/cuda-13.0/lib64/libcublas.so.13.1.0")
        .file("/usr/local/cuda-13.0/lib64/libcublas.so.13");
    auto found = losers(host, "libcublas.so.12", "cublas");
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "/usr/local/cuda-13.0/lib64/libcublas.so.13");
    CHECK(found[0].lost == LoadLost::other_name);
    CHECK(found[0].rule.empty());
    host.env("LD_LIBRARY_PATH", "/empty:/usr/local/cuda-13.0/lib64");
    CHECK(losers(host, "libcublas.so.12", "cublas").at(0).rule.text == "LD_LIBRARY_PATH");
    host.file(k_site + "/nvidia/cublas/lib/libcublas.so.12");
    found = losers(host, "libcublas.so.12", "cublas");
    REQUIRE(found.size() == 1);
    CHECK(found[0].lost == LoadLost::not_searched);
}

TEST_CASE("nothing is reported for other libraries, names without a CUDA, or found or undecided ones") {
    FakeHost host;
    host.file("/usr/local/cuda/lib64/libcublasLt.so.13").file("/usr/local/cuda/lib64/libcurand.so.9");
    CHECK(losers(host, "libcublas.so.12", "cublas").empty());
    CHECK(losers(host, "libcurand.so.10", "curand").empty());
    host.file("/usr/local/cuda/lib64/libcublas.so.12");
    LoadTrace trace = lacking("libcublas.so.12", "cublas");
    trace.libraries.front().undecided = true;
    find_elsewhere(host, Facts::embedded(), k_site, trace);
    CHECK(trace.libraries.front().losers.empty());
    trace = lacking("libcublas.so.12", "cublas");
    trace.libraries.front().taken = "/lib/libcublas.so.12";
    find_elsewhere(host, Facts::embedded(), k_site, trace);
    CHECK(trace.libraries.front().losers.empty());
}

TEST_CASE("on Windows torch's own folder shows which cuDNN is there instead") {
    FakeHost host(System::windows);
    const std::string site = "C:/Py/Lib/site-packages", lib = site + "/torch/lib/";
    host.file(lib + "cudnn64_8.dll").file(lib + "cudnn_ops_infer64_8.dll");
    LoadTrace trace = lacking("cudnn64_9.dll", "cudnn");
    find_other_dlls(host, Facts::embedded(), {site}, trace);
    REQUIRE(trace.libraries.front().losers.size() == 1);
    CHECK(trace.libraries.front().losers[0].path == lib + "cudnn64_8.dll");
    CHECK(trace.libraries.front().losers[0].lost == LoadLost::other_name);
    find_other_dlls(host, Facts::embedded(), {site}, trace);
    CHECK(trace.libraries.front().losers.size() == 1);  // one is known
    LoadTrace same = lacking("cudnn64_8.dll", "cudnn");
    find_other_dlls(host, Facts::embedded(), {site}, same);
    CHECK(same.libraries.front().losers.empty());
}

TEST_CASE("a file of a package lacks a library that is there for another CUDA, or under its name") {
    FakeHost host;
    host.file(k_site + "/nvidia/cu13/lib/libcublas.so.13").file(k_site + "/nvidia/cu13/lib/libnvrtc.so.13");
    const auto found = [&](const std::string& path, const std::string& name, LoadHow how,
                           const char* without) {
        LoadTrace trace = lacking(name, "");
        trace.path = path;
        trace.libraries.front().how = how;
        trace.libraries.front().without = without;
        find_in_sites(host, Facts::embedded(), {k_site}, trace);
        return trace.libraries.front().losers;
    };
    const std::string own = k_site + "/custatevec/lib/libcustatevec.so.1";
    const auto other = found(own, "libcublas.so.12", LoadHow::needed, "");
    REQUIRE(other.size() == 1);
    CHECK(other[0].lost == LoadLost::other_name);
    const auto same = found(own, "libnvrtc.so.13", LoadHow::dlopen, "fused attention");
    REQUIRE(same.size() == 1);
    CHECK(same[0].lost == LoadLost::not_searched);
    CHECK(found(own, "libcublas.so.13", LoadHow::needed, "").empty());
    CHECK(found(own, "libcublas.so.12", LoadHow::dlopen, "").empty());
    CHECK(found("/opt/app/libx.so", "libcublas.so.12", LoadHow::needed, "").empty());
}
