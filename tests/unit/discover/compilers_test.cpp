// Producers and consumers of PTX: each tool once, whatever its names.
// SPDX-License-Identifier: Apache-2.0
#include "discover/compilers.hpp"
#include "formats/version_text.hpp"

#include <doctest/doctest.h>

#include "worlds.hpp"

using namespace worlds;

namespace {

void tool(FakeHost& host, const std::string& path, const std::string& text) {
    host.file(path, text).program(path, "");
}

Matrix found(const FakeHost& host, const CompilerSearch& search = {}, const Request& request = {}) {
    Scenario scenario;
    Matrix matrix;
    find_python(host, request, scenario);
    discover_compilers(host, request, search, scenario, matrix);
    return matrix;
}

std::string long_text(char c) { return std::string(200000, c); }

}  // namespace

TEST_CASE("files are recognized by their names") {
    CHECK(tool_file("/x/ptxas") == ToolFile::ptxas);
    CHECK(tool_file("C:/x/PTXAS.EXE") == ToolFile::ptxas);
    CHECK(tool_file("/x/ptxas-blackwell") == ToolFile::ptxas);
    CHECK(tool_file("/x/ptxas.ptx") == ToolFile::none);
    CHECK(tool_file("/x/libnvrtc.so.12") == ToolFile::nvrtc);
    CHECK(tool_file("/x/libnvrtc-5e8a26c9.so.10.1") == ToolFile::nvrtc);
    CHECK(tool_file("/x/libnvrtc-builtins.so.12.8") == ToolFile::none);
    CHECK(tool_file("/x/libnvrtc.sox") == ToolFile::none);
    CHECK(tool_file("nvrtc64_130_0.dll") == ToolFile::nvrtc);
    CHECK(tool_file("/x/libnvJitLink.so.13") == ToolFile::nvjitlink);
    CHECK(tool_file("nvJitLink_130_0.dll") == ToolFile::nvjitlink);
    CHECK(tool_file("/x/libnvvm.so.4") == ToolFile::libnvvm);
    CHECK(tool_file("/x/libnvidia-ptxjitcompiler.so.535.261.03") == ToolFile::driver_jit);
    CHECK(tool_file("/x/bin/nvcc") == ToolFile::nvcc);
    CHECK(tool_file("/x/clang-14") == ToolFile::clang);
    CHECK(tool_file("/x/libtorch_cuda.so") == ToolFile::none);
    CHECK(tool_file("/x/kernel.ptx") == ToolFile::none);
}

TEST_CASE("the same ptxas under five names is one consumer") {
    FakeHost host;
    tool(host, "/a/ptxas", long_text('x'));
    tool(host, "/b/ptxas", long_text('x'));  // a copy
    host.link("/c/ptxas", "/a/ptxas").link("/d", "/b").link("/e/ptxas", "/d/ptxas");
    host.env("PATH", "/a:/b:/c:/d:/e");
    const Matrix matrix = found(host);
    REQUIRE(matrix.consumers.size() == 1);
    CHECK(matrix.consumers[0].path == "/a/ptxas");
    CHECK(matrix.consumers[0].names ==
          std::vector<std::string>{"/b/ptxas", "/c/ptxas", "/d/ptxas", "/e/ptxas"});
}

TEST_CASE("different files of one size are two consumers, and so are equal scripts in two places") {
    FakeHost host;
    std::string other = long_text('x');
    other[100000] = 'y';
    tool(host, "/a/ptxas", long_text('x'));
    tool(host, "/b/ptxas", other);
    tool(host, "/c/ptxas", "#!/bin/sh\nexec $(dirname $0)/ptxas.real\n");
    tool(host, "/d/ptxas", "#!/bin/sh\nexec $(dirname $0)/ptxas.real\n");
    host.env("PATH", "/a:/b:/c:/d");
    CHECK(found(host).consumers.size() == 4);
}

TEST_CASE("two hundred on PATH are all listed") {
    FakeHost host;
    std::string path;
    for (int i = 0; i < 200; ++i) {
        const std::string folder = "/p" + std::to_string(i);
        tool(host, folder + "/ptxas", "ptxas " + std::to_string(i));
        path += (i ? ":" : "") + folder;
    }
    host.env("PATH", path);
    CHECK(found(host).consumers.size() == 200);
}

TEST_CASE("packages ship their own: NVIDIA's wheels, Triton, torch") {
    FakeHost host;
    const std::string site = "/venv/lib/python3.11/site-packages";
    tool(host, site + "/nvidia/cuda_nvcc/bin/ptxas", "12.8");
    host.file(site + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvrtc");
    host.file(site + "/nvidia/nvjitlink/lib/libnvJitLink.so.12", "link");
    host.file(site + "/nvidia_nvjitlink_cu12-12.8.93.dist-info/RECORD",
              "nvidia/nvjitlink/lib/libnvJitLink.so.12,sha256=x,4\n");
    tool(host, site + "/triton/backends/nvidia/bin/ptxas", "t1");
    tool(host, site + "/triton/backends/nvidia/bin/ptxas-blackwell", "t22");
    host.file(site + "/triton-3.6.0.dist-info/METADATA", "");
    tool(host, site + "/torch/bin/ptxas", "tor");
    host.env("VIRTUAL_ENV", "/venv");
    const Matrix matrix = found(host);
    CHECK(matrix.consumers.size() == 5);
    REQUIRE(matrix.producers.size() == 3);
    CHECK(matrix.producers[0].kind == ProducerKind::nvrtc);
    CHECK(matrix.producers[1].kind == ProducerKind::triton);
    CHECK(matrix.producers[2].path == matrix.producers[0].path);  // once more with -dlto, for nvJitLink
    CHECK(matrix.producers[2].code == EntryKind::ltoir);
    CHECK(matrix.producers[1].version->text == "3.6.0");
    CHECK(matrix.producers[1].tools.size() == 2);
    for (const Consumer& consumer : matrix.consumers) {
        if (consumer.kind == ConsumerKind::nvjitlink) CHECK(consumer.version->text == "12.8.93");
        if (file_name(consumer.path) == "ptxas-blackwell")
            CHECK(consumer.used_for == "Triton, compute capability 10.0 and above");
    }
    tool(host, "/opt/ptxas", "chosen");
    host.env("TRITON_PTXAS_PATH", "/opt/ptxas");
    const Matrix chosen = found(host);
    CHECK(chosen.consumers.size() == 6);
    CHECK(chosen.producers[1].tools[0].path == "/opt/ptxas");
    CHECK(file_name(chosen.producers[1].tools[1].path) == "ptxas-blackwell");
    host.env("TRITON_PTXAS_PATH", "/gone/ptxas");
    CHECK(file_name(parent_path(found(host).producers[1].tools[0].path)) == "bin");
    host.env("TRITON_PTXAS_PATH", "");
    CompilerSearch only;
    only.only_named = only.only_named_drivers = true;
    CHECK(found(host, only).consumers.empty());
    Request python;
    python.python = "/venv";
    CHECK(found(host, only, python).consumers.size() == 5);
}

TEST_CASE("a named tool that is missing is reported, an unusable one keeps its column") {
    FakeHost host;
    host.link("/x/ptxas", "/gone");
    host.file("/y/ptxas", "text");
    CompilerSearch search;
    search.tools = {"/x/ptxas", "/y/ptxas", "/z/ptxas"};
    Scenario scenario;
    Matrix matrix;
    discover_compilers(host, {}, search, scenario, matrix);
    REQUIRE(matrix.consumers.size() == 2);
    CHECK(matrix.consumers[0].trouble == "is a dangling symlink");
    CHECK(matrix.consumers[1].trouble == "is not executable");
    REQUIRE(scenario.unreadable.size() == 1);
    CHECK(scenario.unreadable[0].subject == "/z/ptxas");
    CHECK(scenario.unreadable[0].named_by_user);
}

TEST_CASE("drivers are consumers: by library or version, but not a stub") {
    FakeHost host;
    host.file("/usr/lib/libnvidia-ptxjitcompiler.so.1", "jit");
    Driver with_library;
    with_library.version = {*parse_version("535.261.03"), {}};
    JitLibrary library;
    library.path = library.real_path = "/usr/lib/libnvidia-ptxjitcompiler.so.1";
    with_library.jit = {library};
    Driver number;
    number.declared = true;
    number.version = {*parse_version("580"), {}};
    Driver stub;
    stub.stub = true;
    stub.version = {*parse_version("13.0"), {}};
    Scenario scenario;
    scenario.drivers = {with_library, number, stub};
    Matrix matrix;
    discover_compilers(host, {}, {}, scenario, matrix);
    REQUIRE(matrix.consumers.size() == 2);
    CHECK(matrix.consumers[0].kind == ConsumerKind::driver_jit);
    CHECK(matrix.consumers[0].version->text == "535.261.03");
    CHECK(matrix.consumers[1].kind == ConsumerKind::driver);
    CHECK(name_of(matrix.consumers[1]) == "driver 580");
}

TEST_CASE("a tool that a framework's search picks is labelled with that framework, not just its location") {
    FakeHost host;
    const std::string bundled = "/s/lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas";
    tool(host, "/a/ptxas", "13.0");
    tool(host, bundled, "12.8!");
    host.env("PATH", "/a").env("VIRTUAL_ENV", "/s");
    Scenario scenario;
    Pick xla;
    xla.search.emplace().package = "tensorflow";
    xla.consumer = "XLA in TensorFlow 2.18.0";
    xla.tool = "ptxas";
    xla.path = "/a/ptxas";
    Pick triton = xla;
    triton.search->package = "triton";
    triton.consumer = "Triton 3.6.0 up to sm_99";
    triton.path = bundled;
    Pick none = xla;
    none.path = "";
    Pick build = xla;
    build.search.reset();
    build.consumer = "this build";
    scenario.picks = {xla, triton, none, build};
    Matrix matrix;
    discover_compilers(host, {}, {}, scenario, matrix);
    REQUIRE(matrix.consumers.size() == 2);
    for (const Consumer& consumer : matrix.consumers)
        CHECK(consumer.used_for ==
              (consumer.path == "/a/ptxas" ? "XLA in TensorFlow 2.18.0" : "Triton 3.6.0 up to sm_99"));
}

TEST_CASE("each kind of GPU present has a column, a GPU that is only named has none") {
    FakeHost host;
    Scenario scenario;
    Driver driver;
    driver.version = {*parse_version("535.104.05"), {}};
    driver.libcuda = "/usr/lib/libcuda.so.1";
    scenario.drivers = {driver};
    Gpu h100;
    h100.name = "NVIDIA H100";
    h100.arch = {Arch{90, 0}, {}};
    Gpu named = h100;
    named.arch = {Arch{100, 0}, {}};
    named.declared = true;
    Gpu a100 = h100;
    a100.name = "NVIDIA A100";
    a100.arch = {Arch{80, 0}, {}};
    Gpu unclear;
    unclear.name = "NVIDIA X";
    scenario.gpus = {h100, h100, named, a100, unclear};
    const auto gpus_in = [&](const CompilerSearch& search) {
        Matrix matrix;
        discover_compilers(host, {}, search, scenario, matrix);
        std::vector<std::string> names;
        for (const Consumer& consumer : matrix.consumers)
            if (consumer.kind == ConsumerKind::gpu) names.push_back(consumer.gpu.name);
        return names;
    };
    CHECK(gpus_in({}) == std::vector<std::string>{"NVIDIA H100", "NVIDIA A100"});
    CompilerSearch only;
    only.only_named = only.only_named_drivers = true;
    CHECK(gpus_in(only).empty());
    scenario.drivers[0].stub = true;
    CHECK(gpus_in({}).empty());
    scenario.drivers[0].stub = false;
    scenario.drivers[0].declared = true;
    CHECK(gpus_in({}).empty());
}
