// Packages that are incomplete, installed twice, or of another system.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost& add_tags(FakeHost& host, const std::string& record, const std::string& tags) {
    return host.file(k_site + "/" + record + ".dist-info/WHEEL", "Wheel-Version: 1.0\n" + tags + "\n");
}

}  // namespace

TEST_CASE("a wheel of another system is reported and ignored") {
    FakeHost host;
    add_torch(host, k_site, "2.8.0+cu128", "'12.8'");
    add_record(host, k_site, "torch", "2.8.0");
    add_tags(host, "torch-2.8.0", "Tag: cp311-cp311-win_amd64");
    CHECK(only(host).trouble.find("is a package for Windows, this system is Linux") != std::string::npos);
    CHECK_FALSE(only(host).cuda);
    add_tags(host, "torch-2.8.0", "Tag: cp311-cp311-manylinux_2_28_x86_64");
    CHECK(only(host).trouble.empty());
    add_tags(host, "torch-2.8.0", "Tag: py3-none-any\nTag: cp311-cp311-win_amd64");
    CHECK(only(host).trouble.empty());

    FakeHost windows(System::windows);
    const std::string site = "C:/py/Lib/site-packages";
    add_torch(windows, site, "2.8.0+cu128", "'12.8'");
    add_record(windows, site, "torch", "2.8.0");
    windows.file(site + "/torch-2.8.0.dist-info/WHEEL", "Tag: cp311-cp311-manylinux_2_28_x86_64\n");
    const Scenario scenario = look(windows, python(site));
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].trouble.find("for Linux") != std::string::npos);
}

TEST_CASE("a wheel for glibc is none for a system with musl") {
    FakeHost host;
    add_torch(host, k_site, "2.8.0+cu128", "'12.8'");
    add_record(host, k_site, "torch", "2.8.0");
    add_tags(host, "torch-2.8.0", "Tag: cp311-cp311-manylinux_2_28_x86_64");
    host.file("/lib/ld-musl-x86_64.so.1", "");
    CHECK(only(host).trouble.find("is a package for glibc (manylinux), this system has musl") !=
          std::string::npos);
    add_tags(host, "torch-2.8.0", "Tag: cp311-cp311-musllinux_1_2_x86_64");
    CHECK(only(host).trouble.empty());
    add_tags(host, "torch-2.8.0", "Tag: cp311-cp311-manylinux_2_28_x86_64");
    host.file("/lib/ld-linux-x86-64.so.2", "");  // gcompat, or musl beside glibc
    CHECK(only(host).trouble.empty());
}

TEST_CASE("without a record the system is read from the modules") {
    FakeHost host;
    add_torch(host, k_site, "2.8.0+cu128", "'12.8'").file(k_site + "/torch/lib/torch_cuda.dll");
    host.file(k_site + "/torch/_C.cp311-win_amd64.pyd");
    CHECK(only(host).trouble.find("for Windows") != std::string::npos);
    host.file(k_site + "/torch/_C.cpython-311-x86_64-linux-gnu.so");
    CHECK(only(host).trouble.empty());
}

TEST_CASE("a record whose files are missing, and a folder without a record") {
    FakeHost host;
    add_record(host, k_site, "torch", "2.5.1");
    host.file(k_site + "/torch-2.5.1.dist-info/RECORD",
              "../../../bin/torchrun,sha256=x,200\ntorch-2.5.1.dist-info/METADATA,,\n"
              "torch/__init__.py,sha256=x,1\ntorch/version.py,sha256=x,1\n");
    CHECK(only(host).trouble.find("half removed: the record of torch 2.5.1") != std::string::npos);
    CHECK_FALSE(only(host).cuda);
    CHECK(look(host, python(k_site)).unreadable.size() == 1);
    // With a declaration the expected files count.
    Request request = python(k_site);
    request.frameworks = {"torch==2.5.1+cu124"};
    CHECK(look(host, request).expectations.at(0).declared);
    // No RECORD, or one that lists nothing (an editable install, a package that only pulls in others).
    host.file(k_site + "/torch-2.5.1.dist-info/RECORD", "torch-2.5.1.dist-info/METADATA,,\n");
    CHECK(look(host, python(k_site)).expectations.empty());

    FakeHost folder;
    add_torch(folder, k_site, "2.5.1+cu124", "'12.4'");
    CHECK(only(folder).cuda->text == "12.4");
    CHECK(only(folder).trouble.empty());
}

TEST_CASE("what pip leaves behind is not a framework") {
    FakeHost host;
    host.file(k_site + "/~orch/version.py", version_py("2.5.1+cu124", "'12.4'"));
    add_record(host, k_site, "~orch", "2.5.1");
    host.file(k_site + "/torch/lib/libtorch_cuda.so").file(k_site + "/torch/__pycache__/version.pyc");
    CHECK(look(host, python(k_site)).expectations.empty());
}

TEST_CASE("two records of one package: the files decide") {
    FakeHost host;
    add_torch(host, k_site, "2.5.1+cu124", "'12.4'");
    add_record(host, k_site, "torch", "2.0.0", "Requires-Dist: nvidia-cudnn-cu11 (==8.5.0.96)\n");
    add_record(host, k_site, "torch", "2.5.1", "Requires-Dist: nvidia-cudnn-cu12==9.1.0.70\n");
    CHECK(only(host).version->text == "2.5.1+cu124");
    CHECK(only(host).cudnn->text == "9.1.0.70");

    FakeHost tensorflow;
    tensorflow.file(k_site + "/tensorflow/python/platform/build_info.py",
                    "build_info = {'is_cuda_build': True, 'cuda_version': '12.2', 'cudnn_version': '8'}\n");
    tensorflow.file(k_site + "/tensorflow/include/tensorflow/core/public/version.h",
                    "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 15\n#define TF_PATCH_VERSION 0\n");
    add_record(tensorflow, k_site, "tensorflow", "2.15.0");
    add_record(tensorflow, k_site, "tensorflow", "2.18.0");
    CHECK(only(tensorflow).version->text == "2.15.0");
}

TEST_CASE("a record without a version, and a version file that runs code") {
    FakeHost host;
    add_torch(host, k_site, "2.5.1+cu124", "'12.4'");
    host.file(k_site + "/torch-2.5.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\n\n");
    CHECK(only(host).version->text == "2.5.1+cu124");
    host.file(
        k_site + "/torch/version.py",
        "import subprocess\n__version__ = subprocess.check_output(['git', 'describe'])\ncuda = get()\n");
    CHECK_FALSE(only(host).trouble.empty());
    CHECK_FALSE(only(host).version);
    CHECK_FALSE(only(host).cuda);
}
