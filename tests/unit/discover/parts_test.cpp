// Each part's version comes from the part itself; only for parts without one is the package's record used.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {
FakeHost world(const std::string& root = "/opt/cuda") {
    FakeHost host;
    toolkit(host, root, "13.0.88");
    host.env("CUDA_HOME", root);
    return host;
}
Toolkit only(const FakeHost& host) {
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() >= 1);
    return scenario.toolkits[0];
}
}  // namespace

TEST_CASE("programs are run, cicc is read, libraries have a version in their name, headers in a macro") {
    FakeHost host = world();
    host.file("/opt/cuda/nvvm/bin/cicc", "\177ELF" + std::string(5000, 'x') + banner("13.5.37"));
    host.file("/opt/cuda/lib64/libcudnn.so.9.10.2")
        .link("/opt/cuda/lib64/libcudnn.so", "libcudnn.so.9.10.2")
        .file("/opt/cuda/include/cudnn.h", "#include \"cudnn_version.h\"\n")
        .file("/opt/cuda/include/cudnn_version.h",
              "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0\n#define "
              "CUDNN_VERSION (CUDNN_MAJOR)\n");
    host.file("/opt/cuda/lib64/libcublas.so.13")
        .file("/opt/cuda/include/cublas_api.h",
              "#define CUBLAS_VER_MAJOR 13\n#define CUBLAS_VER_MINOR 1\n#define CUBLAS_VER_PATCH 0\n#define "
              "CUBLAS_VER_BUILD 3\n");
    host.file("/opt/cuda/lib64/libnvrtc.so.13", banner("13.0.48"));
    const Toolkit found = only(host);
    for (const PartKind kind :
         {PartKind::nvcc, PartKind::ptxas, PartKind::cudafe, PartKind::nvlink, PartKind::fatbinary})
        CHECK(version_of(found, kind) == "13.0.88");
    CHECK(found.part(PartKind::ptxas)->version.origin.command == "/opt/cuda/bin/ptxas --version");
    CHECK(version_of(found, PartKind::cicc) == "13.5.37");
    CHECK(version_of(found, PartKind::runtime_headers) == "13.0");
    CHECK(version_of(found, PartKind::cudart) == "13.0.88");
    CHECK(version_of(found, PartKind::cudnn) == "9.10.2");
    CHECK(version_of(found, PartKind::cudnn_headers) == "9.19.0");
    CHECK(version_of(found, PartKind::cublas) == "13.1.0.3");
    CHECK(version_of(found, PartKind::nvrtc) == "13.0.48");
    CHECK(version_of(found, PartKind::crt_headers) == "");
    CHECK(version_of(found, PartKind::libdevice) == "");
}

TEST_CASE("cuDNN and NCCL are those of the compiler's and the linker's search") {
    FakeHost host = world();
    host.env("CPATH", "/mine/include").env("LIBRARY_PATH", "/mine/lib");
    host.file("/usr/include/cudnn.h",
              "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 5\n");
    host.file("/mine/include/nccl.h", "#define NCCL_MAJOR 2\n#define NCCL_MINOR 27\n#define NCCL_PATCH 3\n")
        .file("/usr/include/nccl.h", "#define NCCL_MAJOR 2\n#define NCCL_MINOR 9\n#define NCCL_PATCH 9\n");
    host.file("/mine/lib/libnccl.so.2.9.9").link("/mine/lib/libnccl.so", "libnccl.so.2.9.9");
    host.file("/usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3")
        .link("/usr/lib/x86_64-linux-gnu/libnccl.so", "libnccl.so.2.27.3");
    host.file("/usr/lib/x86_64-linux-gnu/libcudnn.so.9");
    const Toolkit found = only(host);
    CHECK(version_of(found, PartKind::cudnn_headers) == "7.6.5");
    CHECK(version_of(found, PartKind::nccl_headers) == "2.27.3");
    CHECK(version_of(found, PartKind::nccl) == "2.9.9");
    // Only a name for programs that run, without a release; the headers do not define it.
    CHECK(found.part(PartKind::cudnn)->path == "/usr/lib/x86_64-linux-gnu/libcudnn.so.9");
    CHECK(version_of(found, PartKind::cudnn) == "");
}

TEST_CASE("cudafe++ answers on stderr") {
    FakeHost host = world();
    host.program("/opt/cuda/bin/cudafe++", [](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        result.err = "cudafe: NVIDIA (R) Cuda Language Front End\n" + banner("13.0.88") + "\n";
        return result;
    });
    CHECK(version_of(only(host), PartKind::cudafe) == "13.0.88");
    CHECK(only(host).part(PartKind::cudafe)->trouble == "");
}

TEST_CASE("a wheel's record gives the version of headers if the file still matches the record") {
    const std::string site = "/venv/lib/python3.11/site-packages";
    FakeHost host = world(site + "/nvidia/cu13");
    host.file(site + "/nvidia/cu13/include/crt/host_config.h", "12345");
    const auto record = [&](const std::string& size) {
        host.file(site + "/nvidia_cuda_crt-13.5.37.dist-info/RECORD",
                  "nvidia/cu13/include/crt/func_macro.h,sha256=x,1\nnvidia/cu13/include/crt/"
                  "host_config.h,sha256=x," +
                      size + "\n");
        return only(host).part(PartKind::crt_headers)->version;
    };
    CHECK(record("5")->text == "13.5.37");
    CHECK(record("5").origin.path == site + "/nvidia_cuda_crt-13.5.37.dist-info/RECORD");
    CHECK_FALSE(record("6"));
    CHECK(record("6").origin.text.find("another size") != std::string::npos);
}

TEST_CASE("version.json gives the version of parts that have none and no record") {
    FakeHost host = world();
    host.file("/opt/cuda/version.json",
              "{\"cuda_nvcc\" : {\"name\" : \"CUDA NVCC\", \"version\" : \"13.0.88\"},"
              "\"libnvvm\" : {\"name\" : \"libnvvm\", \"version\" : \"13.0.85\"}}");
    CHECK(version_of(only(host), PartKind::crt_headers) == "13.0.88");
    CHECK(version_of(only(host), PartKind::libdevice) == "13.0.85");
    host.file("/opt/cuda/version.json", "{\"cuda_nvcc\" : {}, \"x\" : {\"version\" : \"1.0\"}}");
    CHECK(version_of(only(host), PartKind::crt_headers) == "");
}

TEST_CASE("crt headers are those next to cuda_runtime.h, and the profile's include folder comes first") {
    FakeHost host = world();
    host.file("/opt/cuda/targets/x86_64-linux/include/cuda_runtime_api.h", "#define CUDART_VERSION 12040\n");
    host.file("/usr/include/cuda_runtime_api.h", "#define CUDART_VERSION 11080\n")
        .file("/usr/include/crt/host_config.h");
    host.file("/opt/cuda/targets/x86_64-linux/include/crt/host_config.h");
    const Toolkit found = only(host);
    CHECK(version_of(found, PartKind::runtime_headers) == "12.4");
    CHECK(found.part(PartKind::crt_headers)->path ==
          "/opt/cuda/targets/x86_64-linux/include/crt/host_config.h");
}

TEST_CASE("a ptxas that the toolkit lacks comes from PATH, as for nvcc") {
    FakeHost host;
    toolkit(host, "/other", "12.4.131");
    for (const char* name : {"nvcc", "cudafe++"})
        program(host, std::string("/opt/cuda/bin/") + name, "13.0.88");
    host.file("/opt/cuda/bin/nvcc.profile", profile());
    host.env("CUDA_HOME", "/opt/cuda").env("PATH", "/other/bin");
    const Toolkit found = only(host);
    CHECK(found.root == "/opt/cuda");
    CHECK(found.part(PartKind::ptxas)->path == "/other/bin/ptxas");
    CHECK(version_of(found, PartKind::ptxas) == "12.4.131");
    CHECK(found.part(PartKind::cicc) == nullptr);  // CICC_PATH applies only to cicc
}

TEST_CASE("unusable parts have a reason") {
    FakeHost host = world();
    host.file("/opt/cuda/bin/nvlink", banner("13.0.88"));
    FakeHost broken = world("/opt/broken");
    broken.link("/opt/broken/nvvm/libdevice/libdevice.10.bc", "/nowhere");
    broken.link("/opt/broken/bin/fatbinary", "/opt/broken/bin/fatbinary");
    broken.unreadable("/opt/broken/bin/nvlink");
    const Toolkit found = only(broken);
    CHECK(found.part(PartKind::libdevice)->trouble == "is a dangling symlink");
    CHECK(found.part(PartKind::fatbinary)->trouble == "is a symlink loop");
    CHECK(found.part(PartKind::nvlink)->trouble == "cannot be read");
}

TEST_CASE("nothing is run in a foreign tree; every program's version is read from its text") {
    FakeHost host = world();
    host.foreign(true);
    for (const char* name : {"nvcc", "ptxas", "cudafe++", "nvlink", "fatbinary"})
        host.file(std::string("/opt/cuda/bin/") + name, "\177ELF" + banner("12.9.86"));
    script(host, "/usr/bin/nvcc", "#!/bin/bash\nif x; then y; fi\nexec nice /opt/cuda/bin/nvcc \"$@\"\n");
    host.file("/usr/bin/gcc").program("/usr/bin/gcc", "12.2.0").env("PATH", "/usr/bin");
    const Scenario scenario = look(host);
    REQUIRE(scenario.toolkits.size() == 1);
    CHECK(version_of(scenario.toolkits[0], PartKind::nvcc) == "12.9.86");
    CHECK(version_of(scenario.toolkits[0], PartKind::fatbinary) == "12.9.86");
    CHECK(selector(scenario, "PATH")->toolkit == "toolkit1");
    CHECK(host.commands_run.empty());
    CHECK_FALSE(scenario.project.host_compiler.version);
}

TEST_CASE("a toolkit with only runtime files is found without programs") {
    FakeHost host;
    host.file("/usr/local/cuda/lib64/libcudart.so.12.4.127")
        .link("/usr/local/cuda/lib64/libcudart.so.12", "libcudart.so.12.4.127");
    const Toolkit found = only(host);
    CHECK(found.part(PartKind::nvcc) == nullptr);
    CHECK(version_of(found, PartKind::cudart) == "12.4.127");
    CHECK(look(host).project.toolkit == "");
}
