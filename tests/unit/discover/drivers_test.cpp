// Drivers and GPUs: declared, found, stubs, and what nvidia-smi prints in both of its forms.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_pe_tables.hpp"
#include "discover/driver_libraries.hpp"
#include "driver_world.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {

const char* k_smi_535 =
    "| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |\n";
const char* k_smi_610 =
    "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3   |\n";

}  // namespace

TEST_CASE("the driver's libraries have one version and none is empty") {
    FakeHost host;
    user_mode(host, k_libs, "550.54.14");
    const auto fault = [&] { return only_driver(host).trouble; };
    CHECK(fault().find("libnvidia") == std::string::npos);
    host.file(k_libs + "/libnvidia-nvvm.so.4", "x");
    host.file(k_libs + "/libnvidia-gpucomp.so.550.54.14", "x");
    CHECK(fault().find("libnvidia") == std::string::npos);
    host.file(k_libs + "/libnvidia-gpucomp.so.550.54.14", "");
    CHECK(fault().find(k_libs + "/libnvidia-gpucomp.so.550.54.14 is empty") != std::string::npos);
    host.file(k_libs + "/libnvidia-nvvm.so.535.161.08", "x");
    host.link(k_libs + "/libnvidia-nvvm.so.4", "libnvidia-nvvm.so.535.161.08");
    CHECK(fault().find("is of driver 535.161.08, and libcuda.so.1 of 550.54.14") != std::string::npos);
}

TEST_CASE("both banners of nvidia-smi are read; N/A is not a version") {
    CHECK(parse_smi_banner(k_smi_535).driver->text == "535.104.05");
    CHECK(parse_smi_banner(k_smi_535).cuda->text == "12.2");
    CHECK(parse_smi_banner(k_smi_610).driver->text == "610.43.02");
    CHECK(parse_smi_banner(k_smi_610).cuda->text == "13.3");
    CHECK_FALSE(parse_smi_banner("Driver Version: 470.10   CUDA Version: N/A  | 12.1").cuda);
    CHECK_FALSE(parse_smi_banner("No devices were found").driver);
    CHECK_FALSE(parse_smi_banner("").cuda);
}

TEST_CASE("GPUs and kernel modules are read from their lines") {
    const auto gpus = parse_smi_gpus("NVIDIA H100 80GB HBM3, 9.0\nNVIDIA A100-SXM4-40GB, 8.0\r\n");
    REQUIRE(gpus.size() == 2);
    CHECK(gpus[0].first == "NVIDIA H100 80GB HBM3");
    CHECK(gpus[1].second.sm() == "sm_80");
    CHECK(parse_smi_gpus("Field \"compute_cap\" is not a valid field to query.\n").empty());
    CHECK(parse_smi_gpus("NVIDIA-SMI has failed, see below\n").empty());
    CHECK(parse_kernel_module("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 "
                              "01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n")
              ->version.text == "535.104.05");
    const auto open = parse_kernel_module(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build\n");
    REQUIRE(open);
    CHECK(open->version.text == "560.35.03");
    CHECK(open->open);
    CHECK_FALSE(parse_kernel_module("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05\n")->open);
    CHECK_FALSE(parse_kernel_module("GCC version: 12.2.0"));
}

TEST_CASE("a declared driver may be a version or a branch; anything else is a usage error") {
    Request request;
    request.drivers = {"535.104.05", "R550", "banana", "12.4"};
    const Scenario scenario = drivers(FakeHost{}, request);
    REQUIRE(scenario.drivers.size() == 2);
    CHECK(scenario.drivers[0].id == "driver1");
    CHECK(scenario.drivers[0].declared);
    CHECK(scenario.drivers[0].version->text == "535.104.05");
    CHECK(scenario.drivers[0].cuda->text == "12.2");
    CHECK(scenario.drivers[1].version->text == "550");
    REQUIRE(scenario.unreadable.size() == 2);
    CHECK(scenario.unreadable[0].subject == "--driver banana");
    CHECK(scenario.unreadable[1].named_by_user);
}

TEST_CASE("package managers' variables declare a CUDA level; an option wins; an empty value is ignored") {
    FakeHost host;
    host.env("CONDA_OVERRIDE_CUDA", "12.2");
    const Driver driver = only_driver(host);
    CHECK(driver.cuda->text == "12.2");
    CHECK_FALSE(driver.version);
    Request request;
    request.drivers = {"550"};
    CHECK(drivers(host, request).drivers.size() == 1);
    CHECK(drivers(host, request).drivers[0].version->text == "550");
    host.env("CONDA_OVERRIDE_CUDA", "").env("NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION", "13.0");
    CHECK(only_driver(host).cuda->text == "13.0");
    host.env("CONDA_OVERRIDE_CUDA", "yes");
    CHECK(drivers(host).unreadable.at(0).subject == "CONDA_OVERRIDE_CUDA");
}

TEST_CASE("--driver-libs finds the PTX compiler deep in a folder, or accepts the file under any name") {
    FakeHost host;
    user_mode(host, "/unpacked/usr/lib/x86_64-linux-gnu/nvidia/current", "535.261.03");
    Request request;
    request.driver_libs = {"/unpacked"};
    Scenario scenario = drivers(host, request);
    REQUIRE(scenario.drivers.size() == 1);
    CHECK(scenario.drivers[0].version->text == "535.261.03");
    CHECK(scenario.drivers[0].cuda->text == "12.2");
    CHECK(scenario.drivers[0].jit.at(0).real_path.find("535.261.03") != std::string::npos);
    CHECK(scenario.drivers[0].libcuda == "/unpacked/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.1");

    host.file("/x/compiler.bin", "\177ELF\2 Cuda compilation tools, release 13.7, V13.7.12");
    request.driver_libs = {"/x/compiler.bin"};
    scenario = drivers(host, request);
    REQUIRE(scenario.drivers.size() == 1);
    CHECK_FALSE(scenario.drivers[0].version);
    CHECK(scenario.drivers[0].cuda->text == "13.7");

    // An unlisted branch: the library itself gives its CUDA release.
    host.file("/new/libnvidia-ptxjitcompiler.so.777.10.01",
              "\177ELF\2 Cuda compilation tools, release 14.1, V14.1.2");
    request.driver_libs = {"/new"};
    scenario = drivers(host, request);
    CHECK(scenario.drivers.at(0).version->text == "777.10.01");
    CHECK(scenario.drivers.at(0).cuda->text == "14.1");
}

TEST_CASE("--driver-libs that finds nothing is a usage error; folder loops end") {
    FakeHost host;
    host.link("/loop/again", "/loop").file("/loop/libcuda.so.1");
    Request request;
    request.driver_libs = {"/nowhere", "/loop"};
    const Scenario scenario = drivers(host, request);
    CHECK(scenario.drivers.empty());
    REQUIRE(scenario.unreadable.size() == 2);
    CHECK(scenario.unreadable[0].why == "does not exist");
    CHECK(scenario.unreadable[1].why == "holds no libnvidia-ptxjitcompiler.so.1");
}

TEST_CASE("the version of a libcuda without one in its name is read from its text") {
    FakeHost host;
    host.file("/d/libcuda.so.1",
              "\177ELF\2" + std::string(2u << 20, 'x') + "nvidia-application-profiles-535.261.03-rc");
    host.file("/d/libnvidia-ptxjitcompiler.so.1", "\177ELF\2");
    Request request;
    request.driver_libs = {"/d"};
    CHECK(only_driver(host, request).version->text == "535.261.03");
}

TEST_CASE("the machine's driver: library, kernel module, nvidia-smi and the library's own answer") {
    FakeHost host;
    user_mode(host, k_libs, "535.104.05");
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat\n");
    host.program("/usr/bin/nvidia-smi", [](const Command& command) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        result.out = command.argv.size() > 1 ? "NVIDIA H100 80GB HBM3, 9.0\n" : k_smi_535;
        return result;
    });
    const Scenario scenario = drivers(host);
    REQUIRE(scenario.drivers.size() == 1);
    CHECK(scenario.drivers[0].version->text == "535.104.05");
    CHECK(scenario.drivers[0].cuda->text == "12.2");
    CHECK_FALSE(scenario.drivers[0].declared);
    CHECK_FALSE(scenario.drivers[0].stub);
    CHECK(scenario.drivers[0].jit.size() == 1);
    REQUIRE(scenario.gpus.size() == 1);
    CHECK(scenario.gpus[0].arch->name() == "90");
}

TEST_CASE("why a driver caches no compiled code: the cache is off, or its folder cannot be written") {
    FakeHost host;
    user_mode(host, k_libs, "580.65.06");
    const auto why = [&] { return only_driver(host).keeps_no_code; };
    CHECK_FALSE(why());  // without HOME the folder is unknown
    host.env("HOME", "/home/me").folder("/home/me");
    CHECK_FALSE(why());
    host.read_only("/home/me");
    CHECK(*why() == "/home/me cannot be written");
    CHECK(why().origin.for_people() == "HOME=/home/me");
    host.env("CUDA_CACHE_PATH", "/cache/of/me").folder("/cache");
    CHECK_FALSE(why());
    host.file("/cache/of");
    CHECK(*why() == "/cache/of cannot be written");
    host.env("CUDA_CACHE_DISABLE", "0").env("CUDA_CACHE_PATH", "/home");
    CHECK_FALSE(why());
    host.env("CUDA_CACHE_DISABLE", "1");
    CHECK(*why() == "CUDA_CACHE_DISABLE=1");
    CHECK_FALSE(drivers(host.env("CUDA_CACHE_DISABLE", "").read_only("/home").foreign(true))
                    .drivers.at(0)
                    .keeps_no_code);
}

TEST_CASE("variables that the driver reads: only 1 switches, CUDA_VISIBLE_DEVICES counts if it is set") {
    FakeHost host;
    user_mode(host, k_libs, "580.65.06");
    const auto driver = [&] { return only_driver(host); };
    CHECK_FALSE(driver().ignores_cubins);
    CHECK_FALSE(driver().ignores_ptx);
    CHECK_FALSE(driver().shows_gpus);
    for (const char* value : {"0", "2", "-1", "true", ""}) {
        host.env("CUDA_FORCE_PTX_JIT", value).env("CUDA_DISABLE_JIT", value);
        CHECK_FALSE(driver().ignores_cubins);
        CHECK_FALSE(driver().ignores_ptx);
    }
    host.env("CUDA_FORCE_PTX_JIT", " 1");
    CHECK(*driver().ignores_cubins == "CUDA_FORCE_PTX_JIT=1");
    host.env("CUDA_FORCE_PTX_JIT", "").env("CUDA_FORCE_JIT", "1").env("CUDA_DISABLE_JIT", "1");
    CHECK(*driver().ignores_cubins == "CUDA_FORCE_JIT=1");
    CHECK(*driver().ignores_ptx == "CUDA_DISABLE_JIT=1");
    CHECK(driver().ignores_ptx.origin.variable == "CUDA_DISABLE_JIT");
    host.env("CUDA_VISIBLE_DEVICES", "");
    CHECK(*driver().shows_gpus == "CUDA_VISIBLE_DEVICES=");
}

TEST_CASE("beside a kernel module a toolkit's compat folder that nothing searches is no driver") {
    FakeHost host;
    user_mode(host, "/usr/local/cuda-13.0/compat", "580.95.05");
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Sat Feb 24 2024\n");
    const Driver driver = only_driver(host);
    CHECK(driver.libcuda.empty());
    CHECK(driver.version->text == "580.159.04");
}

TEST_CASE("an nvidia-smi that hangs is reported for the driver and does not stop the check") {
    FakeHost host;
    user_mode(host, k_libs, "550.54.14");
    host.program("/usr/bin/nvidia-smi", [](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::timed_out;
        return result;
    });
    const Driver driver = only_driver(host);
    CHECK(driver.trouble.find("nvidia-smi does not answer within 5 s") != std::string::npos);
    CHECK(driver.version->text == "550.54.14");
}

TEST_CASE("a machine without a driver has none, and nothing is run to find that out") {
    FakeHost host;
    host.program("/usr/bin/nvidia-smi", k_smi_535).env("PATH", "/usr/bin");
    const Scenario scenario = drivers(host);
    CHECK(scenario.drivers.empty());
    CHECK(scenario.gpus.empty());
    CHECK(host.commands_run.empty());
}

TEST_CASE("declared GPUs are capabilities or listed names; an unknown name is a usage error") {
    Request request;
    request.gpus = {"9.0", "sm_86", "RTX 3090", "no such card"};
    const Scenario scenario = drivers(FakeHost{}, request);
    REQUIRE(scenario.gpus.size() == 4);
    CHECK(scenario.gpus[0].arch->name() == "90");
    CHECK(scenario.gpus[1].arch->name() == "86");
    CHECK(scenario.gpus[2].arch->name() == "86");
    CHECK_FALSE(scenario.gpus[3].arch);
    REQUIRE(scenario.unreadable.size() == 1);
    CHECK(scenario.unreadable[0].subject == "--gpu no such card");
}

TEST_CASE("native means the GPUs of the machine, declared ones only if there are none") {
    FakeHost host;
    Request request;
    request.gpus = {"8.6"};
    Scenario scenario;
    auto list = parse_arch_list("native", ArchDialect::cmake);
    REQUIRE(list);
    scenario.project.archs = *list;
    discover_drivers(host, Facts::embedded(), request, scenario);
    REQUIRE(scenario.project.archs.targets.size() == 1);
    CHECK(scenario.project.archs.targets[0].arch.name() == "86");
}

namespace {

std::string dll_of_driver(std::uint32_t third, std::uint32_t fourth) {
    built::Pe pe;
    built::lay_resources(pe, {{16, built::version_resource({32, 0, third, fourth})}});
    return pe.build();
}

}  // namespace

TEST_CASE(
    "a Windows driver's version is in the version resource of nvcuda.dll, in the Windows folder in use") {
    const auto version_of = [](std::uint32_t third, std::uint32_t fourth) {
        FakeHost host(System::windows);
        host.foreign(true).env("SystemRoot", "D:\\Windows");
        host.file("D:/Windows/System32/nvcuda.dll", dll_of_driver(third, fourth));
        const Driver driver = only_driver(host);
        const Known<Version>& version = driver.version;
        return version ? version->text : std::string();
    };
    CHECK(version_of(15, 6094) == "560.94");
    CHECK(version_of(14, 7141) == "471.41");
    CHECK(version_of(15, 8180) == "581.80");
    CHECK(version_of(15, 5209) == "552.09");
    CHECK(version_of(10, 11) == "");  // not the driver's numbering
}

TEST_CASE("of several drivers in Windows' store, the JIT compiler of the one in use is taken") {
    FakeHost host(System::windows);
    const std::string store = "C:/Windows/System32/DriverStore/FileRepository/";
    host.foreign(true).file("C:/Windows/System32/nvcuda.dll", dll_of_driver(15, 6094));
    host.file(store + "nv_dispi.inf_amd64_1/nvptxJITCompiler64.dll", dll_of_driver(14, 7141));
    host.file(store + "nv_dispi.inf_amd64_2/nvptxJITCompiler64.dll", dll_of_driver(15, 6094));
    const Driver driver = only_driver(host);
    REQUIRE(driver.jit.size() == 1);
    CHECK(driver.jit[0].path == store + "nv_dispi.inf_amd64_2/nvptxJITCompiler64.dll");
}
