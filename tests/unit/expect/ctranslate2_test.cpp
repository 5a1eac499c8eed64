// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "world.hpp"

using namespace ptxguard;
using namespace std::string_literals;

namespace {

built::Elf library(const std::string& cublas, const std::vector<std::string>& needed) {
    built::Elf elf;
    elf.needed = needed;
    elf.sections = {{".rodata", "CT2_USE_MKL\0"s + cublas + "\0libcuda.so.1\0libnccl.so.2\0"s},
                    {".nv_fatbin", "code"}};
    return elf;
}

void lay(FakeHost& host, const std::string& version, built::Elf elf) {
    host.file(k_site + "/ctranslate2/__init__.py");
    host.file(k_site + "/ctranslate2/version.py",
              "\"\"\"Version information.\"\"\"\n\n__version__ = \"" + version + "\"\n");
    host.file(k_site + "/ctranslate2.libs/libctranslate2-a7a60d30.so." + version, elf.build());
    add_record(host, k_site, "ctranslate2", version);
}

Expectation found(const std::string& version, built::Elf elf) {
    FakeHost host;
    lay(host, version, std::move(elf));
    return only(host);
}

const AddInstallation k_added({"CTranslate2", "ctranslate2", "4.6.2", "ctranslate2", "ctranslate2/version.py",
                               "12", [](FakeHost& host) {
                                   lay(host, "4.6.2",
                                       library("libcublas.so.12", {"libcudnn-74a4c495.so.9.1.0"}));
                               }});

}  // namespace

TEST_CASE("CTranslate2's CUDA is that of the cuBLAS that it opens, and it needs cuDNN up to 4.6.2") {
    const Expectation old = found("3.24.0", library("libcublas.so.11", {"libcudnn-f0ff4753.so.8.1.1"}));
    CHECK(old.framework == "CTranslate2");
    CHECK(*old.vendor == Vendor::cuda);
    CHECK(old.cuda->text == "11");
    CHECK(*old.cudnn_from != CudnnWay::none);
    const Expectation now = found("4.8.5", library("libcublas.so.12", {"libc.so.6"}));
    CHECK(now.version->text == "4.8.5");
    CHECK(now.cuda->text == "12");
    CHECK_FALSE(now.cudnn);
    CHECK(*now.cudnn_from == CudnnWay::none);
}

TEST_CASE("a wheel of CTranslate2 without device code is for CPUs, one that cannot be read is unknown") {
    built::Elf cpu;
    cpu.sections = {{".rodata", "libcublas.so.12\0"s}};
    CHECK(*found("4.8.5", cpu).vendor == Vendor::cpu);
    built::Elf rocm;
    rocm.sections = {{".rodata", "x\0"s}, {".hip_fatbin", "code"}};
    CHECK(*found("4.8.5", rocm).vendor == Vendor::rocm);
    FakeHost host;
    lay(host, "4.8.5", library("libcublas.so.12", {}));
    host.file(k_site + "/ctranslate2.libs/libctranslate2-a7a60d30.so.4.8.5", "version https://git-lfs");
    CHECK_FALSE(only(host).vendor);
}

TEST_CASE("the CTranslate2 of a conda environment has its library in the environment's folder") {
    FakeHost host;
    const std::string site = "/c/lib/python3.12/site-packages";
    host.file(site + "/ctranslate2/__init__.py");
    host.file(site + "/ctranslate2/version.py", "__version__ = \"4.6.0\"\n");
    host.file("/c/lib/libctranslate2.so.4", library("libcublas.so.12", {"libcudnn.so.9"}).build());
    const Expectation one = only(host, site);
    CHECK(one.cuda->text == "12");
    CHECK(*one.cudnn_from != CudnnWay::none);
}

TEST_CASE("a declared CTranslate2 has the CUDA of its release's wheels") {
    const Expectation old = named("ctranslate2==4.5.0");
    CHECK(old.cuda->text == "12");
    CHECK(old.cudnn->text == "9");
    CHECK(named("ctranslate2==4.4.0").cudnn->text == "8.9.7");
    const Expectation now = named("ctranslate2==4.8.5", System::windows);
    CHECK(now.cuda->text == "12.8");
    CHECK(named("ctranslate2==4.8.5").archs->back() == Target{{86, 0}, true, true});
    CHECK(*now.cudnn_from == CudnnWay::none);
    CHECK_FALSE(named("ctranslate2==99.0").cuda);
    CHECK(*named("ctranslate2==4.8.5+cpu").vendor == Vendor::cpu);
}
