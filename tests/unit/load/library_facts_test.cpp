// SPDX-License-Identifier: Apache-2.0
#include "load/library_facts.hpp"

#include <doctest/doctest.h>

#include "../formats/build_elf.hpp"
#include "host/fake_host.hpp"

namespace ptxguard {
namespace {

constexpr std::uint64_t k_base = 0x400000;

// A library that exports one symbol with this content, found through DT_HASH with a single chain.
std::string exporting(const std::string& symbol, const std::string& content, std::uint16_t machine = 62) {
    built::Elf elf;
    elf.machine = machine;
    elf.symbols = {{symbol, 1}};
    elf.sections = {{".text", content + std::string(16, '\x90')}};
    elf.build();
    const auto at = elf.at[".text"];
    built::Elf again;
    again.machine = machine;
    again.symbols = {{symbol, 1, 1, 0x12, 0, k_base + at}};
    again.sections = elf.sections;
    auto bytes = again.build();
    built::put(bytes, again.at["hash"] + 8, 1, 4);
    return bytes;
}

LoadedFile identified(const FakeHost& host, const std::string& path) {
    LoadedFile library;
    library.name = path.substr(path.rfind('/') + 1);
    library.taken = path;
    LibraryFacts(host, Facts::embedded()).identify(library);
    return library;
}

std::string version_of(const LoadedFile& library) { return library.version ? library.version->text : "-"; }

std::string of_bytes(const std::string& name, const std::string& symbol, const std::string& content) {
    FakeHost host;
    host.file("/lib/" + name, exporting(symbol, content));
    return version_of(identified(host, "/lib/" + name));
}

}  // namespace

TEST_CASE("a part of cuDNN has its version in an exported constant") {
    CHECK(of_bytes("libcudnn_graph.so.9", "cudnn_graph_version", std::string("\x02\x0a\x09\x00", 4)) ==
          "9.10.2");
    CHECK(of_bytes("libcudnn_ops_infer.so.8", "cudnn_ops_infer_version",
                   std::string("\x07\x09\x08\x00", 4)) == "8.9.7");
    CHECK(of_bytes("libcudnn_graph.so.9", "cudnn_graph_version", std::string("\x02\x0a\x07\x00", 4)) == "-");
    CHECK(of_bytes("libcudnn_graph.so.9", "cudnn_other_version", std::string("\x02\x0a\x09\x00", 4)) == "-");
}

TEST_CASE("a version function returns its constant") {
    // mov $120405, %eax; ret - movl $11703, (%rdi); xor %eax, %eax - movl $12, (%rdi); movl $8, (%rsi)
    CHECK(of_bytes("libcublasLt.so.12", "cublasLtGetVersion", std::string("\xb8\x55\xd6\x01\x00\xc3", 6)) ==
          "12.4.5");
    CHECK(of_bytes("libcusolver.so.11", "cusolverGetVersion",
                   std::string("\xc7\x07\xb7\x2d\x00\x00\x31\xc0", 8)) == "11.7.3");
    CHECK(of_bytes("libcublasLt.so.11", "cublasLtGetVersion", std::string("\xb8\x55\xd6\x01\x00\xc3", 6)) ==
          "-");
    CHECK(of_bytes("libcublasLt.so.12", "cublasLtGetVersion", std::string("\x31\xc0\xc3", 3)) == "-");
}

TEST_CASE("the runtime's version is in its code, which may end with it") {
    // movl $12080, (%rdi); xor %eax, %eax; ret
    const auto runtime = [](const std::string& code) {
        built::Elf elf;
        elf.sections = {{".text", code}};
        FakeHost host;
        host.file("/lib/libcudart.so.12", elf.build());
        return version_of(identified(host, "/lib/libcudart.so.12"));
    };
    const std::string code("\xc7\x07\x30\x2f\x00\x00\x31\xc0\xc3", 9);
    CHECK(runtime(code) == "12.8");
    CHECK(runtime("\x90\x90" + code + "\x90") == "12.8");
    CHECK(runtime(code.substr(0, 8)) == "-");
    CHECK(runtime(std::string("\xc7\x07\x31\x2f\x00\x00\x31\xc0\xc3", 9)) == "-");  // 12081: no release
    CHECK(runtime(std::string("\xc7\x07\x30\x2f\x00\x00\x31\xc0\x90", 9)) == "-");  // it does not return
    CHECK(runtime(std::string("\xc7\x07\xf8\x2a\x00\x00\x31\xc0\xc3", 9)) == "-");  // 11000 in .so.12
}

TEST_CASE("CUDA's release follows from the table") {
    FakeHost host;
    host.file("/lib/libcublasLt.so.12",
              exporting("cublasLtGetVersion", std::string("\xb8\x55\xd6\x01\x00\xc3", 6)));
    const auto library = identified(host, "/lib/libcublasLt.so.12");
    REQUIRE(library.cuda);
    CHECK(library.cuda->text == "12.4");
    CHECK(library.library == "cublasLt");
    CHECK(library.cuda_major == 12);
    CHECK(library.machine == "x86_64");
    CHECK(library.version.origin.text == "cublasLtGetVersion in /lib/libcublasLt.so.12");
}

TEST_CASE("the real file's name gives the version if the file does not") {
    FakeHost host;
    host.file("/lib/libcublas.so.12.8.4.1", exporting("x", "x"))
        .link("/lib/libcublas.so.12", "libcublas.so.12.8.4.1");
    CHECK(version_of(identified(host, "/lib/libcublas.so.12")) == "12.8.4.1");
    host.file("/lib/libcublas.so.11", exporting("x", "x"));
    CHECK(version_of(identified(host, "/lib/libcublas.so.11")) == "-");
}

TEST_CASE("a number in the real file's name is a version if it is whole") {
    const auto named = [](const std::string& asked, const std::string& real) {
        FakeHost host;
        host.file("/lib/" + real, exporting("x", "x")).link("/lib/" + asked, real);
        return version_of(identified(host, "/lib/" + asked));
    };
    CHECK(named("libcublas.so.12", "libcublas.so.12.8.4") == "12.8.4");
    CHECK(named("libcublas.so.12", "libcublas.so.12.8") == "-");
    CHECK(named("libnvrtc-builtins.so", "libnvrtc-builtins.so.12.8") == "12.8");
    CHECK(named("libnvrtc-builtins.so", "libnvrtc-builtins.so.12") == "-");
}

TEST_CASE("the package of a wheel gives the version of a file that it lists") {
    FakeHost host;
    const std::string site = "/site/nvidia_cublas_cu12-12.8.4.1.dist-info/", bytes = exporting("x", "x");
    host.file("/site/nvidia/cublas/lib/libcublas.so.12", bytes)
        .file("/site/nvidia/cublas/lib/libcublasLt.so.12", bytes)
        .file("/site/nvidia/cublas/lib/libnvblas.so.12", bytes)
        .file(site + "RECORD", "nvidia/cublas/lib/libcublas.so.12,sha256=x," + std::to_string(bytes.size()) +
                                   "\nnvidia/cublas/lib/libcublasLt.so.12,sha256=x,1\nother/nvidia/cublas/"
                                   "lib/libnvblas.so.12,,\n")
        .file(site + "METADATA", "Metadata-Version: 2.1\nName: nvidia-cublas-cu12\nVersion: 12.8.4.1\n\n");
    const auto library = identified(host, "/site/nvidia/cublas/lib/libcublas.so.12");
    CHECK(version_of(library) == "12.8.4.1");
    CHECK(library.version.origin.text.find("package nvidia-cublas-cu12 12.8.4.1") == 0);
    CHECK(version_of(identified(host, "/site/nvidia/cublas/lib/libnvblas.so.12")) == "-");
    // Of another size: another file has replaced it.
    CHECK(version_of(identified(host, "/site/nvidia/cublas/lib/libcublasLt.so.12")) == "-");
}

TEST_CASE("a toolkit made of wheels keeps their records, and a file of the recorded size is theirs") {
    const std::string bytes = exporting("x", "x"), record = "nvidia/cu13/lib/libcublas.so.13,sha256=x,";
    const std::string info = "/cuda/dist-info/nvidia_cublas-13.1.0.3.dist-info/";
    const auto found = [&](const std::string& size) {
        FakeHost host;
        host.file("/cuda/lib/libcublas.so.13", bytes)
            .file(info + "RECORD", record + size + "\r\n")
            .file(info + "METADATA", "Metadata-Version: 2.1\nName: nvidia-cublas\nVersion: 13.1.0.3\n\n");
        return version_of(identified(host, "/cuda/lib/libcublas.so.13"));
    };
    CHECK(found(std::to_string(bytes.size())) == "13.1.0.3");
    CHECK(found(std::to_string(bytes.size() + 1)) == "-");
}

TEST_CASE("packages of conda and Debian give versions, too") {
    FakeHost host;
    host.file("/env/lib/libcublas.so.12", exporting("x", "x"))
        .file("/env/conda-meta/libcublas-12.9.1.4-h1_0.json",
              R"({"name": "libcublas", "version": "12.9.1.4", "files": ["lib/libcublas.so.12"]})")
        .file("/usr/lib/libcudnn.so.9", exporting("x", "x"))
        .file("/var/lib/dpkg/info/libcudnn9-cuda-12.list", "/.\n/usr/lib\n/usr/lib/libcudnn.so.9\n")
        .file("/var/lib/dpkg/status",
              "Package: a\nVersion: 1\n\nPackage: libcudnn9-cuda-12\nStatus: install ok installed\nVersion: "
              "9.10.2.21-1\n\n");
    CHECK(version_of(identified(host, "/env/lib/libcublas.so.12")) == "12.9.1.4");
    CHECK(version_of(identified(host, "/usr/lib/libcudnn.so.9")) == "9.10.2.21");
}

TEST_CASE("a stub is recognized by its content, whatever its folder is called") {
    built::Elf stub;
    for (int i = 0; i < 20; ++i) stub.symbols.push_back({"cuFunction" + std::to_string(i), 1});
    stub.sections = {{".text", std::string(20 * 16, '\xc3')}};
    auto real = stub;
    real.sections = {{".text", std::string(20 * 300, '\xc3')}};
    FakeHost host;
    host.file("/lib/libcuda.so.1", stub.build()).file("/toolkit/stubs/libcuda.so.1", real.build());
    CHECK(identified(host, "/lib/libcuda.so.1").stub);
    CHECK_FALSE(identified(host, "/toolkit/stubs/libcuda.so.1").stub);
}

TEST_CASE("a missing library has only its name, a broken file has no version") {
    FakeHost host;
    host.file("/lib/libcublas.so.12", "no library");
    LoadedFile missing;
    missing.name = "libcublasLt.so.12";
    LibraryFacts(host, Facts::embedded()).identify(missing);
    CHECK(missing.library == "cublasLt");
    CHECK(missing.cuda_major == 12);
    CHECK(version_of(identified(host, "/lib/libcublas.so.12")) == "-");
    CHECK(identified(host, "/lib/libc.so.6").library.empty());
}

}  // namespace ptxguard
