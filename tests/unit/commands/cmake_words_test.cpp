// SPDX-License-Identifier: Apache-2.0
#include "commands/cmake_words.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("options have CMake's names") {
    CHECK(cmake_variable("driver-libs", "") == "CudaConsistent_DRIVER_LIBS");
    CHECK(cmake_variable("arch", "TORCH_CUDA_ARCH_LIST") == "TORCH_CUDA_ARCH_LIST");
    CHECK(cmake_variable("arch", "") == "CMAKE_CUDA_ARCHITECTURES");
    CHECK(cmake_variable("facts", "") == "");
}

TEST_CASE("findings name variables where they name options, and nothing else changes") {
    Judgement judgement;
    Finding finding;
    finding.message = "--driver 535 and a--driver, nvcc --driver-x, --facts DIR";
    finding.decide = {"--driver-libs DIR with the library"};
    finding.found = {{"--toolkit", "/nowhere", {}}};
    finding.fix = {{FixKind::manual, "pip install --gpu-free '--gpu A100'"},
                   {FixKind::setting, "--toolkit /usr/local/cuda"}};
    judgement.findings = {finding};
    speak_cmake(judgement, "");
    const Finding& said = judgement.findings.front();
    CHECK(said.message == "CudaConsistent_DRIVER 535 and a--driver, nvcc --driver-x, --facts DIR");
    CHECK(said.decide.front() == "CudaConsistent_DRIVER_LIBS DIR with the library");
    CHECK(said.found.front().what == "CudaConsistent_TOOLKIT");
    CHECK(said.fix.front().text == "pip install --gpu-free 'CudaConsistent_GPUS A100'");
    CHECK(said.fix.back().text == "set CudaConsistent_TOOLKIT to /usr/local/cuda");
}
