// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "expect/frameworks/cupy/cupy.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost& add_cupy(FakeHost& host, const std::string& version, const std::string& wheel_data) {
    host.file(k_site + "/cupy/__init__.py").file(k_site + "/cupy/_environment.py");
    host.file(k_site + "/cupy/_version.py",
              "from __future__ import annotations\n\n__version__ = '" + version + "'\n");
    if (!wheel_data.empty()) host.file(k_site + "/cupy/.data/_wheel.json", wheel_data);
    return host;
}

Expectation wheel_data(const std::string& text) {
    Expectation expectation;
    cupy::read_wheel_data(text, "/_wheel.json", expectation);
    return expectation;
}

}  // namespace

TEST_CASE("a wheel of CuPy for one CUDA release") {
    FakeHost host;
    add_cupy(host, "10.0.0",
             R"({"cuda": "11.1", "packaging": "pip", "cudnn": {"version": "8.3.0", "filenames": []}})");
    add_record(host, k_site, "cupy_cuda111", "10.0.0");
    const Expectation cupy = only(host);
    CHECK(cupy.framework == "CuPy");
    CHECK(cupy.package == "cupy-cuda111");
    CHECK(cupy.how == Installation::wheel);
    CHECK(cupy.version->text == "10.0.0");
    CHECK(cupy.version.origin.line == 3);
    CHECK(cupy.cuda->text == "11.1");
    CHECK(cupy.cuda.origin.path == k_site + "/cupy/.data/_wheel.json");
    CHECK(cupy.cudnn->text == "8.3.0");
    CHECK(*cupy.vendor == Vendor::cuda);
    CHECK(cupy.trouble.empty());
}

TEST_CASE("a CuPy wheel for a CUDA major has no minor") {
    FakeHost host;
    add_cupy(host, "14.2.0", R"({"cuda": "13.x", "packaging": "pip", "nccl": {"version": "2.27.7"}})");
    add_record(host, k_site, "cupy-cuda13x", "14.2.0");
    const Expectation cupy = only(host);
    CHECK(cupy.cuda->numbers == std::vector<int>{13});
    CHECK_FALSE(cupy.cudnn);
}

TEST_CASE("without wheel data the package's name gives CUDA") {
    FakeHost host;
    add_cupy(host, "7.8.0", "");
    add_record(host, k_site, "cupy-cuda92", "7.8.0");
    CHECK(only(host).cuda->text == "9.2");
    CHECK_FALSE(only(host).cudnn);
    host.file(k_site + "/cupy/.data/lib/libcudnn.so.7");
    CHECK(only(host).cudnn->text == "7");
}

TEST_CASE("CuPy built from source: the name of the NVRTC that its modules need") {
    built::Elf elf;
    elf.needed = {"libnvrtc.so.12", "libc.so.6"};
    FakeHost host;
    add_cupy(host, "13.6.0", "");
    add_record(host, k_site, "cupy", "13.6.0");
    host.file(k_site + "/cupy_backends/cuda/libs/nvrtc.cpython-311-x86_64-linux-gnu.so", elf.build());
    const Expectation cupy = only(host);
    CHECK(cupy.package == "cupy");
    REQUIRE(cupy.cuda);
    CHECK(cupy.cuda->numbers == std::vector<int>{12});
    CHECK(cupy.cuda.origin.certainty == Certainty::read);
    built::Elf cublas;
    cublas.needed = {"libcublas.so.13"};
    FakeHost later;
    add_cupy(later, "14.2.0", "");
    later.file(k_site + "/cupy_backends/cuda/libs/nvrtc.cpython-311-x86_64-linux-gnu.so", "x");
    later.file(k_site + "/cupy_backends/cuda/libs/cublas.cpython-311-x86_64-linux-gnu.so", cublas.build());
    CHECK(only(later).cuda->text == "13");
    // One without data leaves it unknown.
    FakeHost without_data;
    add_cupy(without_data, "13.6.0", "");
    CHECK_FALSE(only(without_data).cuda);
    CHECK(only(without_data).trouble.empty());
}

TEST_CASE("CuPy from conda: its record gives CUDA and cuDNN") {
    FakeHost host;
    const std::string site = "/conda/lib/python3.11/site-packages";
    host.file(site + "/cupy/__init__.py").file(site + "/cupy/_environment.py");
    host.file(site + "/cupy/_version.py", "__version__ = '13.3.0'\n");
    host.file("/conda/conda-meta/cupy-core-13.3.0-py311h1_2.json",
              R"({"name": "cupy-core", "version": "13.3.0", "build": "py311h1_2",
                  "depends": ["cuda-version >=12.0,<13", "cudnn >=9.3.0.75,<10"]})");
    add_record(host, site, "cupy", "13.3.0");
    host.file(site + "/cupy-13.3.0.dist-info/INSTALLER", "conda");
    const Expectation cupy = only(host, site);
    CHECK(cupy.how == Installation::conda);
    CHECK(cupy.cuda->text == "12.0");
    CHECK(cupy.cudnn->text == "9.3.0.75");
}

TEST_CASE("several CuPy packages on top of each other are reported and ignored") {
    FakeHost host;
    add_cupy(host, "13.6.0", R"({"cuda": "12.x", "packaging": "pip"})");
    add_record(host, k_site, "cupy-cuda11x", "12.3.0");
    add_record(host, k_site, "cupy-cuda12x", "13.6.0");
    const Expectation cupy = only(host);
    CHECK(cupy.trouble.find("cupy-cuda11x 12.3.0, cupy-cuda12x 13.6.0") != std::string::npos);
    CHECK_FALSE(cupy.cuda);
    REQUIRE(cupy.shared_files.size() == 1);
    CHECK(cupy.shared_files[0].mixed);
    CHECK(cupy.shared_files[0].package == "cupy-cuda11x");
    CHECK(cupy.shared_files[0].other == "cupy-cuda12x");
    // The records show that all libraries there were written by one of them.
    const auto list = [&](const std::string& record, std::size_t size) {
        host.file(k_site + "/" + record + ".dist-info/RECORD",
                  "cupy/_core/core.so,sha256=x," + std::to_string(size) + "\n");
    };
    list("cupy-cuda11x-12.3.0", 3);
    list("cupy-cuda12x-13.6.0", 5);
    host.file(k_site + "/cupy/_core/core.so", "12345");
    const Expectation last = only(host);
    CHECK(last.trouble.empty());
    CHECK(last.package == "cupy-cuda12x");
    CHECK(last.cuda->major() == 12);
    REQUIRE(last.shared_files.size() == 1);
    CHECK(last.shared_files[0].owner == "cupy-cuda12x");
    CHECK(last.shared_files[0].mixed);
    // An older record of the same package was just left behind.
    FakeHost same;
    add_cupy(same, "13.6.0", R"({"cuda": "12.x", "packaging": "pip"})");
    add_record(same, k_site, "cupy-cuda12x", "13.4.0");
    add_record(same, k_site, "cupy-cuda12x", "13.6.0");
    CHECK(only(same).cuda->major() == 12);
    CHECK(only(same).version->text == "13.6.0");
}

TEST_CASE("invalid wheel data") {
    for (const char* text :
         {"", "garbage", "[]", "{}", R"({"cuda": 12})", R"({"cuda": "x"})", R"({"cuda": "99999.1"})"}) {
        const Expectation expectation = wheel_data(text);
        CHECK_MESSAGE(!expectation.trouble.empty(), text);
        CHECK_FALSE(expectation.cuda);
    }
    CHECK(*wheel_data(R"({"cuda": "rocm-4.3", "packaging": "pip"})").vendor == Vendor::rocm);
    CHECK_FALSE(wheel_data(R"({"cuda": "11.2", "cudnn": {"version": "new"}})").cudnn);
    CHECK_FALSE(wheel_data(R"({"cuda": "11.2", "cudnn": []})").cudnn);
}

TEST_CASE("truncated wheel data is ignored") {
    const std::string whole = R"({"cuda": "11.1", "packaging": "pip", "cudnn": {"version": "8.3.0"}})";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_MESSAGE(!wheel_data(whole.substr(0, size)).cuda, size);
        CHECK_MESSAGE(!wheel_data(whole.substr(0, size)).trouble.empty(), size);
    }
    CHECK(wheel_data(whole).cuda->text == "11.1");
}

TEST_CASE("names of CuPy's packages and of NVRTC") {
    CHECK(cupy::cuda_of_package("cupy-cuda102")->text == "10.2");
    CHECK(cupy::cuda_of_package("cupy-cuda92")->text == "9.2");
    CHECK(cupy::cuda_of_package("cupy-cuda11x")->text == "11");
    for (const char* name :
         {"cupy", "cupy-rocm-5-0", "cupy-cuda", "cupy-cudax", "cupy-cuda1x", "cupy-cuda12"})
        CHECK_MESSAGE(!cupy::cuda_of_package(name), name);
    CHECK(cupy::cuda_of_name("libnvrtc.so.11.1")->text == "11.1");
    CHECK(cupy::cuda_of_name("libnvrtc.so.11.2")->text == "11");
    CHECK(cupy::cuda_of_name("libnvrtc.so.12")->text == "12");
    CHECK(cupy::cuda_of_name("libnvrtc.so.10.2")->text == "10.2");
    CHECK(cupy::cuda_of_name("nvrtc64_102_0.dll")->text == "10.2");
    CHECK(cupy::cuda_of_name("nvrtc64_120_0.dll")->text == "12");
    CHECK(cupy::cuda_of_name("libcublas.so.12")->text == "12");
    CHECK(cupy::cuda_of_name("cublas64_13.dll")->text == "13");
    for (const char* name :
         {"libnvrtc-builtins.so.12.4", "nvrtc64.dll", "nvrtc64_x.dll", "libcublas.so.10", "cublas64_110.dll"})
        CHECK_MESSAGE(!cupy::cuda_of_name(name), name);
}

TEST_CASE("CuPy declared by name") {
    const FakeHost host;
    const Expectation declared = look(host, framework("cupy-cuda12x==13.6.0")).expectations.at(0);
    CHECK(declared.package == "cupy-cuda12x");
    CHECK(declared.cuda->major() == 12);
    CHECK(declared.cudnn->text == "8.8.1");
    CHECK_FALSE(look(host, framework("cupy==13.6.0")).expectations.at(0).cuda);
    CHECK(*look(host, framework("cupy-rocm-5-0==13.6.0")).expectations.at(0).vendor == Vendor::rocm);

    CHECK(look(host, framework("cupy-cuda11x")).expectations.at(0).cuda->major() == 11);
    CHECK_FALSE(look(host, framework("cupy")).expectations.at(0).declared);

    FakeHost with_12;
    add_cupy(with_12, "13.6.0", R"({"cuda": "12.x"})");
    add_record(with_12, k_site, "cupy-cuda12x", "13.6.0");
    Request request = python(k_site);
    request.frameworks = {"cupy==13.6.0"};
    CHECK_FALSE(look(with_12, request).expectations.at(0).declared);
    request.frameworks = {"cupy-cuda12x"};
    CHECK_FALSE(look(with_12, request).expectations.at(0).declared);
    request.frameworks = {"cupy-cuda11x"};
    CHECK(look(with_12, request).expectations.at(0).declared);
    request.frameworks = {"cupy-cuda11x==13.6.0"};
    CHECK(look(with_12, request).expectations.at(0).declared);
}
