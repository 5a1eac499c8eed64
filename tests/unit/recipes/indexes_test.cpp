// Indexes with a folder for each CUDA: which releases and local versions they have; each request beside one
// that they can serve.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

std::string install(const std::string& words) {
    return image_gets("python:3.10", "RUN pip install " + words);
}

}  // namespace

TEST_CASE("a local version that no index has") {
    const std::string extra = " --extra-index-url " + k_pytorch;
    CHECK(install("xformers==0.0.23+cu121" + extra + "cu121") == "CC603");
    CHECK(install("xformers==0.0.28.post3+cu124") == "CC603");
    CHECK(install("xformers==0.0.29.post3+cu118" + extra + "cu118") == "CC603");
    CHECK(install("torchtext==0.16.0+cu121" + extra + "cu121") == "CC603");
    CHECK(install("xformers==0.0.23+cu118" + extra + "cu118") == k_silent);
    CHECK(install("xformers==0.0.27.post2+cu118" + extra + "cu118") == k_silent);
    CHECK(install("xformers==0.0.20+cu117 -f https://example.org/wheels") == k_silent);
    CHECK(install("xformers==0.0.23+cu121 -f https://example.org/wheels") == k_silent);
    CHECK(install("torchtext==0.16.0+cpu" + extra + "cpu") == k_silent);
    CHECK(install("https://example.org/xformers-0.0.23+cu121-cp310-cp310-linux_x86_64.whl") == k_silent);
}

TEST_CASE("the folder of a CUDA lacks a release") {
    const auto only = [](const std::string& package, const std::string& folder) {
        return install("--no-deps " + package + " --index-url " + k_pytorch + folder);
    };
    CHECK(only("xformers==0.0.23", "cu124") == "CC603");
    CHECK(only("xformers==0.0.30", "cu124") == "CC603");
    CHECK(only("xformers==0.0.23", "cu121") == k_silent);
    CHECK(only("xformers==0.0.30", "cu128") == k_silent);
}

TEST_CASE("wheels that a folder has for Linux only") {
    const auto batch = [](const std::string& package, const std::string& folder) {
        return codes_of("install.bat",
                        "pip install --no-deps " + package + " --index-url " + k_pytorch + folder + "\n");
    };
    CHECK(batch("xformers==0.0.28", "cu121") == "CC613");
    CHECK(batch("xformers==0.0.28.post3", "cu121") == "CC603");
    CHECK(batch("xformers==0.0.28.post3", "cu124") == k_silent);
    CHECK(batch("xformers==0.0.27", "cu121") == k_silent);
}

TEST_CASE("pip builds PyPI's source archive of a release that the index lacks") {
    const std::string index = " --extra-index-url https://abetlen.github.io/llama-cpp-python/whl/";
    CHECK(install("llama-cpp-python==0.3.1" + index + "cu121") == "CC614");
    CHECK(install("llama-cpp-python==0.3.14" + index + "cu121") == "CC614");
    CHECK(install("llama-cpp-python" + index + "cu126") == "CC614");
    CHECK(install("llama-cpp-python==0.3.4" + index + "cu121") == k_silent);
    CHECK(install("llama-cpp-python==0.3.14" + index + "cu124") == k_silent);
    CHECK(install("llama-cpp-python" + index + "cu124") == k_silent);
    CHECK(install("llama-cpp-python" + index + "cu140") == k_silent);
    CHECK(install("llama-cpp-python==0.3.99" + index + "cu121") == k_silent);
    CHECK(install("llama-cpp-python==0.3.1" + index + "cpu") == k_silent);
    CHECK(install("llama-cpp-python==0.3.1 -f https://example.org/wheels" + index + "cu121") == k_silent);
    CHECK(image_gets("nvidia/cuda:12.1.1-devel-ubuntu22.04",
                     "RUN CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python==0.3.1" + index + "cu121") ==
          k_silent);
}

}  // namespace ptxguard::recipes
