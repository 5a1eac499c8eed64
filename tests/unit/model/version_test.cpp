// SPDX-License-Identifier: Apache-2.0
#include "model/version.hpp"

#include "model/named_cuda.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {
Version v(const char* text) { return *parse_version(text); }
}  // namespace

TEST_CASE("versions are compared as numbers, never as text") {
    CHECK(v("12.10") > v("12.9"));
    CHECK(v("13.0") == v("13.0.0"));
    CHECK(v("535.104.05") == v("535.104.5"));
    CHECK(v("535.104.05").text == "535.104.05");
    CHECK(v("9.1.0.70") < v("9.10.0"));
}

TEST_CASE("a pre-release is older than its release, a local or post part is not") {
    CHECK(v("13.4.46rc1") < v("13.4.46"));
    CHECK(v("2.5.1+cu121") == v("2.5.1"));
    CHECK(v("8.6.1.post1") == v("8.6.1"));
    CHECK(v("2.0.0+cu121").local() == "cu121");
    CHECK(v("2.12.0.dev20260101+cu130").is_prerelease());
    CHECK(v("V13.0.88").release() == "13.0");
}

TEST_CASE("other text is not read as a version") {
    for (const char* text :
         {"", "v", "garbage", "13.x", "13.", ".5", "13..0", "123456789.0", "13 .0", "2.0.0+", "x86"})
        CHECK_MESSAGE(!parse_version(text), text);
}

TEST_CASE("a version is found after its marker inside a longer text") {
    CHECK(find_version("Cuda compilation tools, release 13.0, V13.0.88", "V")->text == "13.0.88");
    CHECK(find_version("Vast V11.8.89\n", "V")->text == "11.8.89");
    CHECK(find_version("gcc (Debian 12.2.0-14) 12.2.0", "")->text == "12.2.0");
    CHECK(!find_version("no number", ""));
    CHECK(!find_version("V", "V"));
}

TEST_CASE("a range includes its lower bound and excludes its upper bound") {
    const auto version = [](const char* text) { return *parse_version(text); };
    for (const char* text : {"2.0", "2.9.9"}) CHECK(is_within(version(text), version("2.0"), version("3.0")));
    for (const char* text : {"1.9", "3.0"})
        CHECK_FALSE(is_within(version(text), version("2.0"), version("3.0")));
    CHECK(is_within(version("9.0"), version("2.0"), std::nullopt));
    CHECK(is_within(version("1.0"), std::nullopt, version("2.0")));
}

TEST_CASE("a PTX version has two numbers") {
    CHECK(parse_ptx_version("9.0")->text() == "9.0");
    CHECK(*parse_ptx_version("8.10") > *parse_ptx_version("8.9"));
    for (const char* text : {"9", "9.0.1", "9.", "nine", ""}) CHECK(!parse_ptx_version(text));
}

TEST_CASE("the CUDA in a name") {
    const auto named = [](const char* name) {
        const auto cuda = named_cuda(name);
        return cuda ? cuda->text : std::string();
    };
    CHECK(named("cupy-cuda110") == "11.0");
    CHECK(named("cupy-cuda11x") == "11");
    CHECK(named("cudf-cu12") == "12");
    CHECK(named("jax-cuda13-plugin") == "13");
    CHECK(named("nvidia-dali-cuda110") == "11.0");
    CHECK(named("requirements_cu121.txt") == "12.1");
    CHECK(named("requirements-cublas12.txt") == "12");
    CHECK(named("cuml_dev_cuda11.4.yml") == "11.4");
    CHECK(named("Dockerfile.cuda12.1.1-devel") == "12.1.1");
    CHECK(named("cuda-11-8") == "11.8");
    CHECK(named("cuda_118") == "11.8");
    CHECK(named("cu92") == "9.2");
    CHECK(named("cuda11/Dockerfile.cu118") == "11.8");
    // Architectures, parts of other words, several, none.
    CHECK(named("cuda_86") == "");
    CHECK(named("cuda-70") == "");
    CHECK(named("ncu121") == "");
    CHECK(named("cu118-and-cu121") == "");
    CHECK(named("cuda") == "");
    CHECK(named("cu1") == "");
    CHECK(named("cupy") == "");
    CHECK(named("cuda2024") == "");
    CHECK(named("cuda12abc") == "");
}

TEST_CASE("names of packages for GPUs") {
    for (const char* name : {"onnxruntime-gpu", "faiss-gpu-cu12", "cupy-cuda12x", "spconv-cu120",
                             "jax-cuda12-plugin", "onnxruntime-genai-cuda", "cudf-cu12"}) {
        CAPTURE(name);
        CHECK(is_named_for_gpus(name));
    }
    for (const char* name :
         {"onnxruntime", "torch", "gputil", "cutlass", "ctranslate2", "nvidia-ml-py", ""}) {
        CAPTURE(name);
        CHECK_FALSE(is_named_for_gpus(name));
    }
}
