// PTX is compiled by the user-mode driver (libcuda and the PTX compiler next to it), so its version is the
// driver's; a kernel module of another version is noted in the origin. nvidia-smi and libcuda are called in
// child processes.
// SPDX-License-Identifier: Apache-2.0
#include "discover/driver_libraries.hpp"
#include "discover/driver_surroundings.hpp"

#include <iterator>

#include "ask/questions.hpp"
#include "formats/ld_cache.hpp"
#include "host/ld_so_conf.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

constexpr std::chrono::milliseconds k_nvidia_smi_time_limit{5000};
constexpr int k_no_device = 100, k_invalid_device = 101, k_stub_library = 34;  // CUresult
constexpr int k_driver_mismatch = 803, k_compat_refused = 804;

// What shows that a driver is installed, and which.
struct DriverSigns {
    std::optional<KernelModule> kernel_module;
    LibCuda libcuda;
    std::string libcuda_folder;
    bool compat = false;      // from a toolkit's forward-compatibility folder
    std::string trouble;      // why not all folders are known
    bool reached = false;     // in a folder that a loader searches
    bool by_folder = false;   // only in a folder of drivers, none that a loader searches by itself
    std::string stub_first;   // the first libcuda.so.1 of these folders, if it is a stub
    Known<std::string> nvml;  // beside no libcuda
    std::vector<JitLibrary> jit;
    std::string smi;  // path of nvidia-smi
};

// Where drivers are installed and no loader searches by itself.
constexpr const char* k_nixos = "/etc/NIXOS";
constexpr const char* k_driver_folders[] = {
    "/usr/lib/wsl/lib",        "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",       "/usr/lib/nvidia",
    "/usr/local/nvidia/lib64", k_of_nixos};

Result<std::string> bytes_of_cache(const Host& host) {
    constexpr std::size_t k_most = 64u << 20;
    return host.read("/etc/ld.so.cache", k_most);
}

bool has_cache(const Host& host) {
    const auto bytes = bytes_of_cache(host);
    return bytes && read_ld_cache(*bytes);
}

// The libcuda.so.1 entries of ldconfig's cache in their order, for both machines that drivers are made for.
std::vector<std::string> cached_folders(const Host& host) {
    constexpr std::int32_t k_x86_64 = 0x0303, k_aarch64 = 0x0a03;
    const auto bytes = bytes_of_cache(host);
    const auto cache = bytes ? read_ld_cache(*bytes) : Result<LdCache>(Trouble{});
    std::vector<std::string> folders;
    if (!cache) return folders;
    for (const LdCacheEntry& entry : cache->entries)
        if (entry.name == "libcuda.so.1" && (entry.flags == k_x86_64 || entry.flags == k_aarch64))
            folders.push_back(parent_path(std::string(entry.path)));
    return folders;
}

// In the search order of a loader without DT_RUNPATH: the variable, the cache, driver folders.
std::vector<std::string> library_folders(const Host& host, std::string& trouble) {
    if (host.system() == System::windows) return {join_path(windows_folder(host), "System32")};
    std::vector<std::string> folders;
    for (const auto& entry : split_list(host.env("LD_LIBRARY_PATH").value_or(""), System::linux_))
        if (is_absolute(entry, System::linux_)) folders.push_back(entry);
    // A container engine runs ldconfig at start, so in an image the configuration is used as well.
    if (host.foreign()) {
        const LdSoConf conf = ld_so_conf(host);
        trouble = conf.trouble;
        append(folders, conf.folders);
    }
    for (const std::string& folder : cached_folders(host)) folders.push_back(folder);
    for (const std::string& folder : system_library_folders()) folders.push_back(folder);
    folders.insert(folders.end(), std::begin(k_driver_folders), std::end(k_driver_folders));
    return folders;
}

// Of a libcuda that only a folder of drivers has. Without a cache that can be read nothing is known of the
// loader.
bool is_unsearched(const Host& host, const std::string& folder) {
    return folder != k_of_nixos && !host.real_path(k_nixos) && has_cache(host);
}

// /usr/local/cuda-12.4/compat, /usr/local/cuda/compat/lib, or a link to it.
bool is_compat(const Host& host, const std::string& libcuda) {
    const auto real = host.real_path(libcuda);
    const auto in = [](const std::string& path) { return path.find("/compat/") != std::string::npos; };
    return in(libcuda) || (real && in(*real));
}

std::string nvidia_smi(const Host& host) {
    std::string path = program_on_path(host, "nvidia-smi");
    std::vector<std::string> folders = {"/usr/bin", "/usr/lib/wsl/lib"};
    if (host.system() == System::windows)
        folders = {
            join_path(windows_folder(host), "System32"),
            join_path(host.env("ProgramFiles").value_or("C:/Program Files"), "NVIDIA Corporation/NVSMI")};
    for (const std::string& folder : folders) {
        const std::string usual = join_path(folder, executable_name("nvidia-smi", host.system()));
        if (path.empty() && is_file(host, usual)) path = usual;
    }
    return path;
}

// Windows keeps the packages of earlier drivers: the JIT compiler of the driver in use has its version.
std::vector<JitLibrary> jit_in_driver_store(const Host& host, const LibCuda& libcuda) {
    const std::string store = join_path(windows_folder(host), "System32/DriverStore/FileRepository");
    std::vector<JitLibrary> found;
    for (const DirectoryEntry& entry : entries_in(host, store)) {
        if (!starts_with(lower(entry.name), "nv")) continue;
        const auto jit = jit_libraries_in(host, join_path(store, entry.name));
        if (jit.empty()) continue;
        const bool same =
            libcuda.version && jit.front().driver_version && *jit.front().driver_version == *libcuda.version;
        if (same) return jit;
        const bool other = libcuda.version && jit.front().driver_version;
        if (found.empty() && !other) found = jit;
    }
    return found;
}

bool is_better(const LibCuda& here, const LibCuda& before) {
    return !here.path.empty() && (before.path.empty() || (before.stub && !here.stub));
}

// A real libcuda anywhere is preferred to a stub that comes first: the stub is reported only if there is
// nothing else.
void find_libcuda(const Host& host, std::vector<std::string> folders, DriverSigns& seen) {
    const std::size_t ordinary = folders.size();
    // With a kernel module the libcuda of a toolkit's folder that no loader searches is not the driver's.
    if (!seen.kernel_module)
        for (const auto& toolkit : default_folders(host)) folders.push_back(join_path(toolkit, "compat"));
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (i == ordinary && !seen.libcuda.path.empty() && !seen.libcuda.stub) break;
        const LibCuda here = libcuda_in(host, folders[i]);
        if (i < ordinary && here.stub && seen.libcuda.path.empty()) seen.stub_first = here.path;
        if (!is_better(here, seen.libcuda)) continue;
        seen.libcuda = here;
        seen.libcuda_folder = folders[i];
        seen.compat = i >= ordinary || is_compat(host, here.path);
        seen.reached = i < ordinary;
        seen.by_folder = i + std::size(k_driver_folders) >= ordinary && i < ordinary;
        if (!here.stub && i < ordinary) break;
    }
}

void find_libraries(const Host& host, DriverSigns& seen) {
    std::vector<std::string> folders = library_folders(host, seen.trouble);
    find_libcuda(host, folders, seen);
    if (seen.libcuda.path.empty() || seen.libcuda.stub) seen.nvml = injected_nvml(host, folders);
    if (!seen.libcuda.path.empty() && !seen.libcuda.stub) {
        const auto real = host.real_path(seen.libcuda.path);
        folders.insert(folders.begin(),
                       {seen.libcuda_folder, real ? parent_path(*real) : seen.libcuda_folder});
    }
    for (const std::string& folder : folders)
        if (seen.jit.empty()) seen.jit = jit_libraries_in(host, folder);
    if (host.system() == System::windows && seen.jit.empty())
        seen.jit = jit_in_driver_store(host, seen.libcuda);
}

DriverSigns look(const Host& host) {
    DriverSigns seen;
    if (const auto text = host.system() == System::linux_
                              ? host.read_range("/proc/driver/nvidia/version", 0, 4096)
                              : Result<std::string>(Trouble{}))
        seen.kernel_module = parse_kernel_module(*text);
    find_libraries(host, seen);
    const bool present = seen.kernel_module || (!seen.libcuda.path.empty() && !seen.libcuda.stub);
    if (present && !host.foreign()) seen.smi = nvidia_smi(host);
    return seen;
}

// Its result depends on the kernel and the GPUs: it is run every time.
Question asking(std::vector<std::string> argv) {
    Question question;
    Command& command = question.command;
    command.argv = std::move(argv);
    command.environment = {{"LC_ALL", "C"}};
    command.time_limit = k_nvidia_smi_time_limit;
    command.output_cap = 256u << 10;
    return question;
}

std::string words_for(const std::string& who, const ProcessResult& result) {
    switch (result.state) {
        case ProcessResult::State::timed_out: return who + " does not answer within 5 s";
        case ProcessResult::State::crashed: return who + " crashes";
        default: return {};
    }
}

void add_trouble(Driver& driver, const std::string& words) {
    if (words.empty()) return;
    driver.trouble += (driver.trouble.empty() ? "" : "; ") + words;
}

void take_smi(Driver& driver, const std::string& smi, const ProcessResult& result) {
    add_trouble(driver, words_for("nvidia-smi", result));
    const SmiBanner banner = parse_smi_banner(result.out);
    const Origin origin = Origin::from_command(smi, "nvidia-smi");
    if (banner.driver && !driver.version) driver.version = {*banner.driver, origin};
    if (banner.cuda && !driver.cuda) driver.cuda = {*banner.cuda, origin};
    if (result.ok() || !result.trouble.empty() || result.state != ProcessResult::State::exited) return;
    const auto lines = split(result.out + "\n" + result.err, "\r\n");
    add_trouble(driver,
                lines.empty() ? "nvidia-smi fails" : "nvidia-smi: " + trim(lines.front()).substr(0, 200));
}

void take_smi_gpus(Scenario& scenario, const std::string& smi, const ProcessResult& result) {
    const Origin origin =
        Origin::from_command(smi, "nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader");
    if (!result.ok()) return;
    for (const auto& [name, arch] : parse_smi_gpus(result.out))
        scenario.gpus.push_back({name, {arch, origin}, false, origin});
}

// {"cuda":12020,"devices":[{"name":"...","cc":"9.0"}],"code":0,"error":""} of `ptxguard --child driver`.
void take_libcuda(Driver& driver, Scenario& scenario, const ProcessResult& result) {
    add_trouble(driver, words_for(driver.libcuda, result));
    const auto json = parse_json(result.out, "answer of " + driver.libcuda);
    if (!json || !json->is_object()) {
        if (result.state == ProcessResult::State::exited && !result.trouble.empty())
            add_trouble(driver, result.trouble);
        return;
    }
    const Origin origin = Origin::from_library(driver.libcuda, "cuDriverGetVersion of " + driver.libcuda);
    const std::int64_t number = (*json)["cuda"].as_int();
    if (number >= 1000)
        driver.cuda = {
            *parse_version(std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10)), origin};
    const std::int64_t code = (*json)["code"].as_int();
    if (code == k_stub_library) driver.stub = true;
    if (code == k_driver_mismatch || code == k_compat_refused) driver.init_error = static_cast<int>(code);
    driver.no_device = code == k_no_device || code == k_invalid_device;
    if (code != 0 && !driver.no_device) add_trouble(driver, (*json)["error"].as_string());
    const bool known = any_of(scenario.gpus, [](const Gpu& gpu) { return !gpu.declared; });
    if (known) return;
    for (const auto& device : (*json)["devices"].items()) {
        const auto arch = parse_arch(device["cc"].as_string());
        scenario.gpus.push_back(
            {device["name"].as_string(), arch ? Known<Arch>{*arch, origin} : Known<Arch>{}, false, origin});
    }
}

// The driver caches compiled code in CUDA_CACHE_PATH, otherwise in the home folder; it creates the folders.
Known<std::string> why_no_code_is_kept(const Host& host) {
    const auto off = parse_version(trim(host.env("CUDA_CACHE_DISABLE").value_or("")));
    if (off && off->major() != 0) {
        const std::string setting = "CUDA_CACHE_DISABLE=" + off->text;
        return {setting, Origin::from_variable("CUDA_CACHE_DISABLE", setting)};
    }
    if (host.foreign() || host.system() == System::windows) return {};
    for (const char* variable : {"CUDA_CACHE_PATH", "HOME"}) {
        const std::string value = host.env(variable).value_or("");
        if (!is_absolute(value, System::linux_)) continue;
        std::string folder = std::string(variable) == "HOME" ? join_path(value, ".nv/ComputeCache") : value;
        while (folder != "/" && host.status(folder).type == FileType::missing) folder = parent_path(folder);
        if (host.status(folder).writable) return {};
        return {folder + " cannot be written",
                Origin::from_variable(variable, std::string(variable) + "=" + value)};
    }
    return {};
}

// The value 1, as the driver reads it; it ignores all others.
Known<std::string> switched_on(const Host& host, std::initializer_list<const char*> variables) {
    for (const std::string variable : variables) {
        const auto value = parse_version(trim(host.env(variable).value_or("")));
        if (value && value->numbers == std::vector<int>{1})
            return {variable + "=1", Origin::from_variable(variable, variable + "=1")};
    }
    return {};
}

void read_settings(const Host& host, Driver& driver) {
    driver.keeps_no_code = why_no_code_is_kept(host);
    driver.ignores_cubins = switched_on(host, {"CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"});
    driver.ignores_ptx = switched_on(host, {"CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT"});
    if (const auto value = host.env("CUDA_VISIBLE_DEVICES")) {
        const std::string setting = "CUDA_VISIBLE_DEVICES=" + *value;
        driver.shows_gpus = {setting, Origin::from_variable("CUDA_VISIBLE_DEVICES", setting)};
        driver.no_device = hides_every_gpu(host, *value);
    }
}

// Failed container mounts: an empty file, or the libraries of two drivers.
std::string fault_of_set(const Host& host, const LibCuda& libcuda) {
    if (host.system() == System::windows || libcuda.path.empty() || libcuda.stub) return {};
    const std::string folder = parent_path(real_or_same(host, libcuda.path));
    std::vector<std::string> names = {"libcuda.so.1", "libnvidia-ptxjitcompiler.so.1", "libnvidia-nvvm.so.4"};
    if (libcuda.version)
        for (const char* stem : {"libnvidia-gpucomp.so.", "libnvidia-tileiras.so."})
            names.push_back(stem + libcuda.version->text);
    for (const std::string& name : names) {
        const std::string path = join_path(folder, name);
        const FileStatus status = host.status(path);
        if (status.type == FileType::dangling_link) return path + " is a dangling symlink";
        if (status.type != FileType::regular) continue;
        if (status.size == 0) return path + " is empty";
        const Known<Version> version = driver_version_in_name(host, path);
        if (version && libcuda.version && *version != *libcuda.version)
            return path + " is of driver " + version->text + ", and libcuda.so.1 of " + libcuda.version->text;
    }
    return {};
}

Driver driver_from(const Host& host, const DriverSigns& seen) {
    Driver driver;
    driver.libcuda = seen.libcuda.path;
    driver.stub = seen.libcuda.stub;
    driver.stub_first = seen.stub_first;
    driver.unsearched = !seen.libcuda.stub && seen.by_folder && is_unsearched(host, seen.libcuda_folder);
    driver.of_nixos = seen.by_folder && only_nixos_searches(host, seen.libcuda_folder);
    driver.jit = seen.jit;
    driver.compat = seen.compat && seen.reached;
    if (!driver.libcuda.empty()) {
        driver.lacks = missing_helpers(host, seen.libcuda);
        driver.wsl_libcuda = hidden_wsl_libcuda(host, seen.libcuda);
        driver.no_link = lacks_linker_name(host, seen.libcuda);
    }
    driver.device_files = !host.foreign() && has_device_files(host);
    driver.origin = seen.libcuda.path.empty() ? Origin::from_file("/proc/driver/nvidia/version")
                                              : Origin::from_file(seen.libcuda.path);
    if (!seen.jit.empty()) driver.version = seen.jit.front().driver_version;
    if (seen.libcuda.version) driver.version = seen.libcuda.version;
    if (seen.kernel_module) {
        const Origin origin = Origin::from_file("/proc/driver/nvidia/version");
        const Version& version = seen.kernel_module->version;
        driver.kernel = {version, origin};
        driver.open_module = seen.kernel_module->open;
        if (!driver.version)
            driver.version = {version, origin};
        else if (*driver.version != version)
            driver.version.origin.text += " (kernel module " + version.text + ")";
    }
    if (driver.stub) driver.trouble = seen.libcuda.path + " is the toolkit's stub, made for linking only";
    add_trouble(driver, fault_of_set(host, seen.libcuda));
    if (seen.compat && !seen.kernel_module)
        driver.trouble = "only the forward-compatibility package's libraries are here, no kernel driver";
    return driver;
}

}  // namespace

void find_driver(Questions& questions, Scenario& scenario) {
    const Host& host = questions.ask().host();
    const DriverSigns seen = look(host);
    const std::string conf = "/etc/ld.so.conf";
    if (!seen.trouble.empty())
        scenario.unreadable.push_back({conf, seen.trouble, false, Origin::from_file(conf)});
    scenario.nvml_only = seen.nvml;
    if (!seen.kernel_module && seen.libcuda.path.empty() && seen.jit.empty()) return;
    Driver driver = driver_from(host, seen);
    find_surroundings(host, driver);
    read_settings(host, driver);
    driver.id = "driver" + std::to_string(scenario.drivers.size() + 1);
    const bool opens_it = !host.foreign() && !driver.stub && !driver.libcuda.empty();
    const std::string libcuda = driver.libcuda, smi = seen.smi;
    const std::size_t index = scenario.drivers.size();
    scenario.drivers.push_back(std::move(driver));

    const auto add = [&](std::vector<std::string> argv, auto take) {
        questions.add(asking(std::move(argv)), [take](const Answer& answer) {
            take(answer);
            return false;
        });
    };
    if (!smi.empty()) {
        add({smi}, [&scenario, index, smi](const Answer& answer) {
            take_smi(scenario.drivers[index], smi, answer);
        });
        add({smi, "--query-gpu=name,compute_cap", "--format=csv,noheader"},
            [&scenario, smi](const Answer& answer) { take_smi_gpus(scenario, smi, answer); });
    }
    if (opens_it)
        add({own::executable_path(), "--child", "driver", libcuda}, [&scenario, index](const Answer& answer) {
            take_libcuda(scenario.drivers[index], scenario, answer);
        });
}

}  // namespace ptxguard
