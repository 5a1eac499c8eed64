// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "expect/frameworks/paddle/paddle.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

std::string paddle_version_file(const std::string& version, const std::string& cuda,
                                const std::string& cudnn) {
    return "# THIS FILE IS GENERATED FROM PADDLEPADDLE SETUP.PY\n#\nfull_version     = '" + version +
           "'\nmajor            = '2'\ncuda_version     = '" + cuda + "'\ncudnn_version    = '" + cudnn +
           "'\nxpu_version      = 'False'\nistaged          = True\n\ndef show():\n    print(cuda_version)\n";
}

Expectation reading(const std::string& text) {
    Expectation expectation;
    paddle::read_version_file(text, "/version/__init__.py", expectation);
    return expectation;
}

std::string post(const std::string& text, bool cudnn = false) {
    const auto suffix = paddle::read_post_suffix(*parse_version(text));
    const auto& wanted = cudnn ? suffix.cudnn : suffix.cuda;
    return wanted ? wanted->text : "";
}

}  // namespace

TEST_CASE("a wheel of PaddlePaddle: its version file gives CUDA and cuDNN") {
    FakeHost host;
    host.file(k_site + "/paddle/version/__init__.py", paddle_version_file("2.6.2", "11.8", "8.6.0"));
    add_record(host, k_site, "paddlepaddle_gpu", "2.6.2");
    const Expectation paddle = only(host);
    CHECK(paddle.framework == "PaddlePaddle");
    CHECK(paddle.package == "paddlepaddle-gpu");
    CHECK(paddle.version->text == "2.6.2");
    CHECK(paddle.cuda->text == "11.8");
    CHECK(paddle.cuda.origin.line == 5);
    CHECK(paddle.cudnn->text == "8.6.0");
    CHECK(*paddle.vendor == Vendor::cuda);
}

TEST_CASE("PaddlePaddle's own library has its C++ ABI, unless two builds wrote over one another") {
    FakeHost host;
    host.file(k_site + "/paddle/version/__init__.py", paddle_version_file("2.6.2", "11.8", "8.6.0"));
    built::Elf elf;
    elf.dynamic = false;
    elf.sections = {{".dynstr", std::string("\0_ZN6paddle1fENSt7__cxx1112basic_stringIcEE\0", 45)}};
    host.file(k_site + "/paddle/base/libpaddle.so", elf.build());
    add_record(host, k_site, "paddlepaddle_gpu", "2.6.2");
    REQUIRE(only(host).cxx_abi);
    CHECK(*only(host).cxx_abi == 1);
    add_record(host, k_site, "paddlepaddle", "2.6.2");
    CHECK_FALSE(only(host).cxx_abi);
}

TEST_CASE("PaddlePaddle without CUDA has 'False'") {
    FakeHost host;
    host.file(k_site + "/paddle/version/__init__.py", paddle_version_file("2.6.2", "False", "False"));
    add_record(host, k_site, "paddlepaddle", "2.6.2");
    const Expectation paddle = only(host);
    CHECK(*paddle.cpu_only);
    CHECK_FALSE(paddle.cuda);
    CHECK(paddle.trouble.empty());
}

TEST_CASE("the file of PaddlePaddle 3") {
    const std::string start = "import inspect\n\nfull_version     = '3.3.0'\nnccl_version     = '0'\n";
    const Expectation cuda =
        reading(start +
                "cuda_version     = '12.6'\ncudnn_version    = '9.5.1'\nhip_version      "
                "= None\ncompiled_cuda_archs     = ['80', '90']\n");
    CHECK(cuda.cuda->text == "12.6");
    CHECK(cuda.cudnn->text == "9.5.1");
    REQUIRE(cuda.archs);
    CHECK(cuda.archs->size() == 2);
    CHECK(*reading(start + "cuda_version = 'False'\nhip_version = '6.1'\n").vendor == Vendor::rocm);
    CHECK(*reading(start + "cuda_version = 'False'\nxpu_version = '20230114'\n").vendor == Vendor::xpu);
    CHECK_FALSE(reading(start + "cuda_version = '12.6'\ncompiled_cuda_archs = [ALL]\n").archs);
    CHECK_FALSE(reading(start + "cuda_version = '12.6'\ncompiled_cuda_archs = []\n").archs);
}

TEST_CASE("older releases name CUDA only in their package's version") {
    FakeHost host;
    host.file(k_site + "/paddle/version.py", "full_version    = '1.8.5'\nmajor           = '1'\n");
    add_record(host, k_site, "paddlepaddle_gpu", "1.8.5.post97");
    const Expectation paddle = only(host);
    CHECK(*paddle.vendor == Vendor::cuda);
    CHECK(paddle.version->text == "1.8.5.post97");
    CHECK(paddle.cuda->numbers == std::vector<int>{9});
    CHECK(paddle.cudnn->numbers == std::vector<int>{7});

    FakeHost plain;
    plain.file(k_site + "/paddle/version.py", "full_version    = '2.0.0'\nmajor           = '2'\n");
    add_record(plain, k_site, "paddlepaddle_gpu", "2.0.0");
    CHECK(*only(plain).vendor == Vendor::cuda);
    CHECK_FALSE(only(plain).cuda);
    CHECK_FALSE(only(plain).trouble.size());
}

TEST_CASE("what the post suffix means") {
    CHECK(post("1.8.5.post97") == "9");
    CHECK(post("1.8.5.post97", true) == "7");
    CHECK(post("1.8.5.post107") == "10");
    CHECK(post("2.4.2.post117") == "11.7");
    CHECK(post("2.4.2.post117", true) == "");
    CHECK(post("2.6.1.post120") == "12.0");
    for (const char* text : {"2.6.2", "1.8.5.post1", "2.0.0rc1", "1.8.5.post9777"})
        CHECK_MESSAGE(post(text).empty(), text);
}

TEST_CASE("a version file that is invalid, or belongs to another record") {
    for (const char* text : {"", "import os\n", "full_version = os.environ['V']\n", "full_version = 'new'\n",
                             "full_version = '2.6.2'\ncuda_version = 'eleven'\n",
                             "full_version = '2.6.2'\ncuda_version = '999.1'\n"}) {
        CHECK_MESSAGE(!reading(text).trouble.empty(), text);
        CHECK_MESSAGE(!reading(text).cuda, text);
    }
    FakeHost host;
    host.file(k_site + "/paddle/version/__init__.py", paddle_version_file("2.6.2", "11.8", "8.6.0"));
    add_record(host, k_site, "paddlepaddle_gpu", "2.5.0");
    CHECK(only(host).version->text == "2.6.2");
    // Both builds in one folder: which files belong to which is unknown.
    add_record(host, k_site, "paddlepaddle", "2.6.2");
    CHECK(only(host).trouble.find("over one another") != std::string::npos);
    CHECK(only(host).shared_files.at(0).package == "paddlepaddle-gpu");
    CHECK_FALSE(only(host).shared_files[0].mixed);
    CHECK_FALSE(only(host).cuda);
}

TEST_CASE("a truncated version file gives the whole CUDA release or none") {
    const std::string whole = paddle_version_file("2.6.2", "11.8", "8.6.0");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Expectation part = reading(whole.substr(0, size));
        CHECK_MESSAGE((!part.cuda || part.cuda->text == "11.8"), size);
        CHECK_MESSAGE((!part.cudnn || part.cudnn->text == "8.6.0"), size);
    }
}

TEST_CASE("PaddlePaddle declared by name") {
    const FakeHost host;
    const auto declared = [&](const std::string& name) {
        return look(host, framework(name)).expectations.at(0);
    };
    CHECK(declared("paddlepaddle-gpu==2.6.2").cuda->text == "11.8");
    CHECK(declared("paddle==2.6.2").cudnn->text == "8.6.0");
    CHECK(declared("paddlepaddle-gpu==2.6.1.post120").cuda->text == "12.0");
    CHECK(declared("paddlepaddle-gpu==1.8.5.post107").cudnn->major() == 7);
    CHECK(*declared("paddlepaddle==2.6.2").vendor == Vendor::cpu);
    CHECK_FALSE(declared("paddlepaddle-gpu==2.0.0").cuda);
}
