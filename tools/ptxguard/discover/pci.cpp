// GPUs that the PCI bus has, and the one of a Jetson board, which is on no bus: for machines whose driver is
// absent or does not answer. /sys is also there in containers that were given no GPU.
// SPDX-License-Identifier: Apache-2.0
#include "discover/discover.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// "0x10de" -> "10de"
std::string number_in(const Host& host, const std::string& path) {
    const auto text = host.read_range(path, 0, 64);
    const std::string word = text ? trim(*text) : "";
    return starts_with(word, "0x") ? lower(word.substr(2)) : "";
}

// A display controller, with outputs or without.
bool is_gpu(const Host& host, const std::string& device) {
    return number_in(host, join_path(device, "vendor")) == "10de" &&
           starts_with_any(number_in(host, join_path(device, "class")), {"0300", "0302"});
}

// Given to a virtual machine: the driver of this system never sees it.
bool is_passed_on(const Host& host, const std::string& device) {
    const auto driver = host.real_path(join_path(device, "driver"));
    const std::string name = driver ? file_name(*driver) : "";
    return name == "vfio-pci" || name == "pci-stub" || name == "xen-pciback";
}

// "NVIDIA Jetson AGX Orin Developer Kit" in the device tree: the longest beginning that is a GPU's name.
void find_gpu_of_board(const Host& host, const Facts& facts, Scenario& scenario) {
    const std::string path = "/proc/device-tree/model";
    const auto text = host.read_range(path, 0, 256);
    std::string name = text ? trim(text->substr(0, text->find('\0'))) : "";
    if (lower(name).find("jetson") == std::string::npos && !starts_with(name, "NVIDIA")) return;
    const auto shorten = [&name] {
        const std::size_t end = name.find_last_of(" -");
        name.erase(end == std::string::npos ? 0 : end);
    };
    for (; !name.empty(); shorten()) {
        const Known<Arch> arch = facts.gpu_by_name(name);
        if (!arch) continue;
        Gpu gpu;
        gpu.origin = Origin::from_file(path);
        gpu.name = name;
        gpu.arch = arch;
        scenario.gpus.push_back(std::move(gpu));
        return;
    }
}

}  // namespace

void find_gpus_on_bus(const Host& host, const Facts& facts, Scenario& scenario) {
    for (const Gpu& gpu : scenario.gpus)
        if (!gpu.declared) return;
    if (host.system() == System::linux_) find_gpu_of_board(host, facts, scenario);
    const std::string bus = "/sys/bus/pci/devices";
    const auto entries = host.system() == System::linux_ ? host.list(bus) : Result<Entries>(Trouble{});
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
        const std::string device = join_path(bus, entry.name);
        if (!is_gpu(host, device) || is_passed_on(host, device)) continue;
        const std::string id = number_in(host, join_path(device, "device"));
        const PciGpu known = facts.pci_gpu(id);
        Gpu gpu;
        gpu.origin = Origin::from_file(join_path(device, "device"));
        gpu.name = known.arch ? known.name : "PCI device 10de:" + id;
        gpu.arch = known.arch;
        scenario.gpus.push_back(std::move(gpu));
    }
}

}  // namespace ptxguard
