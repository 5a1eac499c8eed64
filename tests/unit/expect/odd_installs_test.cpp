// Debian's packages, archives without Python, builds that pip isolates.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

const std::string k_dist = "/usr/lib/python3/dist-packages", k_lib = "/usr/lib/x86_64-linux-gnu";

std::string elf_with(const std::string& section, const std::string& bytes) {
    built::Elf elf;
    elf.dynamic = false;
    elf.sections = {{".text", "code"}, {section, bytes}};
    return elf.build();
}

std::string needing(const std::string& library) {
    built::Elf elf;
    elf.needed = {library};
    return elf.build();
}

FakeHost& add_debian_cmake(FakeHost& host, const std::string& cuda) {
    return host.file(k_lib + "/cmake/Torch/TorchConfig.cmake", torch_config("1", "14"))
        .file(k_lib + "/cmake/Torch/TorchConfigVersion.cmake", "set(PACKAGE_VERSION \"1.13.0\")\n")
        .file(k_lib + "/cmake/Caffe2/Caffe2Config.cmake",
              "if(OFF)\n  set(CAFFE2_USE_CUDA " + cuda + ")\nendif()\n");
}

FakeHost& add_libtensorflow(FakeHost& host, const std::string& root, const std::string& section) {
    return host.file(root + "/include/tensorflow/c/c_api.h")
        .file(root + "/lib/libtensorflow.so.2.15.0", elf_with(section, "x"))
        .file(root + "/lib/libtensorflow.so.2", elf_with(section, "x"));
}

}  // namespace

TEST_CASE("Debian's python3-torch: the release comes from dpkg, the C++ ABI from libtorch-dev") {
    FakeHost host;
    host.program("/usr/bin/python3", "").env("PATH", "/usr/bin").file("/usr/lib/python3.11/os.py");
    host.file(k_dist + "/torch/__init__.py")
        .file(k_dist + "/torch/version.py", "__version__ = '1.13.0a0'\ncuda = None\nhip = None\n");
    host.file(k_lib + "/libc10.so.1.13.0", "x");
    host.link(k_dist + "/torch/lib/libc10.so", k_lib + "/libc10.so.1.13.0");
    host.file(k_dist + "/torch-1.13.0a0+gitunknown.egg-info/PKG-INFO",
              "Metadata-Version: 2.1\nName: torch\nVersion: 1.13.0a0+gitunknown\n\n");
    add_debian_cmake(host, "OFF");
    host.file("/var/lib/dpkg/status",
              "Package: python3-torch\nStatus: install ok installed\nVersion: 1.13.1+dfsg-4\n\n"
              "Package: other\nStatus: install ok installed\nVersion: 1.0\n");
    const Expectation torch = only(host, Request{});
    CHECK(torch.how == Installation::system);
    CHECK(torch.version->text == "1.13.1");
    CHECK(torch.version.origin.text == "dpkg: python3-torch 1.13.1+dfsg-4");
    CHECK(torch.version.origin.line == 3);
    REQUIRE(torch.disagreements.size() == 1);
    CHECK(torch.disagreements[0].other == "1.13.0a0");
    CHECK(*torch.cpu_only);
    CHECK(*torch.cxx_abi == 1);
    CHECK(*torch.cxx_standard == 14);
}

TEST_CASE("Debian's libtorch-dev without Python, and by Torch_DIR") {
    FakeHost host;
    add_debian_cmake(host, "OFF").file(k_lib + "/libtorch_cpu.so");
    const Expectation torch = only(host, Request{});
    CHECK(torch.how == Installation::system);
    CHECK(torch.path == "/usr");
    CHECK(torch.version->text == "1.13.0");
    CHECK(*torch.vendor == Vendor::cpu);
    CHECK(torch.python_because == "CMake's own search");
    host.env("Torch_DIR", k_lib + "/cmake/Torch");
    CHECK(only(host, Request{}).python_because == "Torch_DIR");
    CHECK(only(host, Request{}).path == "/usr");
}

TEST_CASE("an installed libtorch without build-version is read from CMake's files and the libraries") {
    FakeHost host;
    host.file("/opt/t/lib/cmake/Torch/TorchConfig.cmake", torch_config("", "17"))
        .file("/opt/t/lib/cmake/Torch/TorchConfigVersion.cmake", "set(PACKAGE_VERSION \"2.6.0\")\n")
        .file("/opt/t/lib/cmake/Caffe2/Caffe2Config.cmake", "if(ON)\nset(CAFFE2_USE_CUDA ON)\nendif()\n")
        .file("/opt/t/lib/libc10_cuda.so", needing("libcudart.so.12"));
    host.env("CMAKE_PREFIX_PATH", "/opt/t");
    const Expectation torch = only(host, Request{});
    CHECK(torch.how == Installation::libtorch);
    CHECK(torch.version->text == "2.6.0");
    CHECK(*torch.vendor == Vendor::cuda);
    CHECK(torch.cuda->numbers == std::vector<int>{12});
    CHECK(*torch.cxx_standard == 17);
    // A folder that is only below such a root does not count.
    FakeHost below;
    below.file("/opt/t/lib/cmake/Torch/TorchConfig.cmake", torch_config("", "17"));
    below.folder("/opt/t/share/x").env("CMAKE_PREFIX_PATH", "/opt/t/share/x");
    CHECK(look(below).expectations.empty());
}

TEST_CASE("conda's libtorch for Windows is in Library, and is found through PATH, as by CMake") {
    const auto environment = [] {
        FakeHost host(System::windows);
        host.file("C:/env/Library/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17"))
            .file("C:/env/Library/share/cmake/Torch/TorchConfigVersion.cmake",
                  "set(PACKAGE_VERSION \"2.6.0\")\n");
        host.file("C:/env/Library/bin/torch_cpu.dll").file("C:/env/Library/bin/torch_cuda.dll");
        host.file("C:/env/conda-meta/libtorch-2.6.0-cuda126_mkl_hd2c6a4e_300.json",
                  R"({"name": "libtorch", "version": "2.6.0", "build": "cuda126_mkl_hd2c6a4e_300",
                      "depends": ["cuda-version >=12.6,<13", "cudnn >=9.3.0.75,<10.0a0"]})");
        return host;
    };
    FakeHost on_path = environment(), active = environment(), by_cmake = environment();
    on_path.env("PATH", "C:\\Windows\\System32;C:\\env\\Library\\bin");
    active.env("CONDA_PREFIX", "C:\\env");
    by_cmake.env("CMAKE_PREFIX_PATH", "C:/env/Library");
    for (const FakeHost& host : {on_path, active, by_cmake}) {
        const Expectation torch = only(host, Request{});
        CHECK(torch.how == Installation::conda);
        CHECK(torch.path == "C:/env/Library");
        CHECK(torch.version->text == "2.6.0");
        CHECK(*torch.vendor == Vendor::cuda);
        CHECK(torch.cuda->text == "12.6");
        CHECK(torch.cudnn->major() == 9);
    }
    FakeHost elsewhere = environment();
    elsewhere.env("PATH", "C:\\env\\Library\\other");
    CHECK(look(elsewhere).expectations.empty());
}

TEST_CASE("an active conda environment's libtorch on Linux; system prefixes from PATH come last") {
    FakeHost host;
    host.file("/env/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17"))
        .file("/env/lib/libtorch_cuda.so");
    host.file("/env/conda-meta/libtorch-2.5.1-cuda120_h1_303.json",
              R"({"name": "libtorch", "version": "2.5.1", "build": "cuda120_h1_303", "depends": []})");
    host.env("PATH", "/usr/bin:/env/bin");
    CHECK(only(host, Request{}).how == Installation::conda);
    CHECK(only(host, Request{}).version->text == "2.5.1");
    FakeHost system;
    system.file("/usr/share/cmake/Torch/TorchConfig.cmake", torch_config("1", "17")).env("PATH", "/usr/bin");
    CHECK(look(system).expectations.at(0).python_because == "CMake's own search");
}

TEST_CASE("TensorFlow's C package: the release is in its library's name, device code implies a CUDA build") {
    FakeHost host;
    add_libtensorflow(host, "/opt/tf", ".nv_fatbin").env("CMAKE_PREFIX_PATH", "/opt/tf");
    const Expectation built = only(host, Request{});
    CHECK(built.framework == "TensorFlow");
    CHECK(built.how == Installation::libtensorflow);
    CHECK(built.version->text == "2.15.0");
    CHECK(*built.vendor == Vendor::cuda);
    CHECK_FALSE(built.cuda);  // a custom build
    host.file("/opt/tf/THIRD_PARTY_TF_C_LICENSES");
    const Expectation published = only(host, Request{});
    CHECK(published.cuda->text == "12.2");
    CHECK(published.cuda.origin.certainty == Certainty::predicted);

    FakeHost cpu;
    add_libtensorflow(cpu, "/opt/tf", ".rodata").file("/opt/tf/THIRD_PARTY_TF_C_LICENSES");
    cpu.env("TensorFlow_ROOT", "/opt/tf");
    CHECK(*only(cpu, Request{}).cpu_only);
    CHECK_FALSE(only(cpu, Request{}).cuda);
}

TEST_CASE("TensorFlow's C package with a truncated library, and one from conda") {
    FakeHost host;
    host.file("/opt/tf/include/tensorflow/c/c_api.h").file("/opt/tf/lib/libtensorflow.so.2", "\177ELF");
    CHECK_FALSE(only(host, python("/opt/tf")).vendor);
    CHECK_FALSE(only(host, python("/opt/tf")).version);
    FakeHost conda;
    add_libtensorflow(conda, "/env", ".nv_fatbin")
        .file("/env/conda-meta/libtensorflow-2.15.0-cuda120h1_0.json",
              R"({"name": "libtensorflow", "version": "2.15.0", "build": "cuda120h1_0", "depends": []})");
    CHECK(only(conda, python("/env")).how == Installation::conda);
    CHECK(only(conda, python("/env")).cuda->text == "12.0");
    FakeHost header;
    header.file("/opt/tf/include/tensorflow/c/c_api.h");
    CHECK(look(header, python("/opt/tf")).expectations.empty());
}

TEST_CASE("an isolated build sees its own packages and no others") {
    FakeHost host;
    host.file("/env/bin/python3").file("/env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    host.env("VIRTUAL_ENV", "/env").env("PYTHONPATH", "/tmp/pip-build-env-x/site");
    add_torch(host, "/env/lib/python3.11/site-packages", "2.5.1+cu121", "'12.1'");
    CHECK(only(host, Request{}).cuda->text == "12.1");  // PYTHONPATH points nowhere
    host.file("/tmp/pip-build-env-x/site/sitecustomize.py");
    CHECK(look(host).expectations.empty());
    const std::string overlay = "/tmp/pip-build-env-x/overlay/lib/python3.11/site-packages";
    host.folder(overlay);
    CHECK(look(host).expectations.empty());
    add_torch(host, overlay, "2.8.0+cu128", "'12.8'");
    const Expectation torch = only(host, Request{});
    CHECK(torch.cuda->text == "12.8");
    CHECK(torch.python_because.find("isolated build") != std::string::npos);

    FakeHost debian;
    debian.program("/usr/bin/python3", "").env("PATH", "/usr/bin").env("PYTHONPATH", "/tmp/b/site");
    debian.file("/tmp/b/site/sitecustomize.py");
    add_torch(debian, "/tmp/b/overlay/local/lib/python3.11/dist-packages", "2.8.0+cu128", "'12.8'");
    CHECK(only(debian, Request{}).cuda->text == "12.8");
}
