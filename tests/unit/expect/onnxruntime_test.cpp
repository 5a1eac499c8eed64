// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_capi = "/onnxruntime/capi";
const std::string k_module = k_capi + "/onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so";
const std::string k_extras =
    "Provides-Extra: cuda\nRequires-Dist: nvidia-cuda-runtime-cu12~=12.0; extra == \"cuda\"\n"
    "Provides-Extra: cudnn\nRequires-Dist: nvidia-cudnn-cu12~=9.0; extra == \"cudnn\"\n";

FakeHost ort(const std::string& version, System system = System::linux_) {
    FakeHost host(system);
    const std::string site = system == System::windows ? "C:" + k_site : k_site;
    host.file(site + "/onnxruntime/__init__.py", "__version__ = \"" + version + "\"\n")
        .file(site + k_capi + "/__init__.py");
    return host;
}

Expectation build_file(const std::string& text) {
    Expectation expectation;
    onnxruntime::read_build_file(text, "/b.py", expectation);
    return expectation;
}

// RECORD of a package whose extension module has `size` bytes.
void add_owner(FakeHost& host, const std::string& package, const std::string& version,
               const std::string& size) {
    add_record(host, k_site, package, version);
    host.file(k_site + "/" + package + "-" + version + ".dist-info/RECORD",
              "onnxruntime/__init__.py,sha256=x,3\n" + k_module.substr(1) + ",sha256=y," + size + "\n");
}

}  // namespace

TEST_CASE("Linux since 1.21: the build's own file and the extras of the record") {
    FakeHost host = ort("1.22.0");
    host.file(k_site + k_capi + "/build_and_package_info.py",
              "package_name = 'onnxruntime-gpu'\n__version__ = '1.22.0'\ncuda_version = '12.2'\n");
    add_record(host, k_site, "onnxruntime_gpu", "1.22.0", k_extras);
    const auto found = only(host);
    CHECK(found.framework == "ONNXRuntime");
    CHECK(found.package == "onnxruntime-gpu");
    CHECK(found.version->text == "1.22.0");
    CHECK(*found.vendor == Vendor::cuda);
    CHECK(found.cuda->text == "12.2");
    CHECK(found.cuda.origin.line == 3);
    CHECK(found.cudnn->text == "9");
    CHECK(*found.cudnn_from == CudnnWay::system);
    CHECK(found.asks_for.size() == 2);
    CHECK_FALSE(found.cxx_abi);
}

TEST_CASE("on Windows the exact CUDA version and cuDNN are known") {
    FakeHost host = ort("1.22.0", System::windows);
    host.file("C:" + k_site + k_capi + "/build_and_package_info.py", "cuda_version = '12.2'\n")
        .file("C:" + k_site + k_capi + "/version_info.py",
              "use_cuda = True\ncuda_version = \"12.2.128\"\ncudnn_version = \"9\"\nvs2019 = False\n");
    const auto found = only(host, "C:" + k_site);
    CHECK(found.cuda->text == "12.2.128");
    CHECK(found.cudnn->text == "9");
}

TEST_CASE("the package for CPUs is for CPUs") {
    FakeHost host = ort("1.22.0");
    host.file(k_site + k_capi + "/build_and_package_info.py",
              "package_name = 'onnxruntime'\n__version__ = '1.22.0'\n");
    add_record(host, k_site, "onnxruntime", "1.22.0");
    const auto found = only(host);
    CHECK(found.package == "onnxruntime");
    CHECK(*found.cpu_only);
    CHECK(found.shared_files.empty());
}

TEST_CASE("an invalid build file is reported and ignored") {
    CHECK(build_file("cuda_version = '12.2'\n").cuda->text == "12.2");
    CHECK_FALSE(build_file("cuda_version = ''\n").cuda);
    CHECK_FALSE(build_file("cuda_version = None\nuse_cuda = False\n").vendor);
    CHECK(*build_file("use_cuda = True\n").vendor == Vendor::cuda);
    for (const char* garbage :
         {"cuda_version = 'garbage'\n", "cuda_version = 12\n", "cuda_version = os.getenv('X')\n",
          "cuda_version = '12.2'\ncudnn_version = 'x'\n", "cuda_version = '9999.1'\n"}) {
        const auto found = build_file(garbage);
        CHECK_FALSE(found.cuda);
        CHECK_FALSE(found.vendor);
        CHECK(!found.trouble.empty());
    }
}

TEST_CASE("both packages: RECORD shows whose files are installed") {
    for (const bool lost : {true, false}) {
        FakeHost host = ort("1.22.0");
        add_owner(host, "onnxruntime_gpu", "1.22.0", "7");
        add_owner(host, "onnxruntime", "1.22.0", "5");
        host.file(k_site + k_module, lost ? "12345" : "1234567");
        host.file(k_site + k_capi + "/build_and_package_info.py",
                  lost ? "x = 1\n" : "cuda_version = '12.2'\n");
        const auto found = only(host);
        const auto both = conflicts(found);
        REQUIRE(both.size() == 1);
        CHECK(both[0].package == "onnxruntime 1.22.0");
        CHECK(both[0].harm == (lost ? Harm::gpu : Harm::later));
        CHECK(*found.cpu_only == lost);
        CHECK(bool(found.cuda) == !lost);
    }
}

TEST_CASE("both packages without a RECORD: only the risk is reported") {
    FakeHost host = ort("1.22.0");
    add_record(host, k_site, "onnxruntime_gpu", "1.22.0");
    add_record(host, k_site, "onnxruntime", "1.21.0");
    host.file(k_site + k_capi + "/build_and_package_info.py", "cuda_version = '12.2'\n");
    const auto found = only(host);
    REQUIRE(conflicts(found).size() == 1);
    CHECK(conflicts(found)[0].harm == Harm::later);
    CHECK(found.cuda->text == "12.2");
}

TEST_CASE("an empty folder is ignored") {
    FakeHost host;
    host.file(k_site + "/onnxruntime/x.txt");
    CHECK(look(host, python(k_site)).expectations.empty());
}

TEST_CASE("an ONNX Runtime that is only declared") {
    CHECK(named("onnxruntime-gpu==1.22.0").cuda->text == "12.2");
    CHECK(named("onnxruntime-gpu==1.22.0", System::windows).cuda->text == "12.2.128");
    // Linux before 1.21 is not in the tables: the Windows build of that release is used instead.
    const auto old = named("onnxruntime-gpu==1.20.1");
    CHECK(old.cuda->text == "12.2.128");
    CHECK(old.cudnn->text == "9");
    CHECK(old.cuda.origin.text.find("of the Windows build") != std::string::npos);
    CHECK_FALSE(old.published);
    CHECK(*named("onnxruntime==1.20.0").cpu_only);
    CHECK_FALSE(named("onnxruntime-gpu==9.9.9").cuda);
}
