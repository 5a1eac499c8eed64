// What the rest of a log makes of a message.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

using namespace ptxguard;

TEST_CASE("a framework that sees no GPU: the log says why") {
    const std::string sees_none = "\ntorch.cuda.is_available() False\n";
    CHECK(first_answer(sees_none).substr(0, 12) == "CC604 likely");
    CHECK(first_answer("[pip3] torch==2.1.0+cpu" + sees_none)
              .find("PyTorch 2.1.0+cpu is a build without CUDA") != std::string::npos);
    CHECK(first_answer("CUDA used to build PyTorch: None" + sees_none).find("is a build without CUDA") !=
          std::string::npos);
    CHECK(first_answer(
              "CUDA used to build PyTorch: 12.1\n| NVIDIA-SMI 470.182.03   Driver Version: 470.182.03   "
              "CUDA Version: 11.4     |" +
              sees_none)
              .substr(0, 12) == "CC208 likely");
    CHECK(first_answer("docker run --gpus all image" + sees_none).substr(0, 12) == "CC210 likely");
    CHECK(first_answer("OS: Ubuntu 22.04 (WSL2)" + sees_none).substr(0, 12) == "CC218 likely");
}

TEST_CASE("WSL is a word of people, not a part of another") {
    const std::string none = "\nCUDA error: no CUDA-capable device is detected\n";
    CHECK(first_answer("wsl2, python 3.11" + none).substr(0, 12) == "CC218 likely");
    CHECK(first_answer("Running on Windows 11 + WSL." + none).substr(0, 12) == "CC218 likely");
    CHECK(first_answer("crawsl and wslpath" + none).substr(0, 12) == "CC210 likely");
}

TEST_CASE("an instruction that an architecture lacks: the list, its letter, or the PTX") {
    CHECK(first_answer(
              "ptxas a.ptx, line 3; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'")
              .find("compiled for sm_90a") != std::string::npos);
    CHECK(first_answer("ptxas a.ptx, line 3; error   : Feature 'cp.async' not supported on .target 'sm_75'")
              .find("the architectures to compile for are older") != std::string::npos);
    CHECK(
        first_answer(
            "Internal Triton PTX codegen error\nptxas a.ptx, line 3; error   : Feature 'x' not supported on "
            ".target 'sm_100'")
            .substr(0, 12) == "CC213 likely");
}

TEST_CASE("the number of Windows decides what 'or one of its dependencies' means") {
    const std::string text = "Error loading \"C:\\torch\\lib\\c10.dll\" or one of its dependencies.\n";
    CHECK(first_answer("OSError: [WinError 126] The specified module could not be found. " + text)
              .substr(0, 13) == "CC501 certain");
    CHECK(first_answer(
              "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. " + text)
              .substr(0, 12) == "other likely");
    CHECK(
        first_answer("OSError: [WinError 193] %1 is not a valid Win32 application. " + text).substr(0, 13) ==
        "CC504 certain");
}

TEST_CASE("a library of NVIDIA lacks a function, or a project's module is not linked with it") {
    CHECK(first_answer("/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister")
              .substr(0, 13) == "CC402 certain");
    CHECK(first_answer("/home/me/build/my_module.so: undefined symbol: cusparseSpMM").substr(0, 12) ==
          "CC402 likely");
}

TEST_CASE("assembly of CUDA's own headers, and of a project") {
    const std::string text =
        "(77): error: asm operand type size(8) does not match type/size implied by constraint 'r'";
    CHECK(first_answer("C:\\CUDA\\v12.4\\include\\cuda_fp16.hpp" + text).substr(0, 13) == "CC108 certain");
    CHECK(first_answer("/src/my_kernels.cuh" + text).substr(0, 14) == "other possible");
}

TEST_CASE("where no toolkit is found, the text cannot tell whether there is none") {
    for (const char* text :
         {"clang: error: cannot find CUDA installation", "Failed to find nvcc",
          "Caffe2: CUDA cannot be found", "CUDA_HOME does not exist, unable to compile CUDA op(s)"}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(text).substr(0, 12) == "CC106 likely");
    }
}

TEST_CASE("names of a C++ standard, and names of a header that is not included") {
    CHECK(first_answer("a.h(3): error: namespace \"std\" has no member \"is_same_v\"")
              .find("C++17 is needed") != std::string::npos);
    CHECK(first_answer("a.h(3): error: namespace \"std\" has no member \"enable_if_t\"")
              .find("C++14 is needed") != std::string::npos);
    CHECK(first_answer("a.h(3): error: namespace \"std\" has no member \"uint64_t\"").find("<cstdint>") !=
          std::string::npos);
    CHECK(first_answer("a.h(3): error: namespace \"std\" has no member \"my_own\"") == "");
}
