// Declared drivers first (they are what the user builds for), then the one of this machine.
// SPDX-License-Identifier: Apache-2.0
#include "discover/discover.hpp"
#include "discover/driver_libraries.hpp"
#include "discover/driver_surroundings.hpp"
#include "discover/targets.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

void add(Scenario& scenario, Driver driver) {
    driver.id = "driver" + std::to_string(scenario.drivers.size() + 1);
    scenario.drivers.push_back(std::move(driver));
}

// The CUDA release that drivers of this branch report, if a table lists the branch.
Known<Version> release_of_branch(const Facts& facts, const Known<Version>& driver) {
    const DriverBranch* branch = driver ? facts.driver_branch(*driver) : nullptr;
    return branch && branch->cuda ? Known<Version>{*branch->cuda, branch->origin} : Known<Version>{};
}

// "535.104.05", "535", "R535".
void declare_version(const Facts& facts, const std::string& text, Scenario& scenario) {
    std::string word = trim(text);
    if (!word.empty() && (word.front() == 'R' || word.front() == 'r')) word.erase(0, 1);
    Origin origin = Origin::from_option("--driver");
    origin.text = "--driver " + trim(text);
    const auto version = parse_version(word);
    if (!version || version->major() < 100) {
        scenario.unreadable.push_back({"--driver " + text,
                                       "is not a driver version such as 550.54.14 or a branch such as 550",
                                       true, origin});
        return;
    }
    Driver driver;
    driver.declared = true;
    driver.version = {*version, origin};
    driver.origin = origin;
    driver.cuda = release_of_branch(facts, driver.version);
    add(scenario, driver);
}

void declare_libraries(const Host& host, const Facts& facts, const std::string& place, Scenario& scenario) {
    Origin origin = Origin::from_option("--driver-libs");
    origin.text = "--driver-libs " + place;
    const auto libraries = find_jit_libraries(host, place);
    if (libraries.empty()) {
        const char* name =
            host.system() == System::windows ? "nvptxJITCompiler64.dll" : "libnvidia-ptxjitcompiler.so.1";
        const bool missing = host.status(place).type == FileType::missing;
        scenario.unreadable.push_back({"--driver-libs " + place,
                                       missing ? "does not exist" : std::string("holds no ") + name, true,
                                       origin});
    }
    for (const auto& library : libraries) {
        Driver driver;
        driver.declared = true;
        driver.jit = {library};
        driver.version = library.driver_version;
        driver.cuda = release_of_branch(facts, library.driver_version);
        if (!driver.cuda) driver.cuda = jit_release(host, library);
        const LibCuda beside = libcuda_in(host, parent_path(library.real_path));
        driver.libcuda = beside.path;
        driver.stub = beside.stub;
        driver.origin = origin;
        add(scenario, driver);
    }
}

// Package manager variables that mean "a driver for this CUDA release".
bool declare_from_variables(const Host& host, Scenario& scenario) {
    for (const char* name : {"CONDA_OVERRIDE_CUDA", "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"}) {
        const std::string value = trim(host.env(name).value_or(""));
        if (value.empty()) continue;
        const Origin origin = Origin::from_variable(name, std::string(name) + "=" + value);
        const auto version = parse_version(value);
        if (!version) {
            scenario.unreadable.push_back(
                {name, "is not a CUDA release such as 12.4: " + value, true, origin});
            continue;
        }
        Driver driver;
        driver.declared = true;
        driver.cuda = {*version, origin};
        driver.origin = origin;
        add(scenario, driver);
        return true;
    }
    return false;
}

Known<std::string> setting_of(const Host& host, const std::string& name) {
    const std::string value = trim(host.env(name).value_or(""));
    if (value.empty()) return {};
    return {value, Origin::from_variable(name, name + "=" + value)};
}

}  // namespace

void declare_drivers_and_gpus(const Host& host, const Facts& facts, const Request& request,
                              Scenario& scenario) {
    for (const auto& text : request.drivers) declare_version(facts, text, scenario);
    for (const auto& place : request.driver_libs) declare_libraries(host, facts, place, scenario);
    if (request.drivers.empty() && request.driver_libs.empty()) declare_from_variables(host, scenario);
    declare_gpus(facts, request, scenario);
}

void find_drivers(const Facts& facts, const Request& request, Questions& questions, Scenario& scenario) {
    declare_drivers_and_gpus(questions.ask().host(), facts, request, scenario);
    const Host& host = questions.ask().host();
    find_container(host, scenario);
    if (!scenario.container.empty()) scenario.capabilities = setting_of(host, "NVIDIA_DRIVER_CAPABILITIES");
    scenario.cuda_demand = setting_of(host, "NVIDIA_REQUIRE_CUDA");  // only images set it
    find_driver(questions, scenario);
}

void complete_drivers(const Host& host, Scenario& scenario) {
    for (Driver& driver : scenario.drivers)
        if (!driver.declared && !driver.cuda && !driver.jit.empty())
            driver.cuda = jit_release(host, driver.jit.front());
}

void discover_drivers(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario) {
    Questions questions(ask);
    find_drivers(facts, request, questions, scenario);
    questions.run(k_short_questions);
    complete_drivers(ask.host(), scenario);
    find_gpus_on_bus(ask.host(), facts, scenario);
    resolve_project_words(facts, scenario);
}

// "9.0", "sm_90" and "90" are capabilities; anything else has to be a listed product name.
void declare_gpus(const Facts& facts, const Request& request, Scenario& scenario) {
    for (const auto& text : request.gpus) {
        const std::string name = trim(text);
        if (name.empty()) continue;
        Gpu gpu;
        gpu.name = name;
        gpu.declared = true;
        gpu.origin = Origin::from_option("--gpu");
        gpu.origin.text = "--gpu " + name;
        if (const auto arch = parse_arch(name))
            gpu.arch = {*arch, gpu.origin};
        else
            gpu.arch = facts.gpu_by_name(name);
        if (!gpu.arch)
            scenario.unreadable.push_back({"--gpu " + name,
                                           "is not one listed GPU: give its compute capability, such as 9.0",
                                           true, gpu.origin});
        scenario.gpus.push_back(gpu);
    }
}

// GPUs that the PCI bus has, and the one of a Jetson board, which is on no bus: for machines whose driver
// is absent or does not answer. /sys is also there in containers that were given no GPU.

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
        scenario.gpus.push_back({name, arch, false, Origin::from_file(path)});
        return;
    }
}

}  // namespace

void find_gpus_on_bus(const Host& host, const Facts& facts, Scenario& scenario) {
    for (const Gpu& gpu : scenario.gpus)
        if (!gpu.declared) return;
    if (host.system() == System::linux_) find_gpu_of_board(host, facts, scenario);
    const std::string bus = "/sys/bus/pci/devices";
    for (const DirectoryEntry& entry : host.system() == System::linux_ ? entries_in(host, bus) : Entries()) {
        const std::string device = join_path(bus, entry.name);
        if (!is_gpu(host, device) || is_passed_on(host, device)) continue;
        const std::string id = number_in(host, join_path(device, "device"));
        const PciGpu known = facts.pci_gpu(id);
        const std::string name = known.arch ? known.name : "PCI device 10de:" + id;
        scenario.gpus.push_back({name, known.arch, false, Origin::from_file(join_path(device, "device"))});
    }
}

// What a driver needs around it: helpers of its own release, its device files; and whether this is WSL, where
// the driver comes from outside.

namespace {

const std::string k_wsl_folder = "/usr/lib/wsl/lib";

// The first release of which libcuda opens it.
struct Helper {
    const char* name;
    int since;
};
constexpr Helper k_helpers[] = {
    {"libnvidia-ptxjitcompiler.so.1", 396}, {"libnvidia-nvvm.so.4", 470}, {"libnvidia-nvvm70.so.4", 575}};

bool is_there_in(const Host& host, const std::string& folder, const std::string& name) {
    return host.status(join_path(folder, name)).type == FileType::regular;
}

}  // namespace

// libcuda opens them by name. WSL's and a board's libcuda are packaged in other ways.
std::vector<std::string> missing_helpers(const Host& host, const LibCuda& libcuda) {
    std::vector<std::string> missing;
    if (host.system() != System::linux_ || libcuda.stub || !libcuda.version) return missing;
    const std::string real = real_or_same(host, libcuda.path);
    if (starts_with(real, "/usr/lib/wsl/") || real.find("/tegra") != std::string::npos ||
        !driver_version_in_name(host, libcuda.path))
        return missing;
    std::vector<std::string> folders = system_library_folders();
    folders.insert(folders.begin(), {parent_path(libcuda.path), parent_path(real)});
    for (const auto& entry : split_list(host.env("LD_LIBRARY_PATH").value_or(""), System::linux_))
        folders.push_back(entry);
    for (const Helper& helper : k_helpers) {
        if (libcuda.version->major() < helper.since) continue;
        const bool here = any_of(
            folders, [&](const std::string& folder) { return is_there_in(host, folder, helper.name); });
        if (!here) missing.push_back(helper.name);
    }
    return missing;
}

bool lacks_linker_name(const Host& host, const LibCuda& libcuda) {
    if (host.system() != System::linux_ || libcuda.path.empty() || libcuda.stub) return false;
    std::vector<std::string> folders = system_library_folders();
    for (const std::string& folder :
         {parent_path(libcuda.path), parent_path(real_or_same(host, libcuda.path)),
          std::string("/usr/local/lib")})
        folders.push_back(folder);
    for (const char* variable : {"LIBRARY_PATH", "LD_LIBRARY_PATH", "TRITON_LIBCUDA_PATH"})
        for (const auto& entry : split_list(host.env(variable).value_or(""), System::linux_))
            folders.push_back(entry);
    if (const auto conda = host.env("CONDA_PREFIX"))  // its compilers search there
        for (const char* folder : {"lib", "lib/stubs", "targets/x86_64-linux/lib/stubs"})
            folders.push_back(join_path(*conda, folder));
    return none_of(folders,
                   [&](const std::string& folder) { return is_there_in(host, folder, "libcuda.so"); });
}

std::string hidden_wsl_libcuda(const Host& host, const LibCuda& libcuda) {
    const std::string wsl = join_path(k_wsl_folder, "libcuda.so.1");
    if (host.system() != System::linux_ || libcuda.path.empty() || libcuda.stub || !is_file(host, wsl))
        return {};
    const std::string real = real_or_same(host, libcuda.path);
    return starts_with(real, "/usr/lib/wsl/") || starts_with(libcuda.path, "/usr/lib/wsl/") ? std::string()
                                                                                            : wsl;
}

bool has_device_files(const Host& host) {
    for (const char* path : {"/dev/nvidiactl", "/dev/dxg"})
        if (host.status(path).type != FileType::missing) return true;
    return false;
}

}  // namespace ptxguard
