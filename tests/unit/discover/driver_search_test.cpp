// Which of several libcuda.so.1 a program gets: stubs, compatibility packages, ld.so.cache and ld.so.conf.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../formats/build_ld_cache.hpp"
#include "driver_world.hpp"
#include "host/ld_so_conf.hpp"

using namespace ptxguard;
using namespace worlds;

TEST_CASE("the toolkit's stub is not a driver, and a real library elsewhere is preferred") {
    FakeHost host;
    host.file("/usr/local/cuda/lib64/stubs/libcuda.so", "\177ELF\2");
    host.link("/usr/local/cuda/lib64/stubs/libcuda.so.1", "libcuda.so");
    host.env("LD_LIBRARY_PATH", "/usr/local/cuda/lib64/stubs");
    Scenario scenario = drivers(host);
    REQUIRE(scenario.drivers.size() == 1);
    CHECK(scenario.drivers[0].stub);
    CHECK(scenario.drivers[0].trouble.find("stub") != std::string::npos);
    CHECK(host.commands_run.empty());
    user_mode(host, k_libs, "550.54.14");
    scenario = drivers(host);
    REQUIRE(scenario.drivers.size() == 1);
    CHECK_FALSE(scenario.drivers[0].stub);
    CHECK(scenario.drivers[0].libcuda == k_libs + "/libcuda.so.1");
}

TEST_CASE("a stub that is found as libcuda.so.1 before the driver's is listed") {
    const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
    FakeHost host;
    user_mode(host, k_libs, "535.161.08");
    host.file(stub, "\177ELF\2");
    CHECK(only_driver(host).stub_first.empty());
    const Driver hidden = drivers(host.env("LD_LIBRARY_PATH", "/usr/local/cuda/lib64/stubs")).drivers.at(0);
    CHECK(hidden.stub_first == stub);
    CHECK(hidden.libcuda == k_libs + "/libcuda.so.1");
    CHECK(drivers(host.env("LD_LIBRARY_PATH", k_libs + ":/usr/local/cuda/lib64/stubs"))
              .drivers.at(0)
              .stub_first.empty());
}

TEST_CASE("a folder of drivers that ld.so.cache lacks is not searched") {
    const auto unsearched = [](const char* folder, bool in_cache, bool cache = true) {
        FakeHost host;
        user_mode(host, folder, "580.95.05");
        const std::string path = std::string(in_cache ? folder : "/usr/lib/other") + "/libcuda.so.1";
        if (cache) host.file("/etc/ld.so.cache", built::new_cache({{"libcuda.so.1", path}}));
        return only_driver(host).unsearched;
    };
    CHECK(unsearched("/usr/lib/wsl/lib", false));
    CHECK_FALSE(unsearched("/usr/lib/wsl/lib", true));
    CHECK_FALSE(unsearched("/usr/lib/wsl/lib", false, false));  // nobody knows
    CHECK_FALSE(unsearched("/usr/lib/x86_64-linux-gnu", false));
    CHECK_FALSE(unsearched("/run/opengl-driver/lib", false));
}

TEST_CASE("libcuda.so, which only linkers need, is looked for where they search") {
    FakeHost host;
    user_mode(host, k_libs, "535.161.08");
    CHECK(only_driver(host).no_link);
    host.env("LIBRARY_PATH", "/opt/links");
    CHECK(only_driver(host).no_link);
    host.file("/opt/links/libcuda.so");
    CHECK_FALSE(only_driver(host).no_link);
    FakeHost linked;
    user_mode(linked, k_libs, "535.161.08");
    CHECK_FALSE(drivers(linked.link(k_libs + "/libcuda.so", "libcuda.so.1")).drivers.at(0).no_link);
}

TEST_CASE("forward-compatibility libraries without a kernel driver are reported as such") {
    FakeHost host;
    user_mode(host, "/usr/local/cuda-12.4/compat", "550.54.15");
    const Driver driver = only_driver(host);
    CHECK(driver.version->text == "550.54.15");
    CHECK(driver.trouble.find("no kernel driver") != std::string::npos);
}

TEST_CASE("a compatibility package on the search path counts, and the kernel module is reported too") {
    FakeHost host;
    host.foreign(true);
    user_mode(host, "/usr/local/cuda-12.4/compat", "550.54.15");
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24 2024\n");
    CHECK_FALSE(only_driver(host).compat);
    host.env("LD_LIBRARY_PATH", "/usr/local/cuda-12.4/compat");
    const Driver driver = only_driver(host);
    CHECK(driver.compat);
    CHECK(driver.kernel->text == "535.161.08");
    CHECK(driver.init_error == 0);
}

TEST_CASE("a compatibility package in ld.so.cache comes before the driver's own libcuda") {
    FakeHost host;
    user_mode(host, "/usr/local/cuda-12.4/compat", "550.54.15");
    user_mode(host, k_libs, "535.161.08");
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb 24 2024\n");
    CHECK(only_driver(host).libcuda == k_libs + "/libcuda.so.1");
    host.file("/etc/ld.so.cache",
              built::new_cache({{"libcuda.so.1", "/usr/lib32/libcuda.so.1", 0x0003},
                                {"libcuda.so.1", "/usr/local/cuda-12.4/compat/libcuda.so.1"},
                                {"libcuda.so.1", k_libs + "/libcuda.so.1"}}));
    const Scenario scenario = drivers(host);
    CHECK(scenario.drivers.at(0).libcuda == "/usr/local/cuda-12.4/compat/libcuda.so.1");
    CHECK(scenario.drivers[0].compat);
    host.file("/etc/ld.so.cache", "garbage");
    CHECK_FALSE(only_driver(host).compat);
}

TEST_CASE("in an unpacked image ldconfig's configuration is used, in the order of its files") {
    FakeHost host;
    host.foreign(true);
    user_mode(host, "/usr/local/cuda/compat", "550.54.15");
    user_mode(host, k_libs, "535.161.08");
    CHECK_FALSE(only_driver(host).compat);
    host.file("/etc/ld.so.conf", "# first\ninclude /etc/ld.so.conf.d/*.conf\n/usr/lib/x86_64-linux-gnu\n");
    host.file("/etc/ld.so.conf.d/00-compat.conf", "/usr/local/cuda/compat # NVIDIA's\n");
    host.file("/etc/ld.so.conf.d/00-compat.conf.old", "/nowhere\n");
    CHECK(only_driver(host).compat);
    CHECK(ld_so_conf(host).folders ==
          std::vector<std::string>{"/usr/local/cuda/compat", "/usr/lib/x86_64-linux-gnu"});
    host.file("/etc/ld.so.conf", "include /etc/ld.so.conf\ninclude ld.so.conf.d/00-compat.conf\n");
    CHECK(ld_so_conf(host).folders.back() == "/usr/local/cuda/compat");
}

TEST_CASE("ld.so.conf files that include each other are read once, whatever their names") {
    FakeHost host;
    std::string all;
    for (int i = 0; i < 20; ++i) {
        host.file("/etc/c/" + std::to_string(i) + ".conf", "include ./*.conf\ninclude ../c/*.conf\n/l\n");
        all += "include /etc//ld.so.conf\ninclude /etc/c/*.conf\n";
    }
    host.file("/etc/ld.so.conf", all);
    const LdSoConf conf = ld_so_conf(host);
    CHECK(conf.folders.size() == 20);
    CHECK(conf.trouble.empty());
}

TEST_CASE("too many ld.so.conf files or folders are reported") {
    FakeHost host;
    host.foreign(true).file("/etc/ld.so.conf", "include /etc/c/*.conf\n");
    for (int i = 0; i < 300; ++i) host.file("/etc/c/" + std::to_string(i) + ".conf", "/l\n");
    CHECK_FALSE(ld_so_conf(host).trouble.empty());
    std::string folders;
    for (int i = 0; i < 5000; ++i) folders += "/l" + std::to_string(i) + "\n";
    host.file("/etc/ld.so.conf", folders);
    CHECK(ld_so_conf(host).trouble == "/etc/ld.so.conf names more than 4096 folders");
    CHECK(drivers(host).unreadable.at(0).subject == "/etc/ld.so.conf");
}

TEST_CASE("a container that was started, and an image") {
    const auto found = [](const FakeHost& host) {
        Scenario scenario = drivers(host);
        return std::string(scenario.container_runs ? "runs " : "") +
               (scenario.apptainer ? "apptainer " : "") + (scenario.nvml_only ? *scenario.nvml_only : "");
    };
    FakeHost host;
    host.foreign(true);
    host.file("/.dockerenv", "");
    CHECK(found(host) == "");
    user_mode(host, "/opt/elsewhere", "580.95.05");
    host.file(k_libs + "/libnvidia-ml.so.580.95.05", "\177ELF\2");
    host.link(k_libs + "/libnvidia-ml.so.1", "libnvidia-ml.so.580.95.05");
    CHECK(found(host) == k_libs + "/libnvidia-ml.so.1");
    host.env("SINGULARITY_CONTAINER", "/data/lab.sif");
    CHECK(found(host) == "runs apptainer " + k_libs + "/libnvidia-ml.so.1");
    user_mode(host, k_libs, "580.95.05");
    CHECK(found(host) == "runs apptainer ");
}

TEST_CASE("the library of nvidia-smi that a package of an image has is none of a container runtime") {
    FakeHost host;
    host.file("/.dockerenv", "");
    host.file(k_libs + "/libnvidia-ml.so.580.95.05", "\177ELF\2");
    host.link(k_libs + "/libnvidia-ml.so.1", "libnvidia-ml.so.580.95.05");
    host.file("/var/lib/dpkg/info/libnvidia-ml1:amd64.list", k_libs + "/libnvidia-ml.so.580.95.05\n");
    CHECK_FALSE(drivers(host).nvml_only);
}

TEST_CASE("the folder of NixOS, which only its own programs search") {
    FakeHost host;
    user_mode(host, "/run/opengl-driver/lib", "580.95.05");
    CHECK(only_driver(host).of_nixos);
    host.env("NIX_LD_LIBRARY_PATH", "/run/opengl-driver/lib");
    CHECK_FALSE(only_driver(host).of_nixos);
    host.env("NIX_LD_LIBRARY_PATH", "").env("LD_LIBRARY_PATH", "/run/opengl-driver/lib");
    CHECK_FALSE(only_driver(host).of_nixos);
}

TEST_CASE("the running kernel has no nvidia module, and another one has it") {
    FakeHost host;
    user_mode(host, k_libs, "580.95.05");
    host.file("/proc/sys/kernel/osrelease", "6.8.0-116\n");
    host.file("/lib/modules/6.8.0-116/modules.dep", "kernel/drivers/video/fbdev/nvidia/nvidiafb.ko:\n");
    CHECK_FALSE(only_driver(host).no_module);  // perhaps no GPU was ever to be here
    host.file("/lib/modules/6.8.0-88/updates/dkms/nvidia.ko.zst", "x");
    CHECK(*only_driver(host).no_module == "6.8.0-116");
    CHECK(only_driver(host).module_of == "6.8.0-88");
    const FakeHost before = host;
    host.file("/.dockerenv", "");
    CHECK_FALSE(only_driver(host).no_module);
    host = before;
    host.file("/lib/modules/6.8.0-116/modules.dep", "kernel/nvidia-580/nvidia.ko.zst:\n");
    CHECK_FALSE(only_driver(host).no_module);
    host = before;
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Sat Aug 19\n");
    CHECK_FALSE(only_driver(host).no_module);
}

TEST_CASE("WSL's library comes first, and a Linux driver's is beside it") {
    FakeHost host;
    user_mode(host, "/usr/lib/wsl/lib", "580.95.05");
    host.env("LD_LIBRARY_PATH", "/usr/lib/wsl/lib");
    CHECK(only_driver(host).beside_wsl.empty());
    host.link(k_libs + "/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1");
    CHECK(only_driver(host).beside_wsl.empty());
    user_mode(host, k_libs, "535.261.03");
    CHECK(only_driver(host).beside_wsl == k_libs + "/libcuda.so.1");
}

TEST_CASE("a fabric manager of another release than the driver's matters with switches") {
    FakeHost host;
    user_mode(host, k_libs, "580.178.04");
    host.file("/proc/driver/nvidia/version",
              "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.178.04  Sat Aug 19\n");
    const auto fabric = [&](const std::string& version) {
        host.file("/var/lib/dpkg/status",
                  "Package: nvidia-fabricmanager-580\nStatus: install ok installed\nVersion: " + version +
                      "-1\n\n");
        return only_driver(host).fabric_manager;
    };
    const auto add_gpus = [&](int count, const std::string& model) {
        for (int i = 0; i < count; ++i)
            host.file("/proc/driver/nvidia/gpus/0000:" + std::to_string(i) + "1:00.0/information",
                      "Model: \t\t NVIDIA " + model + "\nIRQ: 1\n");
    };
    add_gpus(4, "H100 80GB HBM3");
    CHECK_FALSE(fabric("580.95.05"));
    add_gpus(8, "H100 80GB HBM3");
    CHECK(fabric("580.95.05")->text == "580.95.05");
    CHECK_FALSE(fabric("580.178.04"));
    add_gpus(8, "H100 PCIe");
    CHECK_FALSE(fabric("580.95.05"));
}

TEST_CASE("CUDA_VISIBLE_DEVICES of another machine: its first entry is compared with the GPUs there") {
    FakeHost host;
    host.foreign(true);
    user_mode(host, k_libs, "580.95.05");
    const auto blind = [&](const char* value) {
        return only_driver(host.env("CUDA_VISIBLE_DEVICES", value)).no_device;
    };
    CHECK_FALSE(blind("2"));  // how many there are is not known
    CHECK(blind("-1"));
    CHECK(blind(""));
    host.file("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: NVIDIA GeForce RTX 2070\n");
    for (const char* value : {"2", "1,0"}) CHECK(blind(value));
    for (const char* value : {"0", "0,1", "GPU-12345678"}) CHECK_FALSE(blind(value));
}
