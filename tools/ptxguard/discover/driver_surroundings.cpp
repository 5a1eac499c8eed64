// What a driver needs around it: helpers of its own release, its device files; and whether this is a
// container or WSL, where the driver comes from outside.
// SPDX-License-Identifier: Apache-2.0

#include "discover/driver_libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
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

std::string sign_of_container(const Host& host) {
    if (host.system() != System::linux_) return {};
    for (const char* path : {"/.dockerenv", "/run/.containerenv"})
        if (host.status(path).type == FileType::regular) return path;
    const std::string devices = host.env("NVIDIA_VISIBLE_DEVICES").value_or("");
    if (!devices.empty()) return "NVIDIA_VISIBLE_DEVICES=" + devices;
    return {};
}

bool has_device_files(const Host& host) {
    for (const char* path : {"/dev/nvidiactl", "/dev/dxg"})
        if (host.status(path).type != FileType::missing) return true;
    return false;
}

}  // namespace ptxguard
