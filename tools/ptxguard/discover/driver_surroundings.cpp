// Signs in files and variables only: all of them are in an unpacked tree too.
// SPDX-License-Identifier: Apache-2.0
#include "discover/driver_surroundings.hpp"

#include "discover/driver_libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/dpkg.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_gpus = "/proc/driver/nvidia/gpus";
constexpr const char* k_modules = "/lib/modules";
constexpr std::size_t k_list_bytes = 64u << 20;

// Only these containers set them, when they start.
std::string sign_of_apptainer(const Host& host) {
    for (const std::string variable : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"})
        if (const std::string image = host.env(variable).value_or(""); !image.empty())
            return variable + "=" + image;
    return {};
}

std::string running_kernel(const Host& host) {
    const auto text = host.read_range("/proc/sys/kernel/osrelease", 0, 256);
    return text ? trim(*text) : "";
}

// DKMS, distributions and NVIDIA's installer use different folders: depmod's list has all of them.
enum class HasModule { yes, no, unknown };
HasModule has_module(const Host& host, const std::string& kernel) {
    const std::string folder = join_path(k_modules, kernel);
    for (const char* place : {"updates/dkms", "updates", "extra", "extra/nvidia", "weak-updates/nvidia",
                              "kernel/drivers/video", "kernel/drivers/char/drm", "extramodules"})
        for (const char* packed : {"", ".zst", ".xz", ".gz"})
            if (host.real_path(join_path(folder, std::string(place) + "/nvidia.ko" + packed)))
                return HasModule::yes;
    const auto list = host.read(join_path(folder, "modules.dep"), k_list_bytes);
    if (!list || trim(*list).empty()) return HasModule::unknown;
    const bool listed = starts_with(*list, "nvidia.ko") || list->find("/nvidia.ko") != std::string::npos;
    return listed ? HasModule::yes : HasModule::no;
}

// The libraries of a driver in a container and in WSL work with the module of another system. Without a
// kernel that has it, nobody knows whether this machine was to have a GPU.
void find_missing_module(const Host& host, Driver& driver) {
    if (driver.kernel || driver.stub || driver.libcuda.empty() || !driver.version ||
        is_file(host, "/usr/lib/wsl/lib/libcuda.so.1") || !sign_of_container(host).empty())
        return;
    const std::string kernel = running_kernel(host);
    if (kernel.empty() || has_module(host, kernel) != HasModule::no) return;
    for (const DirectoryEntry& entry : entries_in(host, k_modules)) {
        if (entry.name == kernel || has_module(host, entry.name) != HasModule::yes) continue;
        const std::string path = join_path(join_path(k_modules, kernel), "modules.dep");
        driver.no_module = {kernel, Origin::from_file(path)};
        driver.module_of = entry.name;
    }
}

// WSL's own library is taken, but a program that searches for another name or folder may get this one.
std::string libcuda_beside_wsl(const Host& host, const Driver& driver) {
    if (driver.stub || driver.libcuda.empty() || !driver.wsl_libcuda.empty() ||
        !starts_with(real_or_same(host, driver.libcuda), "/usr/lib/wsl/"))
        return {};
    for (const std::string& folder : system_library_folders()) {
        const LibCuda other = libcuda_in(host, folder);
        if (other.path.empty() || other.stub || !driver_version_in_name(host, other.path)) continue;
        if (!starts_with(real_or_same(host, other.path), "/usr/lib/wsl/")) return other.path;
    }
    return {};
}

// Eight GPUs of these models are joined by switches only; fewer may be joined directly.
bool has_switches(const Host& host) {
    constexpr std::size_t k_gpus_of_board = 8;
    if (host.status("/proc/driver/nvidia-nvswitch").type == FileType::directory) return true;
    const Entries gpus = entries_in(host, k_gpus);
    if (gpus.size() < k_gpus_of_board) return false;
    for (const DirectoryEntry& gpu : gpus) {
        const auto text = host.read_range(join_path(join_path(k_gpus, gpu.name), "information"), 0, 4096);
        const std::string model = text ? text->substr(0, text->find('\n')) : "";
        if (none_of(std::vector<std::string>{"SXM3", "SXM4", "HBM3"},
                    [&](const std::string& word) { return model.find(word) != std::string::npos; }))
            return false;
    }
    return true;
}

// "nvidia-fabricmanager-580", "nvidia-fabricmanager".
std::vector<std::string> fabric_packages(const Host& host) {
    const auto status = host.read("/var/lib/dpkg/status", k_list_bytes);
    std::vector<std::string> names;
    for (const std::string& line : split(status ? *status : "", "\n")) {
        const std::string name =
            starts_with(line, "Package: nvidia-fabricmanager") ? trim(line.substr(line.find(' '))) : "";
        if (!name.empty() && name.find("-dev") == std::string::npos) names.push_back(name);
    }
    return names;
}

// The service refuses a driver of any other release.
Known<Version> other_fabric_manager(const Host& host, const Driver& driver) {
    if (!driver.kernel || !has_switches(host)) return {};
    Known<Version> other;
    for (const std::string& package : fabric_packages(host)) {
        const Known<Version> version = dpkg_version(host, package);
        if (version && *version == *driver.kernel) return {};
        if (version) other = version;
    }
    return other;
}

}  // namespace

// What runs programs that are not of NixOS may be told to search that folder.
bool only_nixos_searches(const Host& host, const std::string& folder) {
    return folder == k_of_nixos &&
           !contains(split_list(host.env("NIX_LD_LIBRARY_PATH").value_or(""), System::linux_), folder);
}

void find_container(const Host& host, Scenario& scenario) {
    scenario.container = sign_of_container(host);
    scenario.apptainer = host.system() == System::linux_ && !sign_of_apptainer(host).empty();
    scenario.container_runs = !scenario.container.empty() &&
                              (!host.foreign() || scenario.apptainer || !running_kernel(host).empty());
}

std::string sign_of_container(const Host& host) {
    if (host.system() != System::linux_) return {};
    if (const std::string sign = sign_of_apptainer(host); !sign.empty()) return sign;
    for (const char* path : {"/.dockerenv", "/run/.containerenv"})
        if (host.status(path).type == FileType::regular) return path;
    const std::string devices = host.env("NVIDIA_VISIBLE_DEVICES").value_or("");
    if (!devices.empty()) return "NVIDIA_VISIBLE_DEVICES=" + devices;
    return {};
}

// A package of the image may have it too, without the driver.
Known<std::string> injected_nvml(const Host& host, const std::vector<std::string>& folders) {
    if (host.system() != System::linux_) return {};
    for (const std::string& folder : folders) {
        const std::string path = join_path(folder, "libnvidia-ml.so.1");
        if (!is_file(host, path) || !driver_version_in_name(host, path)) continue;
        const bool of_package = !dpkg_owners(host, {path, real_or_same(host, path)}, {"nvidia"}).empty();
        return of_package ? Known<std::string>{} : Known<std::string>{path, Origin::from_file(path)};
    }
    return {};
}

void find_surroundings(const Host& host, Driver& driver) {
    if (host.system() != System::linux_) return;
    find_missing_module(host, driver);
    driver.beside_wsl = libcuda_beside_wsl(host, driver);
    driver.fabric_manager = other_fabric_manager(host, driver);
}

// The driver ends the list at the first index that does not exist. Unknown words, such as names of GPUs, may
// be right.
bool hides_every_gpu(const Host& host, const std::string& visible_devices) {
    if (!host.foreign()) return false;
    const std::string first = trim(visible_devices.substr(0, visible_devices.find(',')));
    if (first.empty() || first == "-1") return true;
    const std::size_t count = entries_in(host, k_gpus).size();
    const bool index = first.find_first_not_of("0123456789") == std::string::npos && first.size() < 5;
    return index && count > 0 && std::stoul(first) >= count;
}

}  // namespace ptxguard
