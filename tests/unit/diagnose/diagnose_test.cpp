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

}  // namespace

TEST_CASE("every suspect of the tables is a cause or a question") {
    for (const Message& message : all_messages())
        for (const Suspect& suspect : message.suspects) {
            CAPTURE(std::string(message.pattern));
            CAPTURE(std::string(suspect.cause));
            CHECK((find_cause(suspect.cause) != nullptr) != is_refined(suspect.cause));
        }
}

TEST_CASE("every code of a cause is a rule") {
    for (const Cause& cause : causes()) {
        CAPTURE(std::string(cause.id));
        CHECK((!*cause.code || find_rule(cause.code) != nullptr));
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
        {"CC202 certain", "Cuda failure: 222"},
        {"CC202 certain", "cudaErrorUnsupportedPtxVersion"},
        {"CC202 certain", "LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR"},
        {"CC204 likely", "CUDA error 209: no kernel image is available for execution on the device"},
        {"CC208 likely", "error == cudaSuccess (35 vs. 0)"},
        {"CC209 certain", "Error 803: system has unsupported display driver / cuda driver combination"},
        {"CC209 certain",
         "that might have already set an error? Error 804: forward compatibility was attempted on non "
         "supported HW"},
        {"CC210 certain", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
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
         "OSError: [WinError 127] The specified procedure could not be found. Error loading \"C:\\a\\x.dll\" "
         "or one of its dependencies."},
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
    CHECK(one.cause.find("CUDA 12.5 or 12.6") != std::string::npos);
    CHECK(one.cause.find("CUDA 12.2") != std::string::npos);
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
          "Segmentation fault (core dumped)\n"}) {
        CAPTURE(std::string(log));
        CHECK(diagnosed(log).explanation.diagnoses.empty());
    }
}

TEST_CASE("lines that only repeat a failure say so") {
    const Explanation explanation = diagnosed("ninja: build stopped: subcommand failed.\n").explanation;
    CHECK(explanation.diagnoses.empty());
    REQUIRE(explanation.echoes.size() == 1);
}
