// GPUs of the PCI bus, where no driver names any.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {

struct Slot {
    const char *address, *vendor, *device, *kind;
};

FakeHost machine(std::initializer_list<Slot> slots) {
    FakeHost host;
    for (const Slot& slot : slots) {
        const std::string place = std::string("/sys/devices/pci0000:00/") + slot.address;
        host.file(place + "/vendor", std::string(slot.vendor) + "\n");
        host.file(place + "/device", std::string(slot.device) + "\n");
        host.file(place + "/class", std::string(slot.kind) + "\n");
        host.link(std::string("/sys/bus/pci/devices/") + slot.address, place);
    }
    return host;
}

std::vector<std::string> gpus(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    scenario.system = host.system();
    discover_drivers(host, Facts::embedded(), request, scenario);
    std::vector<std::string> words;
    for (const Gpu& gpu : scenario.gpus)
        words.push_back(gpu.name + " " + (gpu.arch ? gpu.arch->sm() : "unknown"));
    return words;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("GPUs are found on the PCI bus without a driver: those of NVIDIA, with outputs and without") {
    const FakeHost host = machine({{"0000:00:02.0", "0x8086", "0x4680", "0x030000"},
                                   {"0000:01:00.0", "0x10de", "0x2204", "0x030000"},
                                   {"0000:01:00.1", "0x10de", "0x1aef", "0x040300"},
                                   {"0000:41:00.0", "0x10de", "0x20B5", "0x030200"},
                                   {"0000:42:00.0", "0x10de", "0x22a3", "0x068000"}});
    CHECK(gpus(host) == Words{"GeForce RTX 3090 sm_86", "A100 PCIe 80GB sm_80"});
}

TEST_CASE("a GPU that no table lists stays unknown") {
    CHECK(gpus(machine({{"0000:01:00.0", "0x10de", "0xfffe", "0x030200"}})) ==
          Words{"PCI device 10de:fffe unknown"});
}

TEST_CASE("a GPU that is given to a virtual machine is none of this system") {
    FakeHost host = machine({{"0000:01:00.0", "0x10de", "0x2204", "0x030000"}});
    host.folder("/sys/bus/pci/drivers/vfio-pci");
    host.link("/sys/devices/pci0000:00/0000:01:00.0/driver", "/sys/bus/pci/drivers/vfio-pci");
    CHECK(gpus(host).empty());
}

TEST_CASE(
    "a GPU that the driver named is not listed again, and a declared one stays beside those of the bus") {
    Request request;
    request.gpus = {"8.9"};
    CHECK(gpus(machine({{"0000:01:00.0", "0x10de", "0x2204", "0x030000"}}), request) ==
          Words{"8.9 sm_89", "GeForce RTX 3090 sm_86"});
    FakeHost host = machine({{"0000:01:00.0", "0x10de", "0x2204", "0x030000"}});
    host.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05\n");
    host.program("/usr/bin/nvidia-smi", [](const Command& command) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        if (command.argv.size() > 1) result.out = "NVIDIA GeForce RTX 3090, 8.6\n";
        return result;
    });
    CHECK(gpus(host) == Words{"NVIDIA GeForce RTX 3090 sm_86"});
}

TEST_CASE("an unpacked tree with /sys is read in the same way") {
    FakeHost host = machine({{"0000:01:00.0", "0x10de", "0x1bb3", "0x030200"}});
    host.foreign(true);
    CHECK(gpus(host) == Words{"Tesla P4 sm_61"});
}

TEST_CASE("a Jetson's GPU is on no bus: its board is in the device tree") {
    const auto board = [](const std::string& model) {
        FakeHost host;
        host.file("/proc/device-tree/model", model + std::string(1, '\0'));
        return gpus(host);
    };
    CHECK(board("NVIDIA Jetson AGX Orin Developer Kit") == Words{"NVIDIA Jetson AGX Orin sm_87"});
    CHECK(board("NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super") ==
          Words{"NVIDIA Jetson Orin Nano sm_87"});
    CHECK(board("NVIDIA Jetson AGX Thor Developer Kit") == Words{"NVIDIA Jetson AGX Thor sm_110"});
    CHECK(board("NVIDIA Jetson Xavier NX Developer Kit") == Words{"NVIDIA Jetson Xavier NX sm_72"});
    CHECK(board("Raspberry Pi 5 Model B Rev 1.0").empty());
    CHECK(board("NVIDIA Grace CPU P3880").empty());
}
