// Messages that name a release of a library or of the driver: what is compared, and with which words.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/scenario_of_log.hpp"
#include "judge/judge.hpp"

using namespace ptxguard;

namespace {

const Facts& tables_of_releases() {
    static const Facts facts = Facts::embedded();
    return facts;
}

Explanation explained(std::string_view log) {
    const FoundMessages found = find_messages(log);
    const Scenario scenario = scenario_of_log("log", found, tables_of_releases());
    return diagnose("log", found, tables_of_releases(), judge({scenario}, tables_of_releases(), {}).findings)
        .explanation;
}

// "CC302 certain: the program was built with ..."
std::string answer(std::string_view log) {
    const Explanation explanation = explained(log);
    if (explanation.diagnoses.empty()) return explanation.others.empty() ? "" : "other";
    const LogDiagnosis& one = explanation.diagnoses.front();
    return one.code + " " + to_string(one.confidence) + ": " + one.cause;
}

bool has_code(std::string_view log, std::string_view code) {
    for (const LogDiagnosis& one : explained(log).diagnoses)
        if (one.code == code) return true;
    return false;
}

}  // namespace

TEST_CASE("both releases of cuDNN, in every form that frameworks print") {
    const std::string older = "CC302 certain: the program was built with cuDNN ";
    CHECK(answer("Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library "
                 "needs") == older + "8.1.0 but loads the older 8.0.5");
    CHECK(answer("cuDNN version incompatibility: PyTorch was compiled  against (8, 7, 0) but found runtime "
                 "version "
                 "(8, 2, 4). PyTorch already comes bundled with cuDNN.") ==
          older + "8.7.0 but loads the older 8.2.4");
    CHECK(answer("RuntimeError: cuDNN version incompatibility: PyTorch was compiled against 7401 but linked "
                 "against 7301") == older + "7.4.1 but loads the older 7.3.1");
    CHECK(answer("Found cuDNN version 8700, but JAX was built against version 8906, which is newer.") ==
          older + "8.9.6 but loads the older 8.7.0");
    CHECK(
        answer(
            "Outdated cuDNN installation found.\nVersion JAX was built against: 90100\nMinimum supported: "
            "90100\nInstalled version: 90000\nThe local installation version must be no lower than 90100.") ==
        older + "9.1.0 but loads the older 9.0.0");
    CHECK(answer("cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime "
                 "version "
                 "(8, 9, 2)") ==
          "CC301 certain: the program was built with cuDNN 9.1.0 but loads cuDNN 8.9.2");
}

TEST_CASE("a newer minor of cuDNN that an old framework refuses is not called older") {
    const std::string newer =
        "CC302 certain: this framework runs only with the minor of cuDNN that it was built with: ";
    CHECK(answer("cuDNN version mismatch: PyTorch was compiled against 7102 but linked against 7605") ==
          newer + "7.6.5 is loaded, 7.1.2 is needed");
    CHECK(
        answer("Loaded runtime CuDNN library: 7301 (compatibility version 7300) but source was compiled with "
               "7003 (compatibility version 7000).") == newer + "7.3.1 is loaded, 7.0.3 is needed");
}

TEST_CASE("the copies of cuDNN that a log lists are compared when its own check failed") {
    const std::string status = "cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\n";
    CHECK(answer(status +
                 "/usr/lib/x86_64-linux-gnu/libcudnn_ops.so.9.1.0\n[pip3] nvidia-cudnn-cu12==9.22.0.52\n") ==
          "CC303 certain: one process loads libraries of cuDNN from several of these releases: 9.1.0 and "
          "9.22.0.52");
    CHECK(answer(status + "libcudnn.so.9.1.0\n[pip3] nvidia-cudnn-cu12==9.1.0.70\n") ==
          "CC303 certain: libraries of cuDNN from different releases are loaded together");
    CHECK(answer("libcudnn.so.9.1.0\nlibcudnn.so.8.9.7\n") == "");
}

TEST_CASE("the GPU that cuDNN lacks is compared with its device code") {
    CHECK(answer("CUDNN_STATUS_ARCH_MISMATCH\nDevice 0: Tesla V100, compute capability 7.0\n[pip3] "
                 "nvidia-cudnn-cu13==9.13.0.50\n")
              .find("has no code for") != std::string::npos);
    CHECK(answer("CUDNN_STATUS_ARCH_MISMATCH\n") == "CC306 certain: this cuDNN has no code for this GPU");
}

TEST_CASE("a CUDA library older than JAX was built with") {
    CHECK(answer("Found cuBLAS version 120100, but JAX was built against version 120205, which is newer.") ==
          "CC402 likely: the program was built with cuBLAS 12.2.5 but loads the older 12.1.0");
}

TEST_CASE("the driver against the image that requires more, and against nvcc") {
    CHECK(answer("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8\n| NVIDIA-SMI "
                 "535.247.01   Driver Version: 535.247.01   CUDA Version: 12.2 |") ==
          "CC208 certain: the image requires a driver for CUDA 12.8; driver 535.247.01 is for CUDA 12.2");
    CHECK(answer("requirement error: unsatisfied condition: cuda >= 9.0").substr(0, 13) == "CC208 certain");
    CHECK(answer(
              "CUDA driver version is insufficient for CUDA runtime version\nCuda compilation tools, release "
              "13.0, V13.0.88\nDriver Version: 535.247.01\nNVIDIA driver version: 535.247.01\n")
              .find("is too old for nvcc 13.0.88") != std::string::npos);
}

TEST_CASE("XLA: no handle although memory is free, with a driver older than CUDA 12") {
    const std::string handle = "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\nMemory usage: ";
    const std::string driver = "\nPossibly insufficient driver version: ";
    const std::string free = handle + "42069065728 bytes free, 42505273344 bytes total." + driver;
    CHECK(answer(free + "470.182.3").substr(0, 12) == "CC208 likely");
    CHECK(explained(free + "470.182.3").others.empty());
    CHECK(answer(free + "560.35.3").substr(0, 14) == "CC302 possible");
    CHECK(
        explained(handle + "7995392 bytes free, 11721572352 bytes total." + driver + "510.47.3").other_first);
}

TEST_CASE("uv: a release that the index lacks, and two requirements of one package") {
    CHECK(
        answer("Because there is no version of nvidia-cudnn-cu12{platform_machine == 'x86_64'}==9.1.0.70 and "
               "torch==2.4.1 depends on it")
            .substr(0, 12) == "CC614 likely");
    const std::string conflict =
        "Because torch==2.11.0+cu130 depends on cuda-toolkit[cublas]==13.0.2 and you require ";
    CHECK(answer(conflict + "cuda-toolkit==13.2.1, we can conclude").substr(0, 12) == "CC612 likely");
    CHECK_FALSE(has_code(conflict + "numpy==2.1, we can conclude", "CC612"));
}

TEST_CASE("messages of Julia, cuda-python, bitsandbytes, FlashInfer and MATLAB") {
    CHECK(answer("CUDA toolkit at  doesn't contain ptxas").substr(0, 12) == "CC105 likely");
    CHECK(answer("RuntimeError: Failed to dlopen libcuda.so").substr(0, 12) == "CC210 likely");
    CHECK(answer("DEBUG: Possible options found for libcudart.so: set()").substr(0, 12) == "CC401 likely");
    CHECK(answer("RuntimeError: FlashInfer requires sm75+").substr(0, 12) == "CC204 likely");
    CHECK(answer("RuntimeError: No such operator torchvision::nms").substr(0, 12) == "CC612 likely");
    CHECK(answer("nvcc fatal   : nvcc cannot find a supported version of Microsoft Visual Studio. Only the "
                 "versions "
                 "between 2017 and 2019 (inclusive) are supported!")
              .substr(0, 13) == "CC108 certain");
    CHECK(
        answer(
            "ERROR: CUDA error: PTX JIT compiler library not found (code 221, ERROR_JIT_COMPILER_NOT_FOUND)")
            .substr(0, 13) == "CC217 certain");
    CHECK(answer("fatal error: cub/cub.cuh: No such file or directory").substr(0, 14) == "CC105 possible");
}
