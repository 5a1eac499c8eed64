// SPDX-License-Identifier: Apache-2.0
#include "facts/package_names.hpp"

#include "given.hpp"

namespace ptxguard {
namespace {

// "absent", "placeholder", "other"; "" = PyPI has it, or no table lists it.
std::string fault(const char* name) {
    static const Facts facts = Facts::embedded();
    const auto found = name_fault(facts, name);
    if (!found) return "";
    return found->fault == NameFault::absent        ? "absent"
           : found->fault == NameFault::placeholder ? "placeholder"
                                                    : "other";
}

}  // namespace

TEST_CASE("names of conda and names that users derive are not on PyPI") {
    CHECK(fault("cudatoolkit") == "absent");
    CHECK(fault("pytorch-cuda") == "absent");
    CHECK(fault("detectron2") == "absent");
    CHECK(fault("torch") == "");
    CHECK(fault("cuda-toolkit") == "");
}

TEST_CASE("of packages with a CUDA release in their name the existing ones are known") {
    CHECK(fault("cupy-cuda118") == "absent");
    CHECK(fault("cupy-cuda12x") == "");
    CHECK(fault("cupy-cuda117") == "");
    CHECK(fault("spconv-cu119") == "absent");
    CHECK(fault("spconv-cu118") == "");
    CHECK(fault("mxnet-cu118") == "absent");
    CHECK(fault("jax-cuda12-plugin") == "");
    CHECK(fault("tensorrt-cu12-libs") == "");
}

TEST_CASE("placeholders and names of other projects") {
    CHECK(fault("pytorch") == "placeholder");
    CHECK(fault("tensorflow-gpu") == "placeholder");
    CHECK(fault("nvidia-cublas-cu13") == "placeholder");
    CHECK(fault("nvidia-cublas-cu116") == "placeholder");
    CHECK(fault("nvidia-cublas-cu12") == "");
    CHECK(fault("nvidia-nccl-cu13") == "");
    CHECK(fault("apex") == "other");
}

}  // namespace ptxguard
