// From short logs to causes. Real logs are in tests/cli; each class of messages has its lines here.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.hpp"

#include <doctest/doctest.h>

#include "diagnose/refine.hpp"
#include "diagnose/scenario_of_log.hpp"
#include "judge/judge.hpp"

using namespace ptxguard;

namespace {

const Facts& tables() {
    static const Facts facts = Facts::embedded();
    return facts;
}

Diagnosed diagnosed(std::string_view log) {
    const FoundMessages found = find_messages(log);
    const Scenario scenario = scenario_of_log("log", found, tables());
    return diagnose("log", found, tables(), judge({scenario}, tables(), {}).findings);
}

// "CC201 certain, CC104 possible"; "other" first if that explains more.
std::string codes(std::string_view log) {
    const Explanation explanation = diagnosed(log).explanation;
    std::string all = explanation.other_first ? "other" : "";
    for (const LogDiagnosis& one : explanation.diagnoses)
        all += (all.empty() ? "" : ", ") + one.code + " " + to_string(one.confidence);
    return all.empty() && !explanation.others.empty() ? "other" : all;
}

std::string first(std::string_view log) {
    const std::string all = codes(log);
    return all.substr(0, all.find(','));
}

struct Line {
    const char* expected;
    const char* text;
};

template <std::size_t N>
void check_first(const Line (&lines)[N]) {
    for (const Line& line : lines) {
        CAPTURE(std::string(line.text));
        CHECK(first(line.text) == line.expected);
    }
}

// Lines as people paste them, and a rule that must be among the causes.
const Line k_pasted[] = {
    {"CC101", "FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'"},
    {"CC201", "ptxas /tmp/x.ptx, line 9; fatal   : Unsupported .version 9.3; current version is '9.1'"},
    {"CC104", "nvlink fatal   : Input file 'a.o' newer than toolkit (118 vs 117)"},
    {"CC104", "Compiling the CUDA compiler identification source file \"CMakeCUDACompilerId.cu\" failed."},
    {"CC106", "RuntimeError: Failed to find nvcc."},
    {"CC106", "CMake Error at CMakeDetermineCompilerId.cmake:491 (message): No CUDA toolset found."},
    {"CC108", "#error -- unsupported GNU version! gcc versions later than 13 are not supported!"},
    {"CC108", "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"},
    {"CC109", "Relying on driver to perform ptx compilation. Modify $PATH to customize ptxas location."},
    {"CC111", "Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result in failures"},
    {"CC203", "nvcc fatal   : Unsupported gpu architecture 'compute_120'"},
    {"CC203", "ptxas fatal   : Value 'sm_89' is not defined for option 'gpu-name'"},
    {"CC203", "nvrtc: error: invalid value for --gpu-architecture (-arch)"},
    {"CC203", "triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error"},
    {"CC601",
     "RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch "
     "(12.4). Please make sure to use the same CUDA versions."},
    {"CC601",
     "RuntimeError: The detected CUDA version (13.0) mismatches the version that was used to compile PyTorch "
     "(12.8)"},
    {"CC203", "ptxas-blackwell fatal   : Value 'sm_110a' is not defined for option 'gpu-name'"},
    {"CC602",
     "The detected CUDA version (11.8) has a minor version mismatch with the version that was used to "
     "compile PyTorch (11.7)."},
    {"CC202", "Cuda failure: 222 the provided PTX was compiled with an unsupported toolchain."},
    {"CC202", "[cudaErrorUnsupportedPtxVersion] the provided PTX was compiled with an unsupported toolchain"},
    {"CC214",
     "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in "
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {"CC204", "RuntimeError: CUDA error: no kernel image is available for execution on the device"},
    {"CC204", "CUDA error 209 at main.cu:12"},
    {"CC208",
     "error == cudaSuccess (35 vs. 0)  CUDA driver version is insufficient for CUDA runtime version"},
    {"CC208", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."},
    {"CC209", "Error 804: forward compatibility was attempted on non supported HW"},
    {"CC209", "Failed to initialize NVML: Driver/library version mismatch"},
    {"CC210",
     "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"},
    {"CC210", "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory"},
    {"CC205", "Call to cuModuleLoadDataEx results in CUDA_ERROR_INVALID_PTX: a PTX compilation problem"},
    {"CC607",
     "W0000 gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute "
     "capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer."},
    {"CC607", "'cuLaunchKernel(function, gridX)' failed with 'CUDA_ERROR_INVALID_HANDLE'"},
    {"CC607", "Found GPU0 NVIDIA GB10 which is of cuda capability 12.1."},
    {"CC210", "UserWarning: CUDA initialization: CUDA unknown error"},
    {"CC607",
     "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."},
    {"CC301", "Error: Could not load library libcudnn_cnn_infer.so.8"},
    {"CC301", "libcudnn.so.8: cannot open shared object file: No such file or directory"},
    {"CC302",
     "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime "
     "version (8, 9, 7)."},
    {"CC302",
     "CUDA backend failed to initialize: Found cuDNN version 8700, but JAX was built against version 8904"},
    {"CC303",
     "libcudnn_ops_train.so.8: symbol _Z22cudnnGenericOp, version libcudnn_ops_infer.so.8 not defined in "
     "file libcudnn_ops_infer.so.8 with link time reference"},
    {"CC303",
     "libcudnn_cnn_infer.so.8: undefined symbol: _ZN5cudnn3ops18GetInternalStreams, version "
     "libcudnn_ops_infer.so.8"},
    {"CC305", "libcudnn.so.9: cannot open shared object file: No such file or directory"},
    {"CC305", "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}"},
    {"CC305", "Unable to initialize backend 'cuda': Unable to load cuDNN. Is it installed?"},
    {"CC401", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"},
    {"CC401", "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: not found"},
    {"CC401",
     "Could not load library libcublasLt.so.12. Error: libcublasLt.so.12: cannot open shared object file: No "
     "such file or directory"},
    {"CC402", "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12"},
    {"CC402", "libcublas.so.11: undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11"},
    {"CC407", "Attempting to perform BLAS operation using StreamExecutor without BLAS support"},
    {"CC403", "Unable to load cuSPARSE. Is it installed?"},
    {"CC401", "Unable to load CUPTI. Is it installed?"},
    {"CC405", "nvrtc: error: failed to open libnvrtc-builtins.so.11.1."},
    {"CC501",
     "FAIL : LoadLibrary failed with error 126 \"\" when trying to load \"onnxruntime_providers_cuda.dll\""},
    {"CC501", "Library cublas64_12.dll is not found or cannot be loaded"},
    {"CC612",
     "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."},
    {"CC619", "x.so: undefined symbol: _ZN2at4_ops9fmod_outer4callERKNS_6TensorES4_"},
};

}  // namespace

TEST_CASE("pasted lines lead to their rules") {
    for (const Line& line : k_pasted) {
        CAPTURE(std::string(line.text));
        CHECK(codes(line.text).find(line.expected) != std::string::npos);
    }
}

TEST_CASE("every suspect of the tables is a cause or a question") {
    for (const Message& message : all_messages())
        for (const Suspect& suspect : message.suspects) {
            CAPTURE(std::string(message.pattern));
            CAPTURE(std::string(suspect.cause));
            CHECK((find_cause(suspect.cause) != nullptr) != is_refined(suspect.cause));
        }
}

TEST_CASE("compilers") {
    check_first({
        {"CC201 certain",
         "ptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 8.5; current version is '8.2'"},
        {"CC202 certain",
         "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'"},
        {"CC103 certain", "nvcc fatal   : Unknown option '--compress-mode=speed'"},
        {"CC103 likely", "g++: error: unrecognized command-line option '-compress-mode=size'"},
        {"CC108 likely", "nvcc error   : 'cudafe++' died with status 0xC0000005 (ACCESS_VIOLATION)"},
        {"CC101 certain",
         "Could not find `nvcc` executable in path specified by environment variable "
         "CUDAToolkit_ROOT=/opt/a;/opt/b"},
        {"CC203 certain", "nvcc fatal   : Unsupported gpu architecture 'compute_120'"},
        {"CC203 certain", "ptxas-blackwell fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"},
        {"CC203 certain", "nvrtc: error: invalid value for --gpu-architecture (-arch)"},
        {"CC211 certain", "nvcc fatal   : Unsupported gpu architecture 'compute_No CUDA Devices found.'"},
        {"CC108 certain", "#error -- unsupported GNU version! gcc versions later than 12 are not supported!"},
        {"CC104 certain", "nvlink fatal   : Input file 'a.o' newer than toolkit (120 vs 118)"},
        {"CC205 certain",
         "ptxas k.ptx, line 1; fatal   : Missing .version directive at start of file 'k.ptx'"},
        {"CC405 certain", "nvrtc: error: failed to open libnvrtc-builtins.so.13.0."},
        {"CC215 certain",
         "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library"},
        {"other", "x.cu:1:10: fatal error: my_own_header.h: No such file or directory"},
    });
}

TEST_CASE("driver and runtime, by name, text and number") {
    check_first({
        {"CC202 certain", "CUDA error 222 at main.cu:12"},
        {"CC202 certain", "CUDA error 222"},  // the end of the text ends its line
        {"CC202 certain", "Cuda failure: 222"},
        {"CC202 certain", "cudaErrorUnsupportedPtxVersion"},
        {"CC202 certain", "LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR"},
        {"CC204 likely", "CUDA error 209: no kernel image is available for execution on the device"},
        {"CC208 likely", "error == cudaSuccess (35 vs. 0)"},
        {"CC209 certain", "Error 803: system has unsupported display driver / cuda driver combination"},
        {"CC209 certain",
         "that might have already set an error? Error 804: forward compatibility was attempted on non "
         "supported HW"},
        {"CC217 certain", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
        {"CC408 certain", "CUDA driver is a stub library"},
        {"other", "CUDA error 700 at main.cu:12"},
        {"other", "RuntimeError: CUDA error: an illegal memory access was encountered"},
        {"other", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."},
        {"", "CUDA error 98765 at x"},
    });
}

TEST_CASE("missing libraries, by their names") {
    check_first({
        {"CC401 certain",
         "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"},
        {"CC401 certain",
         "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object "
         "file: No such file"},
        {"CC210 likely",
         "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: "
         "No such file"},
        {"CC305 likely", "libcudnn.so.9: cannot open shared object file: No such file or directory"},
        {"CC301 likely",
         "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared "
         "object file"},
        {"CC501 likely",
         "Could not load dynamic library 'cublas64_11.dll'; dlerror: cublas64_11.dll not found"},
        {"CC501 certain", "Could not locate zlibwapi.dll. Please make sure it is in your library path!"},
        {"CC504 certain", "Could not load library zlibwapi.dll. Error code 193. Please verify"},
        {"CC503 likely",
         "OSError: [WinError 127] The specified procedure could not be found. Error loading "
         "\"C:\\a\\torch\\lib\\x.dll\" or one of its dependencies."},
        {"other",
         "error while loading shared libraries: libGL.so.1: cannot open shared object file: No such file or "
         "directory"},
        {"CC619 likely",
         "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory"},
    });
}

TEST_CASE("symbols") {
    check_first({
        {"CC402 certain",
         "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12"},
        {"CC402 certain",
         "libcublas.so.11: undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11"},
        {"CC303 certain",
         "libcudnn_cnn_infer.so.8: undefined symbol: _ZN5cudnn3ops1x, version libcudnn_ops_infer.so.8"},
        {"CC605 likely", "x.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs"},
        {"CC619 likely", "x.so: undefined symbol: _ZN2at4_ops9fmod_outer4callERKNS_6TensorES4_"},
        {"CC406 certain", "/a/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /b/x.so)"},
        {"CC406 certain", "/lib/libc.so.6: version `GLIBC_2.38' not found (required by /b/x.so)"},
    });
}

TEST_CASE("which cuDNN and which toolkit is older follows from the numbers") {
    CHECK(first("Loaded runtime CuDNN library: 8.5.0 but source was compiled with: 8.6.0.") ==
          "CC302 certain");
    CHECK(first("Loaded runtime CuDNN library: 8.9.7 but source was compiled with: 9.1.0.") ==
          "CC301 certain");
    CHECK(first("cuDNN version incompatibility: PyTorch was compiled  against (9, 1, 0) but found runtime "
                "version (8, 9, 7).") == "CC301 certain");
    CHECK(first("Found cuDNN version 8700, but JAX was built against version 8904") == "CC302 certain");
    CHECK(first("Found cuBLAS version 120205, but JAX was built against version 120304, which is newer.") ==
          "CC402 likely");
    CHECK(first("The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch "
                "(12.4).") == "CC601 certain");
    CHECK(
        first(
            "Installed CUDA version 12.0 does not match the version torch was compiled with 11.7, unable") ==
        "CC601 certain");
}

TEST_CASE("GPU memory explains a failed library before a mismatch") {
    CHECK(first("Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
                "Memory usage: 7995392 bytes free, 11721572352 bytes total.\n"
                "Possibly insufficient driver version: 510.47.3\n") == "other");
    CHECK(first("Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
                "Memory usage: 9995392000 bytes free, 11721572352 bytes total.\n") == "CC302 possible");
    CHECK(first("failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED") == "CC407 possible");
}

TEST_CASE("the first cause comes before what follows from it") {
    CHECK(codes("[1/9] nvcc -c a.cu\n"
                "ptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 9.0; current version is '8.5'\n"
                "ptxas fatal   : Ptx assembly aborted due to errors\n"
                "ninja: build stopped: subcommand failed.\n"
                "subprocess.CalledProcessError: Command '['ninja']' returned non-zero exit status 1.\n"
                "RuntimeError: Error compiling objects for extension\n") == "CC201 certain");
    const Diagnosed found = diagnosed(
        "x\nptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 8.5; current version is '8.2'\n");
    REQUIRE(found.explanation.diagnoses.size() == 1);
    const LogDiagnosis& one = found.explanation.diagnoses.front();
    CHECK(one.cause.find("nvcc 12.5 or 12.6") != std::string::npos);
    CHECK(one.cause.find("ptxas 12.2") != std::string::npos);
    REQUIRE(one.matched.size() == 1);
    CHECK(one.matched.front().line == 2);
    CHECK(one.decide == "ptxguard check --build");
    CHECK(found.findings.at(one.finding).location->line == 2);
}

TEST_CASE("values of the log fill the command that decides") {
    const Diagnosed found = diagnosed(
        "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |\n"
        "CUDA error 222 at main.cu:12: the provided PTX was compiled with an unsupported toolchain.\n");
    REQUIRE(!found.explanation.diagnoses.empty());
    CHECK(found.explanation.diagnoses.front().decide.find("--driver 535.104.05") != std::string::npos);
}

TEST_CASE("the tables confirm what the log only suggests") {
    // torch 2.11.0+cu130 needs driver 580: the judge finds CC208.
    const Diagnosed found = diagnosed(
        "PyTorch version: 2.11.0+cu130\nNvidia driver version: 470.256.02\n"
        "CUDA error: CUDA driver version is insufficient for CUDA runtime version\n");
    REQUIRE(!found.explanation.diagnoses.empty());
    const LogDiagnosis& one = found.explanation.diagnoses.front();
    CHECK(one.code == "CC208");
    CHECK(one.cause.find("470.256.02") != std::string::npos);
}

TEST_CASE("good logs and faults of others have no diagnosis") {
    for (const char* log :
         {"", "[100%] Built target app\n",
          "nvcc warning : The 'compute_50' architectures are deprecated, and may be removed in a future "
          "release\n",
          "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has "
          "already been registered\n",
          "TF-TRT Warning: Could not find TensorRT\n", "ModuleNotFoundError: No module named 'numpy'\n",
          "ERROR: Could not find a version that satisfies the requirement left-pad==1.0\n",
          "ERROR: Invalid requirement: './nothere'\n", "Segmentation fault (core dumped)\n"}) {
        CAPTURE(std::string(log));
        CHECK(diagnosed(log).explanation.diagnoses.empty());
    }
}

TEST_CASE("conda: the driver in __cuda, and packages of different CUDA releases") {
    check_first({
        {"CC208 certain",
         "  - package cudatoolkit-11.0.3-h15472ef_6 has constraint __cuda >=11.0 conflicting with "
         "__cuda-10.2-0"},
        {"CC612 likely",
         "  - package torchaudio-2.0.2-py310_cu117 requires pytorch-cuda 11.7.*, but none of the providers "
         "can be "
         "installed"},
        {"", "  - package mesa-1.0 requires libdrm 2.*, but none of the providers can be installed"},
    });
}

TEST_CASE("a word that is no library is none") {
    const Explanation zlib =
        diagnosed("Could not locate zlibwapi.dll. Please make sure it is in your library path!").explanation;
    CHECK(zlib.others.empty());
    REQUIRE(zlib.diagnoses.size() == 1);
    CHECK(zlib.diagnoses.front().cause ==
          "zlibwapi.dll is not found: cuDNN 8 needs it, and does not contain it");
}

TEST_CASE("both sides of a refusal are named with their releases") {
    const auto cause = [](std::string_view log) {
        const Explanation explanation = diagnosed(log).explanation;
        return explanation.diagnoses.empty() ? std::string() : explanation.diagnoses.front().cause;
    };
    CHECK(cause("Unsupported .version 8.5; current version is '8.2'") ==
          "ptxas 12.2 refuses the PTX 8.5 of nvcc 12.5 or 12.6 (it reads up to 8.2)");
    CHECK(cause("Cuda compilation tools, release 12.6, V12.6.85\n"
                "ptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 8.5; current version is '8.2'") ==
          "ptxas 12.2 refuses the PTX 8.5 of nvcc 12.6.85 (it reads up to 8.2)");
    // This nvcc writes another PTX: another compiler wrote that one.
    CHECK(cause("Cuda compilation tools, release 11.8, V11.8.89\n"
                "ptxas /tmp/k.ptx, line 9; fatal   : Unsupported .version 8.5; current version is '8.2'") ==
          "ptxas 12.2 refuses the PTX 8.5 of nvcc 12.5 or 12.6 (it reads up to 8.2)");
    CHECK(cause("| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |\n"
                "Cuda compilation tools, release 12.6, V12.6.85\n"
                "CUDA error: the provided PTX was compiled with an unsupported toolchain.") ==
          "driver 535.104.05 refuses the PTX 8.5 of nvcc 12.6.85 (it reads up to 8.2), and no cubin fits the "
          "GPU");
    // An nvcc that is no newer than the driver did not write that PTX: nothing is concluded from it.
    CHECK(cause("| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |\n"
                "Cuda compilation tools, release 12.1, V12.1.66\n"
                "CUDA error: the provided PTX was compiled with an unsupported toolchain.")
              .find("nvcc") == std::string::npos);
    CHECK(cause("The CUDA compiler identification is NVIDIA 12.4.131\n"
                "nvcc fatal   : Unsupported gpu architecture 'compute_120'") ==
          "nvcc 12.4.131 does not support sm_120 (needs CUDA 12.8)");
    CHECK(cause("The CUDA compiler identification is NVIDIA 13.0.88\n"
                "nvcc fatal   : Unsupported gpu architecture 'compute_70'") ==
          "nvcc 13.0.88 does not support sm_70 (dropped, last supported by CUDA 12.9)");
    // An nvcc that supports the architecture is not the one that refused it.
    CHECK(cause("The CUDA compiler identification is NVIDIA 12.8.93\n"
                "nvcc fatal   : Unsupported gpu architecture 'compute_120'")
              .find("12.8.93") == std::string::npos);
}

TEST_CASE("a driver and an nvcc in a log without a fault are no fault") {
    CHECK(diagnosed("| NVIDIA-SMI 470.256.02   Driver Version: 470.256.02   CUDA Version: 11.4 |\n"
                    "Cuda compilation tools, release 13.0, V13.0.88\nPyTorch version: 2.11.0+cu130\n")
              .explanation.diagnoses.empty());
}

TEST_CASE("lines that only repeat a failure say so") {
    const Explanation explanation = diagnosed("ninja: build stopped: subcommand failed.\n").explanation;
    CHECK(explanation.diagnoses.empty());
    REQUIRE(explanation.echoes.size() == 1);
}
