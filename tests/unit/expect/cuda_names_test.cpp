// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"
#include "model/named_cuda.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {
std::string text(const std::optional<Version>& version) { return version ? version->text : "unknown"; }
}  // namespace

TEST_CASE("build tags name a CUDA release, except those that give only the major") {
    CHECK(text(cuda_of_tag("cu92")) == "9.2");
    CHECK(text(cuda_of_tag("cu101")) == "10.1");
    CHECK(text(cuda_of_tag("cu117")) == "11.7");
    CHECK(text(cuda_of_tag("cu130")) == "13.0");
    for (const char* tag : {"cu", "cu12", "cu1", "cu1210", "cuda", "cpu", "rocm6.0", "cu11x", "", "12.1"})
        CHECK(text(cuda_of_tag(tag)) == "unknown");
    CHECK(tag_of_cuda(*parse_version("12.1")) == "cu121");
}

TEST_CASE("DLL suffixes are read as TensorFlow writes them") {
    CHECK(text(version_of_dll_suffix("64_110")) == "11.0");
    CHECK(text(version_of_dll_suffix("64_112")) == "11.2");
    CHECK(text(version_of_dll_suffix("64_8")) == "8");
    CHECK(text(version_of_dll_suffix("64_12")) == "12");
    CHECK(text(version_of_dll_suffix("64_90")) == "9.0");
    CHECK(text(version_of_dll_suffix("12.5.1")) == "12.5.1");
    for (const char* bad : {"64_", "64_x", "64_1100", "garbage", ""})
        CHECK(text(version_of_dll_suffix(bad)) == "unknown");
}

TEST_CASE("library names give CUDA and cuDNN, from 11 on only the major") {
    CHECK(text(cuda_of_library("libcudart-d0da41ae.so.11.0")) == "11");
    CHECK(text(cuda_of_library("libcudart.so.10.2")) == "10.2");
    CHECK(text(cuda_of_library("libcudart.so.13")) == "13");
    CHECK(text(cuda_of_library("cudart64_110.dll")) == "11");
    CHECK(text(cuda_of_library("cudart64_102.dll")) == "10.2");
    CHECK(text(cuda_of_library("cudart64_90.dll")) == "9.0");
    CHECK(text(cuda_of_library("cudart64_12.dll")) == "12");
    for (const char* other :
         {"libcudart.so", "libcudart_static.a", "libcudartX.so.12", "cudart64_.dll", "cudart32_12.dll", ""})
        CHECK(text(cuda_of_library(other)) == "unknown");
    CHECK(text(cudnn_of_library("libcudnn-0a1b2c3d.so.8.5.0")) == "8.5.0");
    CHECK(text(cudnn_of_library("cudnn64_9.dll")) == "9");
    CHECK(text(cudnn_of_library("libcudnn_ops.so.9")) == "unknown");
}
