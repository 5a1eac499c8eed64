// Native libraries beside a program that is not Python's.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_modules.hpp"

#include "../formats/build_fatbin.hpp"
#include "../formats/build_pe.hpp"
#include "../load/windows_trees.hpp"
#include "load/module_symbols.hpp"
#include "module_world.hpp"
#include "runtime/whole_program.hpp"

namespace ptxguard {
namespace {

using Names = std::vector<std::string>;

Names missing_of(const NativeModule& module) {
    Names names;
    for (const LoadedFile& library : module.missing) names.push_back(library.name);
    return names;
}

std::vector<NativeModule> beside(const Host& host, const std::string& program) {
    Scenario scenario;
    scenario.system = host.system();
    scenario.drivers.resize(1);
    return modules_of_program(host, facts(), program, scenario);
}

}  // namespace

TEST_CASE("a library beside a program is traced, whether it needs NVIDIA's or opens them by name") {
    built::LinuxWorld host;
    built::Elf opener = importing({"dlopen"});
    opener.sections = {{".rodata", std::string("\0libnvrtc.so.12\0", 16)}};
    host.library("/app/libprovider_cuda.so", {"libcublasLt.so.12", "libcudart.so.12"});
    host.library("/app/libkernels.so", {}, opener);
    host.library("/app/libplain.so", {"libz.so.1"});
    host.library("/app/libonnxruntime_providers_tensorrt.so", {"libnvinfer.so.10", "libcudart.so.12"});
    host.library("/app/libcufft.so.11", {"libcurand.so.10"}).program("/app/server", {"libc.so.6"});
    for (const std::string program : {"/app", "/app/server"}) {
        CAPTURE(program);
        const std::vector<NativeModule> modules = beside(host, program);
        REQUIRE(modules.size() == 2);
        CHECK(modules[0].path == "/app/libkernels.so");
        CHECK(missing_of(modules[0]) == Names{"libnvrtc.so.12"});
        CHECK(missing_of(modules[1]) == Names{"libcublasLt.so.12", "libcudart.so.12"});
        CHECK((modules[1].named && modules[1].of_program && modules[1].essential));
        CHECK(modules[1].cuda->text == "12");
    }
}

TEST_CASE("what the loader finds is counted") {
    built::LinuxWorld host;
    host.library("/app/libprovider_cuda.so", {"libcublasLt.so.12", "libcudart.so.12"});
    host.library("/cuda/libcublasLt.so.12").library("/cuda/libcudart.so.12");
    host.variable("LD_LIBRARY_PATH", "/cuda");
    const std::vector<NativeModule> modules = beside(host, "/app");
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].missing.empty());
    CHECK(modules[0].found == 2);
}

TEST_CASE("of .NET the native folders for this system are read") {
    FakeHost host = windows();
    const std::string app = "C:/app/net8.0";
    host.file(app + "/runtimes/win-x64/native/provider_cuda.dll", needing("cublas64_11.dll"));
    host.file(app + "/runtimes/linux-x64/native/other.dll", needing("cublas64_11.dll"));
    host.file(app + "/Program.dll", dll());
    host.env("PATH", "C:/CUDA/bin").file("C:/CUDA/bin/cublas64_12.dll", dll());
    const std::vector<NativeModule> modules = beside(host, app);
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].path == app + "/runtimes/win-x64/native/provider_cuda.dll");
    CHECK(missing_of(modules[0]) == Names{"cublas64_11.dll"});
    REQUIRE(!modules[0].missing[0].losers.empty());
    CHECK(modules[0].missing[0].losers[0].lost == LoadLost::other_name);
}

TEST_CASE("libraries in folders below the program's are read; the program names those that it loads") {
    FakeHost host = windows();
    const std::string below = "C:/app/pkg/lib/gpu/";
    host.file("C:/app/run.exe", dll() + "pkg\\lib\\gpu\\engine.dll");
    host.file(below + "engine.dll", dll()).file(below + "engine_cuda.dll", needing("cublas64_12.dll"));
    host.file("C:/app/other/plugin.dll", needing("cublas64_12.dll"));
    host.file("C:/app/python/python.exe", dll())
        .file("C:/app/python/lib/own.dll", needing("cublas64_12.dll"));
    const std::vector<NativeModule> modules = beside(host, "C:/app/run.exe");
    REQUIRE(modules.size() == 2);
    CHECK((modules[0].path == "C:/app/other/plugin.dll" && !modules[0].essential));
    CHECK((modules[1].path == below + "engine_cuda.dll" && modules[1].essential && modules[1].of_program));
    CHECK(missing_of(modules[1]) == Names{"cublas64_12.dll"});
}

TEST_CASE("of a library that a program has for several CUDA releases one that loads is enough") {
    FakeHost host = windows();
    host.file("C:/app/cuda11/engine.dll", needing("cublas64_11.dll"));
    host.file("C:/app/cuda12/engine.dll", needing("cublas64_12.dll"));
    CHECK(beside(host, "C:/app").size() == 2);
    host.file("C:/CUDA/bin/cublas64_12.dll", dll()).env("PATH", "C:/CUDA/bin");
    REQUIRE(beside(host, "C:/app").size() == 1);
    CHECK(beside(host, "C:/app")[0].path == "C:/app/cuda12/engine.dll");
    host.file("C:/app/engine.dll", dll());  // beside the program: nothing below replaces it
    CHECK(beside(host, "C:/app").empty());
}

TEST_CASE("a library does not lack what only a file lacks that it opens later") {
    FakeHost host = windows();
    host.file("C:/app/onnxruntime.dll", dll());
    host.file("C:/app/onnxruntime_providers_cuda.dll", needing("cublasLt64_12.dll"));
    const std::vector<NativeModule> modules = beside(host, "C:/app");
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].path == "C:/app/onnxruntime_providers_cuda.dll");
}

TEST_CASE("without a Python the program's libraries and those of --module are read too") {
    Scenario scenario;
    FakeHost host = windows();
    host.file("C:/app/a.dll", needing("cublas64_11.dll")).file("C:/other/b.dll", needing("cublas64_11.dll"));
    scenario.system = System::windows;
    check_modules(host, facts(), {}, {"C:/other/b.dll"}, "C:/app", scenario);
    REQUIRE(scenario.modules.size() == 2);
    CHECK((scenario.modules[0].named && !scenario.modules[0].of_program));
    CHECK(scenario.modules[1].of_program);
}

TEST_CASE("the folder of a program's libraries, and what has the same name in several") {
    built::LinuxWorld host;
    host.program("/usr/local/bin/ollama", {"libc.so.6"});
    host.library("/usr/local/lib/ollama/cuda_v12/libggml-cuda.so", {"libcudart.so.12"});
    host.library("/usr/local/lib/ollama/cuda_v13/libggml-cuda.so", {"libcudart.so.13"});
    host.library("/cuda/libcudart.so.12").variable("LD_LIBRARY_PATH", "/cuda");
    Scenario scenario;
    std::vector<NativeModule> modules = whole_program(host, facts(), "/usr/local/bin/ollama", scenario);
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].path == "/usr/local/lib/ollama/cuda_v12/libggml-cuda.so");
    CHECK((modules[0].found == 1 && modules[0].of_program));
    host.library("/other/lib/x.so", {"libc.so.6"});
    modules = whole_program(host, facts(), "/other", scenario);
    REQUIRE(modules.size() == 1);  // nothing of it is CUDA's: it is there to say so
    CHECK(modules[0].path == "/other");
    CHECK((modules[0].of_program && modules[0].found == 0 && !modules[0].archs));
}

TEST_CASE("a program's own libraries, and the folders that .NET has for each backend") {
    built::LinuxWorld host;
    host.program("/app/server", {"libcublas.so.12"});
    host.library("/app/runtimes/cuda/linux-x64/libwhisper.so", {"libcudart.so.12"});
    host.library("/app/runtimes/linux-x64/native/cuda12/libllama.so", {"libcudart.so.12"});
    host.library("/app/runtimes/cuda/win-x64/libother.so", {"libcudart.so.12"});
    const std::vector<NativeModule> modules = whole_program(host, facts(), "/app/server", Scenario{});
    REQUIRE(modules.size() == 3);
    CHECK(modules[0].path == "/app/server");
    CHECK(missing_of(modules[0]) == Names{"libcublas.so.12"});
    CHECK(modules[1].path == "/app/runtimes/cuda/linux-x64/libwhisper.so");
    CHECK(modules[2].path == "/app/runtimes/linux-x64/native/cuda12/libllama.so");
}

TEST_CASE("the code of a DLL, and PTX that a program passes to the driver") {
    const std::string ptx = ".version 8.7\n.target sm_89\n.address_size 64\n.visible .entry k() { ret; }\n";
    built::Pe with_code, with_text;
    with_code.more = {{".nv_fatb", built::fatbin({built::ptx_entry(80)})}};
    with_text.content = "text " + ptx;
    FakeHost host(System::windows);
    host.file("C:/app/code.dll", with_code.build()).file("C:/app/app.exe", with_text.build());
    CHECK(holds_device_code(host, "C:/app/code.dll"));
    CHECK_FALSE(holds_device_code(host, "C:/app/app.exe"));
    Scenario scenario;
    scenario.system = System::windows;
    scenario.gpus.resize(1);
    const std::vector<NativeModule> modules = whole_program(host, facts(), "C:/app/app.exe", scenario);
    REQUIRE(modules.size() == 2);
    CHECK(modules[0].texts->text() == "8.7");
    REQUIRE(modules[0].archs);
    CHECK(words_of(*modules[0].archs) == "PTX for sm_89");
    CHECK(words_of(*modules[1].archs) == "PTX for sm_80");
}

}  // namespace ptxguard
