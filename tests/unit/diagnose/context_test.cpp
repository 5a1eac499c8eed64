// What the rest of a log makes of a message.
// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

#include "model/text.hpp"

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
    CHECK(first_answer("OSError: [WinError 182] The operating system cannot run %1. " + text).substr(0, 12) ==
          "other likely");
    CHECK(first_answer("OSError: [WinError 127] Die angegebene Prozedur wurde nicht gefunden. " + text)
              .substr(0, 12) == "CC503 likely");
    // The number and the file are further apart than what a report shows of a line.
    const std::string folder(280, 'x');
    CHECK(first_answer("OSError: [WinError 1114] Eine DLL-Initialisierungsroutine ist fehlgeschlagen. Error "
                       "loading \"C:\\" +
                       folder + "\\torch\\lib\\c10.dll\" or one of its dependencies.")
              .substr(0, 12) == "other likely");
    CHECK(first_answer(text).substr(0, 12) == "CC501 likely");
}

TEST_CASE("an import of Python on Windows names no number, only the text of the language") {
    const std::string import = "ImportError: DLL load failed while importing ";
    for (const char* text : {"The specified module could not be found.", "找不到指定的模块。",
                             "Das angegebene Modul wurde nicht gefunden."}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(import + "onnxruntime_pybind11_state: " + text).substr(0, 12) == "CC501 likely");
        CHECK(first_answer(import + "_sqlite3: " + text).substr(0, 12) == "other likely");
    }
    for (const char* text : {"The specified procedure could not be found.", "找不到指定的程序。",
                             "Не найдена указанная процедура."}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(import + "onnxruntime_pybind11_state: " + text).substr(0, 12) == "CC503 likely");
        CHECK(first_answer(import + "_ssl: " + text).substr(0, 12) == "other likely");
    }
    for (const char* text :
         {"A dynamic link library (DLL) initialization routine failed.", "动态链接库(DLL)初始化例程失败。",
          "Eine DLL-Initialisierungsroutine ist fehlgeschlagen."}) {
        CAPTURE(std::string(text));
        CHECK(first_answer(import + "onnxruntime_pybind11_state: " + text).find("does not start") != npos);
    }
    for (const char* text :
         {"%1 is not a valid Win32 application.", "%1 ist keine zulässige Win32-Anwendung."})
        CHECK(first_answer(import + "_C: " + text).substr(0, 13) == "CC504 certain");
    CHECK(first_answer("ImportError: DLL load failed: %1 is not a valid Win32 application.").substr(0, 13) ==
          "CC504 certain");
}

TEST_CASE("the numbers of Windows' loader in the words of other programs") {
    CHECK(first_answer("Failed to load onnxruntime_providers_cuda.dll, error code: 1114")
              .find("does not start") != npos);
    CHECK(first_answer("Failed to load onnxruntime_providers_cuda.dll, error code: 126").substr(0, 5) ==
          "CC501");
    CHECK(first_answer("LoadLibraryExW { source: Os { code: 126, kind: Uncategorized } }").substr(0, 5) ==
          "CC501");
    CHECK(first_answer("Unable to load 'x.dll' (Exception from HRESULT: 0x8007007F)").substr(0, 5) ==
          "CC503");
    CHECK(first_answer("Failed to load settings.json, error code: 2") == "");
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

TEST_CASE("texts that only resemble a fault are no diagnosis") {
    for (const char* text :
         {"This release requires CUDA 11.8 or newer; see the table of releases.", "checking for nvcc... no",
          "AttributeError: module 'my_package' has no attribute 'run'", "2 passed, 1 skipped (no GPU found)",
          "error: namespace \"my\" has no member \"is_same_v\"", "KeyError: 'CUDA_LAUNCH'",
          "-- Looking for C++ include filesystem - found",
          "warning: the GPU path is not compiled in this release",
          "Downloading https://download.pytorch.org/whl/cu121/torch-2.1.0-cp310.whl (2.2 GB)",
          "UserWarning: the default of this argument changes in the next release",
          "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'"}) {
        CAPTURE(std::string(text));
        const std::string answer = first_answer(text);
        CAPTURE(answer);
        const bool asks = answer.find(" possible: ") != std::string::npos;
        const bool is_silent = answer.empty() || asks;
        CHECK(is_silent);
    }
}

TEST_CASE("a build that the tables list was released: the index or the Python is another one") {
    const std::string absent = "ERROR: Could not find a version that satisfies the requirement ";
    CHECK(first_answer(absent + "torch==1.11.0+cu113 (from versions: 1.12.0+cu113, 1.13.0+cu117)")
              .substr(0, 12) == "CC613 likely");
    CHECK(first_answer(absent + "torch==1.11.0+cu113 (from versions: 1.13.0, 2.0.0)").substr(0, 12) ==
          "CC614 likely");
    CHECK(first_answer(absent + "torch==1.11.0+cu113 (from versions: none)").substr(0, 12) == "CC613 likely");
    CHECK(first_answer(absent + "torch==2.5.0+cu113 (from versions: 2.4.0, 2.5.0)").substr(0, 12) ==
          "CC603 likely");
}
