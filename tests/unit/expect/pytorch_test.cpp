// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

std::string torch_elf_with(const std::string& section, const std::string& bytes) {
    built::Elf elf;
    elf.dynamic = false;
    elf.sections = {{section, bytes}};
    return elf.build();
}

Expectation torch_version_file(const std::string& text) {
    Expectation expectation;
    pytorch::read_version_file(text, "/torch/version.py", expectation);
    return expectation;
}

}  // namespace

TEST_CASE("a wheel gives version, CUDA, cuDNN, C++ ABI and standard, each with its file and line") {
    FakeHost host;
    add_torch(host, k_site, "2.0.0+cu117", "'11.7'")
        .file(k_site + "/torch/share/cmake/Torch/TorchConfig.cmake", torch_config("0", "17"));
    add_record(host, k_site, "torch", "2.0.0",
               "Requires-Dist: nvidia-cudnn-cu11 (==8.5.0.96) ; platform_system == \"Linux\"\n");
    const Expectation torch = only(host);
    CHECK(torch.framework == "PyTorch");
    CHECK(torch.how == Installation::wheel);
    CHECK(torch.python_because == "--python");
    CHECK(torch.version->text == "2.0.0+cu117");
    CHECK(torch.cuda->text == "11.7");
    CHECK(torch.cuda.origin.line == 6);
    CHECK(torch.cudnn->text == "8.5.0.96");
    CHECK(*torch.cxx_abi == 0);
    CHECK(*torch.cxx_standard == 17);
    CHECK(torch.cxx_standard.origin.line == 5);
    CHECK(*torch.vendor == Vendor::cuda);
    CHECK_FALSE(*torch.cpu_only);
    CHECK(torch.trouble.empty());
    CHECK_FALSE(torch.required);
    // The tables have the architectures of exactly this build.
    REQUIRE(torch.archs);
    CHECK(torch.archs.origin.certainty == Certainty::predicted);
}

TEST_CASE("a build without a row gets nothing from the tables") {
    FakeHost host;
    add_torch(host, k_site, "2.0.0+cu116", "'11.6'");
    const Expectation torch = only(host);
    CHECK(torch.cuda->text == "11.6");
    CHECK_FALSE(torch.archs);
    CHECK_FALSE(torch.cxx_abi);
}

TEST_CASE("ABI and architectures come from the libraries before the tables") {
    FakeHost host;
    add_torch(host, k_site, "2.11.0+cu130", "'13.0'");
    host.file(
        k_site + "/torch/lib/libc10.so",
        torch_elf_with(".dynstr", std::string("\0_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcEE\0", 47)));
    host.file(k_site + "/torch/lib/libtorch_python.so",
              torch_elf_with(".rodata", std::string("x\0sm_75 sm_90 compute_90\0", 25)));
    const Expectation torch = only(host);
    CHECK(*torch.cxx_abi == 1);
    CHECK(torch.cxx_abi.origin.certainty == Certainty::read);
    REQUIRE(torch.archs);
    REQUIRE(torch.archs->size() == 2);
    CHECK((*torch.archs)[1].ptx);
    CHECK(torch.archs.origin.kind == OriginKind::library);
}

TEST_CASE("forms of version.py: old, annotated, ROCm, XPU, CPU") {
    CHECK(
        torch_version_file("__version__ = '1.6.0'\ndebug = False\ncuda = '10.2'\nhip = None\n").cuda->text ==
        "10.2");
    CHECK(*torch_version_file(version_py("2.8.0+cpu", "None")).vendor == Vendor::cpu);
    CHECK(*torch_version_file(version_py("2.8.0+cpu", "None")).cpu_only);
    const auto rocm = torch_version_file(
        "__version__ = '2.0.0+rocm5.4.2'\ncuda: Optional[str] = None\nhip: Optional[str] = '5.4.22803'\n");
    CHECK(*rocm.vendor == Vendor::rocm);
    CHECK_FALSE(*rocm.cpu_only);
    CHECK_FALSE(rocm.cuda);
    CHECK(*torch_version_file("__version__ = '2.8.0+xpu'\ncuda = None\nhip = None\nxpu = '20250101'\n")
               .vendor == Vendor::xpu);
    const auto bare = torch_version_file("__version__ = '0.4.1'\n");
    CHECK(bare.trouble.empty());
    CHECK_FALSE(bare.vendor);
    CHECK_FALSE(bare.cuda);
}

TEST_CASE("an absurd version.py is reported and ignored") {
    for (const char* text :
         {"", "__version__ = 5\ncuda = '11.7'\n", "__version__ = 'latest'\ncuda = '11.7'\n",
          "__version__ = '2.0.0'\ncuda = 11.7\n", "__version__ = '2.0.0'\ncuda = 'eleven'\n",
          "__version__ = '2.0.0'\ncuda = '9999.1'\n", "__version__ = '2.0.0'\ncuda = '11'\n",
          "__version__ = '2.0.0'\ncuda = '-11.7'\n", "__version__ = '2.0.0'\ncuda = get()\n",
          "__version__ = '2.0.0'\ncuda = '11.7'\nhip = '5.4'\n",
          "__version__ = '2.0.0+cu118'\ncuda = '11.7'\n", "<html>404</html>\n", "cuda = '11.7'\n"}) {
        CAPTURE(text);
        const auto torch = torch_version_file(text);
        CHECK_FALSE(torch.trouble.empty());
        CHECK_FALSE(torch.version);
        CHECK_FALSE(torch.cuda);
        CHECK_FALSE(torch.vendor);
        CHECK_FALSE(torch.cpu_only);
    }
}

TEST_CASE("a METADATA of another version, of a CPU build, or for the other system gives no pins") {
    const std::string pins = "Requires-Dist: nvidia-cudnn-cu11==8.5.0.96; platform_system == \"Linux\"\n";
    FakeHost stale;
    add_record(add_torch(stale, k_site, "2.9.1+cu999", "'12.0'"), k_site, "torch", "1.9.0", pins);
    CHECK_FALSE(only(stale).cudnn);
    FakeHost cpu;
    add_record(add_torch(cpu, k_site, "2.0.0+cpu", "None"), k_site, "torch", "2.0.0", pins);
    CHECK_FALSE(only(cpu).cudnn);
    FakeHost windows(System::windows);
    add_record(add_torch(windows, "C:/s/site-packages", "2.0.0+cu118", "'11.8'"), "C:/s/site-packages",
               "torch", "2.0.0", pins);
    windows.file("C:/s/site-packages/torch/share/cmake/Torch/TorchConfig.cmake", torch_config("0", "17"));
    const auto torch = only(windows, "C:/s/site-packages");
    CHECK_FALSE(torch.cudnn);
    CHECK_FALSE(torch.cxx_abi);  // no libstdc++ there
    CHECK(*torch.cxx_standard == 17);
}

TEST_CASE("pins are used if version.py does not name CUDA") {
    FakeHost host;
    host.file(k_site + "/torch/version.py", "__version__ = '3.0.0'\n");
    add_record(host, k_site, "torch", "3.0.0",
               "Requires-Dist: cuda-toolkit[cudart]==13.0.2; platform_system == \"Linux\"\nRequires-Dist: "
               "nvidia-cudnn-cu13==9.19.0.56\n");
    CHECK(only(host).cuda->text == "13.0");
    CHECK(only(host).cudnn->text == "9.19.0.56");
}

TEST_CASE("conda's record gives cuDNN from the build string or the lower bound") {
    const std::string site = "/c/lib/python3.11/site-packages";
    FakeHost host;
    add_torch(host, site, "2.3.0", "'12.1'")
        .program("/c/bin/python3.11", "")
        .link("/c/bin/python3", "python3.11");
    host.file(
        "/c/conda-meta/pytorch-2.3.0-py3.11_cuda12.1_cudnn8.9.2_0.json",
        R"({"name": "pytorch", "version": "2.3.0", "build": "py3.11_cuda12.1_cudnn8.9.2_0", "depends": ["pytorch-cuda 12.1.*"]})");
    host.env("CONDA_PREFIX", "/c");
    auto scenario = look(host);
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].how == Installation::conda);
    CHECK(scenario.expectations[0].cudnn->text == "8.9.2");
    CHECK(scenario.expectations[0].python_because == "CONDA_PREFIX");
    host.file(
        "/c/conda-meta/pytorch-2.3.0-py3.11_cuda12.1_cudnn8.9.2_0.json",
        R"({"name": "pytorch", "version": "2.3.0", "build": "cuda121_py311h1_0", "depends": ["cuda-version >=12.1,<13", "cudnn >=9.3.0.75,<10.0a0"]})");
    CHECK(look(host).expectations[0].cudnn->text == "9.3.0.75");
}

TEST_CASE("conda's libtorch without Python is found in the environment's folder") {
    FakeHost host;
    host.program("/c/bin/python3.11", "")
        .link("/c/bin/python3", "python3.11")
        .folder("/c/lib/python3.11/site-packages")
        .env("CONDA_PREFIX", "/c");
    host.file("/c/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17"));
    host.file(
        "/c/conda-meta/libtorch-2.5.1-cuda126_h1_0.json",
        R"({"name": "libtorch", "version": "2.5.1", "build": "cuda126_h1_0", "depends": ["cuda-version >=12.6,<13"]})");
    const auto scenario = look(host);
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].how == Installation::conda);
    CHECK(scenario.expectations[0].version->text == "2.5.1");
    CHECK(scenario.expectations[0].cuda->release() == "12.6");
    CHECK(*scenario.expectations[0].cxx_abi == 1);
}

TEST_CASE("a libtorch archive is read from build-version and its library names") {
    FakeHost host;
    host.file("/lt/build-version", "2.0.0+cu117\n")
        .file("/lt/share/cmake/Torch/TorchConfig.cmake", torch_config("0", "14"));
    const auto torch = only(host, "/lt");
    CHECK(torch.how == Installation::libtorch);
    CHECK(torch.cuda->text == "11.7");
    CHECK(*torch.cxx_standard == 14);
    FakeHost bare;
    bare.file("/lt/share/cmake/Torch/TorchConfig.cmake", torch_config("", "17"))
        .file("/lt/lib/libtorch_cuda.so")
        .file("/lt/lib/libcudart-d0da41ae.so.11.0");
    CHECK(*only(bare, "/lt").vendor == Vendor::cuda);
    CHECK(only(bare, "/lt").cuda->text == "11");
    FakeHost cpu;
    cpu.file("/lt/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17"))
        .file("/lt/lib/libtorch_cpu.so");
    CHECK(*only(cpu, "/lt").cpu_only);
    FakeHost bad;
    bad.file("/lt/build-version", "soon")
        .file("/lt/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17"));
    CHECK(only(bad, "/lt").trouble == "/lt/build-version contains no version");
}

TEST_CASE("CMake's variables point to libtorch; a call from CMake prefers them to Python") {
    FakeHost host;
    host.program("/usr/bin/python3.11", "").link("/usr/bin/python3", "python3.11").env("PATH", "/usr/bin");
    add_torch(host, "/usr/local/lib/python3.11/dist-packages", "2.5.1+cu124", "'12.4'");
    host.file("/lt/build-version", "2.0.0+cu117")
        .file("/lt/share/cmake/Torch/TorchConfig.cmake", torch_config("0", "17"))
        .env("CMAKE_PREFIX_PATH", "/x:/lt/share/cmake");
    CHECK(look(host).expectations[0].cuda->text == "12.4");
    Request request;
    request.from_cmake = true;
    const auto torch = look(host, request).expectations[0];
    CHECK(torch.cuda->text == "11.7");
    CHECK(torch.python_because == "CMAKE_PREFIX_PATH");
}

TEST_CASE("bundled assemblers are listed with the version in their text") {
    const std::string banner = std::string(1, '\0') + "Cuda compilation tools, release 12.8, V12.8.93" + '\0';
    FakeHost host;
    add_torch(host, k_site, "2.11.0+cu130", "'13.0'")
        .file(k_site + "/torch/bin/ptxas", torch_elf_with(".rodata", banner));
    host.file(k_site + "/triton/backends/nvidia/bin/ptxas", "no banner")
        .file(k_site + "/triton/backends/nvidia/bin/ptxas-blackwell", banner);
    const auto torch = only(host);
    REQUIRE(torch.tools.size() == 3);
    CHECK(torch.tools[0].used_for == "torch.compile");
    CHECK(torch.tools[0].version->text == "12.8.93");
    CHECK_FALSE(torch.tools[1].version);
    CHECK(torch.tools[2].tool == "ptxas-blackwell");
    CHECK(torch.tools[2].version->text == "12.8.93");
}

TEST_CASE("a folder that happens to be called torch is not PyTorch") {
    FakeHost host;
    host.file(k_site + "/torch/readme.txt");
    CHECK(look(host, python(k_site)).expectations.empty());
}
