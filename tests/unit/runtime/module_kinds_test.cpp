// Packages that are judged by other things than the functions that they import.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_fatbin.hpp"
#include "module_world.hpp"
#include "runtime/cpu_builds.hpp"
#include "runtime/module_kinds.hpp"

namespace ptxguard {

TEST_CASE("a framework's plugin for TensorRT is opened by choice, unless another major of it is there") {
    const std::string trt = k_site + "/tensorrt_libs/libnvinfer.so.";
    for (const char* installed : {"", "11", "10"}) {
        CAPTURE(installed);
        Environment host({k_set_device});
        host.library(k_site + "/torch/lib/libtorch_tensorrt.so", {"libnvinfer.so.10"}, defining({"plugin"}));
        host.record("torch", "2.11.0", "torch/__init__.py,,\ntorch/lib/libtorch_tensorrt.so,,\n");
        if (*installed) host.library(trt + installed, {}, defining({"createInferBuilder"}));
        const auto modules = host.check();
        const bool other = std::string(installed) == "11";
        REQUIRE(modules.size() == (std::string(installed) == "10" ? 0 : 1));
        if (modules.empty()) continue;
        CHECK(modules[0].use == (other ? ModuleUse::when_used : ModuleUse::opened));
        REQUIRE(modules[0].missing.size() == 1);
        CHECK(modules[0].missing[0].name == "libnvinfer.so.10");
        REQUIRE(modules[0].missing[0].losers.size() == (other ? 1 : 0));
        if (other) CHECK(modules[0].missing[0].losers[0].path == trt + "11");
    }
}

TEST_CASE("a build for CPUs says so in a constant, unless a module of the package has device code") {
    for (const bool device_code : {false, true}) {
        CAPTURE(device_code);
        Environment host({k_set_device});
        built::Elf says = importing({});
        says.sections = {{".rodata", "Not compiled with CUDA support"}};
        host.library(k_site + "/torch_scatter/_scatter_cpu.so", {"libtorch_cpu.so"}, says);
        built::Elf other = importing({});
        if (device_code) other.sections = {{".nv_fatbin", std::string(64, '\x01')}};
        host.library(k_site + "/torch_scatter/_scatter_cuda.so", {"libtorch_cpu.so"}, other);
        host.record("torch_scatter", "2.1.2",
                    "torch_scatter/_scatter_cpu.so,,\ntorch_scatter/_scatter_cuda.so,,\n");
        host.library(k_site + "/foreign/_cpu.so", {}, says);  // nothing of torch, and not listed
        host.record("foreign", "1.0", "foreign/_cpu.so,,\n");
        Scenario scenario;
        scenario.python.places.push_back({k_site});
        static const Facts facts = Facts::embedded();
        find_cpu_builds(host, facts, module_files(host, scenario.python), scenario);
        REQUIRE(scenario.python.cpu_builds.size() == (device_code ? 0 : 1));
        if (device_code) continue;
        const CpuBuild& build = scenario.python.cpu_builds[0];
        CHECK(build.package == "torch-scatter");
        CHECK(build.extends == "torch");
        CHECK(build.path == k_site + "/torch_scatter/_scatter_cpu.so");
    }
}

TEST_CASE("a package that opens the driver's library without a number may get the stub") {
    for (const bool stub : {true, false}) {
        CAPTURE(stub);
        Environment host({k_set_device});
        built::Elf opener = importing({"dlopen"});
        opener.sections = {{".rodata", std::string("\0libcuda.so\0", 12)}};
        host.library(k_site + "/warp/bin/warp.so", {}, opener);
        host.record("warp", "1.1.0", "warp/bin/warp.so,,\n");
        if (stub) {
            built::Elf empty;
            for (int i = 0; i < 20; ++i) empty.symbols.push_back({"cu" + std::to_string(i), 1});
            empty.sections = {{".text", std::string(200, '\x90')}};
            host.library("/cuda/lib64/stubs/libcuda.so", {}, empty);
            host.variable("LD_LIBRARY_PATH", "/cuda/lib64/stubs");
        }
        const auto modules = host.check();
        REQUIRE(modules.size() == (stub ? 1 : 0));
        if (stub)
            CHECK(modules[0].stubs[0].taken == std::optional<std::string>("/cuda/lib64/stubs/libcuda.so"));
    }
}

built::Entry ptx_for(const std::string& target) {
    built::Entry ptx;
    ptx.kind = 1;
    ptx.arch = static_cast<std::uint32_t>(std::stoul(target.substr(3)));
    ptx.flags |= target.back() == 'a' ? built::k_flag_a : 0;
    ptx.major = 8, ptx.minor = 7;
    ptx.payload = built::ptx_text("8.7", target);
    return ptx;
}

// A library with PTX 8.7 for sm_75.
built::Elf with_ptx() {
    built::Elf elf;
    elf.sections = {{".nv_fatbin", built::fatbin({ptx_for("sm_75")})}};
    return elf;
}

TEST_CASE("kernels for one GPU only do not decide what most of a file is for") {
    const auto archs = [](std::size_t shared, std::size_t single) {
        Environment host({});
        host.with_gpu = true;
        std::string fatbins;
        for (std::size_t i = 0; i < shared; ++i)
            fatbins += built::fatbin({ptx_for("sm_75"), ptx_for("sm_90a")});
        for (std::size_t i = 0; i < single; ++i) fatbins += built::fatbin({ptx_for("sm_90a")});
        built::Elf elf;
        elf.sections = {{".nv_fatbin", fatbins}};
        host.library(k_site + "/engine/libengine.so", {"libc.so.6"}, elf);
        host.record("engine_cu13", "1.0", "engine/libengine.so,,\n");
        const auto modules = host.check();
        std::string all;
        for (const Target& one : *modules.at(0).archs) all += " " + one.arch.sm();
        return all;
    };
    CHECK(archs(2, 0) == " sm_75 sm_90a");
    CHECK(archs(2, 9) == " sm_75 sm_90a");
    CHECK(archs(0, 9) == " sm_90a");
}

TEST_CASE("a package whose only module needs NVIDIA's libraries does nothing without its code") {
    const auto found = [](const std::string& needed, bool another) {
        Environment host({});
        host.with_gpu = true;
        host.library(k_site + "/engine/_engine.so", {needed}, with_ptx());
        host.record("engine", "1.0",
                    std::string("engine/_engine.so,,\n") + (another ? "engine/_cpu.so,,\n" : ""));
        if (another) host.library(k_site + "/engine/_cpu.so", {"libc.so.6"}, built::Elf{});
        for (const NativeModule& module : host.check())
            if (module.archs) return module.essential;
        return false;
    };
    CHECK(found("libcublas.so.12", false));
    CHECK_FALSE(found("libcublas.so.12", true));
    CHECK_FALSE(found("libc.so.6", false));
    CHECK_FALSE(found("libc10.so", false));  // an extension of torch
}

TEST_CASE("the name of a package says more of its CUDA than its code") {
    Environment host({});
    host.with_gpu = true;
    host.library(k_site + "/engine/libengine.so", {"libc.so.6"}, with_ptx());
    host.record("engine_cu13", "1.0", "engine/libengine.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].cuda->text == "13");
}

TEST_CASE("a package of NVIDIA's with a Python module is a program with code of its own") {
    for (const bool program : {false, true}) {
        Environment host({});
        host.with_gpu = true;
        host.library(k_site + "/nvidia/dali/libdali_operators.so", {"libc.so.6"}, with_ptx());
        host.library(k_site + "/nvidia/dali/backend_impl.cpython-311-x86_64-linux-gnu.so", {"libc.so.6"});
        host.record("nvidia_dali_cuda120", "2.4.0",
                    std::string("nvidia/dali/libdali_operators.so,,\n") +
                        (program ? "nvidia/dali/backend_impl.cpython-311-x86_64-linux-gnu.so,,\n" : ""));
        CHECK(host.check().size() == (program ? 1 : 0));
    }
}

TEST_CASE("a package that needs none of NVIDIA's libraries is judged by the device code in its files") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    const built::Elf elf = with_ptx();
    host.library(k_site + "/warp/bin/warp.so", {"libc.so.6"}, elf);
    host.record("warp_lang", "1.9.0", "warp/__init__.py,,\nwarp/bin/warp.so,,\n");
    host.with_gpu = true;
    const std::vector<NativeModule> found = host.check();
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "warp-lang");
    CHECK(found[0].version->text == "1.9.0");
    REQUIRE(found[0].archs);
    CHECK(words_of(*found[0].archs) == "PTX for sm_75");
    CHECK(found[0].cuda->text == "12");  // 8.7 is the newest PTX of 12.8
}

TEST_CASE("a package of Python files and PTX is judged by that PTX, the oldest of several") {
    Environment host({k_set_device});
    host.file(k_site + "/df/new.ptx", built::ptx_text("8.7", "sm_80"));
    host.file(k_site + "/df/decode.ptx", built::ptx_text("8.2", "sm_52"));
    host.record("df", "0.2.0", "df/__init__.py,,\ndf/decode.ptx,sha256=x,1\ndf/new.ptx,,\n");
    CHECK(host.check().empty());
    host.with_gpu = true;
    const std::vector<NativeModule> found = host.check();
    REQUIRE(found.size() == 1);
    CHECK(found[0].package == "df");
    CHECK(words_of(*found[0].archs) == "PTX for sm_52 and sm_80");
    CHECK(found[0].ptx->text() == "8.2");
    host.file(k_site + "/df/decode.ptx", built::ptx_text("9.2", "sm_103a"));  // for one kernel on one GPU
    host.record("df", "0.2.0", "df/__init__.py,,\ndf/decode.ptx,,\n");
    host.gpu = Arch{90, 0};
    CHECK(host.check().empty());
    host.library(k_site + "/df/_C.so", {"libc10_cuda.so"}, importing({}));  // another way for its code
    host.record("df", "0.2.0", "df/__init__.py,,\ndf/decode.ptx,,\ndf/_C.so,,\n");
    for (const NativeModule& one : host.check()) CHECK_FALSE(one.ptx);
}

TEST_CASE("a library that is shorter than its record says is damaged, if its package uses CUDA") {
    Environment host({});
    host.library(k_site + "/nvidia/cuda_runtime/lib/libcudart.so.12", {}, defining({"cudaMalloc"}));
    host.library(k_site + "/faiss/_swigfaiss.so", {"libcudart.so.12"});
    host.file(k_site + "/faiss/libfaiss.so", "\177ELF");
    host.record("faiss_gpu_cu12", "1.14.1", "faiss/_swigfaiss.so,,\nfaiss/libfaiss.so,,900000\n");
    const std::vector<NativeModule> found = host.check();
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == k_site + "/faiss/libfaiss.so");
    CHECK(found[0].version->text == "1.14.1");
    CHECK(found[0].missing[0].because == "file too short");
    host.record("faiss_gpu_cu12", "1.14.1", "faiss/_swigfaiss.so,,\nfaiss/libfaiss.so,,4\n");
    CHECK(host.check().empty());
    Environment other({});
    other.file(k_site + "/pil/libtiff.so", "\177ELF");
    other.record("pil", "1", "pil/libtiff.so,,900000\n");
    CHECK(other.check().empty());
}

TEST_CASE("the CUDA of the runtime that a package starts is the oldest of its modules'") {
    Environment host({});
    host.with_driver = true;
    host.library(k_site + "/nvidia/cuda_runtime/lib/libcudart.so.12", {}, defining({"cudaMalloc"}));
    host.library(k_site + "/engine/libengine_cuda13.so", {"libcudart.so.13"});
    host.record("engine", "1.0", "engine/libengine_cuda13.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].cuda->text == "13");
    host.library(k_site + "/engine/libengine_cuda12.so", {"libcudart.so.12"});
    host.record("engine", "1.0", "engine/libengine_cuda13.so,,\nengine/libengine_cuda12.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].cuda->text == "12");
    // cuBLAS contains a runtime, NVRTC does not.
    host.library(k_site + "/engine/libmath.so", {"libcublas.so.11", "libnvrtc.so.11.2"});
    host.record("engine", "1.0", "engine/libengine_cuda13.so,,\nengine/libmath.so,,\n");
    const auto started = [&] {
        for (const NativeModule& module : host.check())
            if (module.cuda) return module.cuda->text;
        return std::string("none");
    };
    CHECK(started() == "11");
    host.library(k_site + "/engine/libmath.so", {"libnvrtc.so.11.2"});
    CHECK(started() == "13");
    // An extension of torch uses torch's.
    host.library(k_site + "/engine/_C.abi3.so", {"libc10.so", "libcudart.so.13"});
    host.record("engine", "1.0", "engine/_C.abi3.so,,\n");
    CHECK(host.check().empty());
}

TEST_CASE("NVIDIA's bindings are of the CUDA of their number") {
    for (const char* package : {"cuda_bindings", "cuda_python", "cuda_core"}) {
        CAPTURE(package);
        Environment host({});
        host.with_driver = true;
        host.library(k_site + "/cuda/x.so", {"libc.so.6"});
        host.record(package, "13.0.3", "cuda/x.so,,\n");
        const auto modules = host.check();
        const bool is_it = std::string(package) != "cuda_core";  // which has a number of its own
        REQUIRE(modules.size() == (is_it ? 1 : 0));
        if (is_it) CHECK(modules[0].cuda->text == "13");
        host.with_driver = false;
        CHECK(host.check().empty());
    }
}

TEST_CASE("a package with libraries for another machine is named, and does not silence the others") {
    constexpr std::uint16_t k_aarch64 = 183;
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    host.record("nvidia_cuda_runtime", "13.0.48", "nvidia/cu13/lib/libcudart.so.13,,\n");
    const auto lay = [&](const std::string& package, std::uint16_t machine) {
        built::Elf module = importing({k_set_device}, "PyInit__C");
        if (machine) module.machine = machine;
        host.library(k_site + "/" + package + "/_C.abi3.so", {"libc10.so", "libc10_cuda.so"}, module);
        host.file(k_site + "/" + package + "/__init__.py", "from . import _C\n");
        host.record(package, "1.2", package + "/__init__.py,,\n" + package + "/_C.abi3.so,,\n");
    };
    lay("alien", k_aarch64);
    lay("mypkg", 0);
    const auto modules = host.check();
    REQUIRE(modules.size() == 2);
    CHECK(modules[0].package == "mypkg");
    CHECK(modules[0].undefined == 1);
    CHECK(modules[1].package == "alien");
    REQUIRE(modules[1].missing.size() == 1);
    CHECK(modules[1].missing[0].name == "_C.abi3.so");
    CHECK(modules[1].missing[0].machine == "aarch64");
    CHECK(modules[1].use == ModuleUse::at_import);
    CHECK(modules[1].undefined == 0);
}

TEST_CASE("a framework whose modules are all for another Python is named, with that Python") {
    const std::string module = "torch/_C.cpython-312-x86_64-linux-gnu.so";
    Environment host({k_set_device});
    host.library(k_site + "/" + module, {"libc10.so"}, importing({}, "PyInit__C"));
    host.record("torch", "2.11.0", "torch/__init__.py,,\ntorch/lib/libc10.so,,\n" + module + ",,\n");
    const auto modules = host.check("3.13");
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].package == "torch");
    CHECK(modules[0].framework == "python");
    CHECK(modules[0].built_for->text == "3.12");
    CHECK(host.check("3.12").empty());
    CHECK(host.check("").empty());
    host.record("torch", "2.11.0", "torch/__init__.py,,\n" + module + ",,\ntorch/_C.cpython-313t-x.so,,\n");
    CHECK(host.check("3.13").empty());
    host.record("torch", "2.11.0", "torch/__init__.py,,\n" + module + ",,\ntorch/_D.abi3.so,,\n");
    CHECK(host.check("3.13").empty());
}

TEST_CASE("on a system with musl's loader packages for glibc are named, NVIDIA's own are not") {
    FakeHost host;
    Scenario scenario;
    scenario.python.places.push_back({k_site});
    Expectation framework;
    framework.framework = "ONNXRuntime";
    framework.package = "onnxruntime-gpu";
    scenario.expectations.push_back(framework);
    const auto lay = [&](const std::string& package, const std::string& needed) {
        built::Elf elf;
        elf.needed = {needed};
        const std::string folder = k_site + "/" + package, record = folder + "-1.0.dist-info/";
        host.file(folder + "/x.so", elf.build()).file(record + "RECORD", package + "/x.so,,\n");
        host.file(record + "METADATA", "Name: " + package + "\nVersion: 1.0\n");
    };
    lay("onnxruntime_gpu", "libc.so.6");
    lay("nvidia_cublas", "libc.so.6");
    lay("plain", "libc.so.6");
    lay("torch", "libc.musl-x86_64.so.1");
    const auto found = [&] { return modules_for_glibc(host, module_files(host, scenario.python), scenario); };
    CHECK(found().empty());
    host.file("/lib/ld-musl-x86_64.so.1", "x");
    REQUIRE(found().size() == 1);
    CHECK(found()[0].package == "onnxruntime-gpu");
    CHECK(found()[0].use == ModuleUse::at_import);
    CHECK(found()[0].missing[0].machine == "x86_64 with glibc");
    host.file("/lib64/ld-linux-x86-64.so.2", "x");
    CHECK(found().empty());
}

TEST_CASE("a package of NVIDIA's that needs a library of another CUDA than the one that is there") {
    Environment host({});
    host.library(k_site + "/nvidia/cudss/lib/libcudss.so.0", {"libcudart.so.12"});
    host.record("nvidia_cudss_cu12", "0.7.1", "nvidia/cudss/lib/libcudss.so.0,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].package == "nvidia-cudss-cu12");
    CHECK(host.check()[0].use == ModuleUse::when_used);
    REQUIRE(host.check()[0].missing.size() == 1);
    CHECK(host.check()[0].missing[0].name == "libcudart.so.12");
    host.library(k_site + "/nvidia/cuda_runtime/lib/libcudart.so.12", {}, {});
    CHECK(host.check().empty());
    // No cuBLAS is there, of any CUDA: what needs it may not be used.
    host.library(k_site + "/nvidia/cudss/lib/libcudss.so.0", {"libcublas.so.12"});
    CHECK(host.check().empty());
}

TEST_CASE("a second package of a framework that is there is left out like the first") {
    Scenario scenario;
    PackageFiles files;
    files.package = "cupy-cuda12x";
    CHECK_FALSE(is_left_out(files, scenario));
    Expectation framework;
    framework.framework = "CuPy";
    framework.package = "cupy";
    framework.build_package = "cupy-cuda13x";
    scenario.expectations.push_back(framework);
    CHECK(is_left_out(files, scenario));
    files.package = "cupyx-of-others";
    CHECK_FALSE(is_left_out(files, scenario));
}

TEST_CASE("the program of an environment has one of two names") {
    FakeHost host;
    PythonEnvironment python;
    python.prefix = "/env";
    CHECK(interpreter_of(host, python).empty());
    host.file("/env/bin/python", "x");
    CHECK(interpreter_of(host, python) == "/env/bin/python");
    host.file("/env/bin/python3", "x");
    CHECK(interpreter_of(host, python) == "/env/bin/python3");
}

TEST_CASE("a package with a library for this machine too is no stranger") {
    Environment host({k_set_device});
    host.record("nvidia_cuda_runtime", "13.0.48", "nvidia/cu13/lib/libcudart.so.13,,\n");
    built::Elf other = importing({}, "x");
    other.machine = 183;
    host.library(k_site + "/mypkg/arm/libx.so", {"libc10.so"}, other);
    host.library(k_site + "/mypkg/libx.so", {"libc10.so"}, importing({}, "x"));
    host.record("mypkg", "1.2", "mypkg/arm/libx.so,,\nmypkg/libx.so,,\n");
    CHECK(host.check().empty());
}

}  // namespace ptxguard
