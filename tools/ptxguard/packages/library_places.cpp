// SPDX-License-Identifier: Apache-2.0
#include "packages/library_places.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "packages/conda.hpp"

namespace ptxguard {
namespace {

std::vector<std::string> folders_like(const Host& host, const std::string& parent, const std::string& start) {
    std::vector<std::string> found;
    for (const auto& entry : entries_in(host, parent))
        if (entry.type == FileType::directory && starts_with(entry.name, start)) found.push_back(entry.name);
    // Plain `cuda` first, then the newest number.
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        const auto va = find_version(a, ""), vb = find_version(b, "");
        if (!va || !vb) return !va && vb;
        return *vb < *va;
    });
    for (auto& name : found) name = join_path(parent, name);
    // Not named by the user: a folder that this user cannot read is not a toolkit for this user.
    const auto closed = [&](const std::string& path) {
        return host.status(path).type != FileType::directory;
    };
    erase_if(found, closed);
    return found;
}

std::string programs_folder(const Host& host) {
    return host.env("ProgramFiles").value_or("C:/Program Files");
}

std::string toolkits_folder(const Host& host) {
    return join_path(programs_folder(host), "NVIDIA GPU Computing Toolkit/CUDA");
}

// CUDA_PATH_V13_0 is set by Windows' installer beside CUDA_PATH.
bool names_installation(const std::string& variable) {
    const std::string name = lower(variable);
    return starts_with(name, "cuda_path") || name == "cuda_home" || starts_with(name, "cudnn");
}

// What the installer has written since this program's prompt was opened: CUDA_PATH, CUDA_PATH_V13_0.
std::vector<std::string> folders_of_later_variables(const Host& host, std::vector<std::string> known) {
    for (const auto& [name, value] : host.environment())
        if (names_installation(name)) known.push_back(normal_path(value, System::windows));
    std::vector<std::string> found;
    for (const auto& [name, value] : host.later_environment()) {
        const std::string folder = normal_path(value, System::windows);
        const auto is_same = [&](const std::string& other) { return lower(other) == lower(folder); };
        if (!starts_with(lower(name), "cuda_path") || !is_folder(host, folder) || any_of(known, is_same))
            continue;
        known.push_back(folder);
        found.push_back(folder);
    }
    return found;
}

// CUDNN/v8.x/bin; CUDNN/v9.5/bin/12.6, since 9.14 also bin/12.9/x64.
void add_installer(const Host& host, std::vector<LibraryPlace>& places) {
    for (const std::string& version :
         folders_like(host, join_path(programs_folder(host), "NVIDIA/CUDNN"), "v")) {
        const std::string bin = join_path(version, "bin");
        places.push_back({bin, "installer", "", ""});
        for (const std::string& cuda : folders_like(host, bin, "")) {
            places.push_back({cuda, "installer", "", ""});
            places.push_back({join_path(cuda, "x64"), "installer", "", ""});
        }
    }
}

}  // namespace

std::vector<std::string> library_folders_of_toolkit(const Host& host, const std::string& root) {
    std::vector<std::string> folders;
    if (host.system() == System::windows)
        append(folders, {"bin", "bin/x64"});
    else
        append(folders, {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"});
    for (std::string& folder : folders) folder = join_path(root, folder);
    return folders;
}

std::vector<LibraryPlace> installed_libraries(const Host& host) {
    std::vector<LibraryPlace> places;
    for (const auto& [name, value] : host.environment()) {
        if (!names_installation(name) || !is_absolute(value, host.system())) continue;
        if (host.system() == System::windows)
            places.push_back({normal_path(value, host.system()), "toolkit", name, value});
        for (const std::string& folder : library_folders_of_toolkit(host, normal_path(value, host.system())))
            places.push_back({folder, "toolkit", name, value});
    }
    for (const std::string& root : default_folders(host))
        for (const std::string& folder : library_folders_of_toolkit(host, root))
            places.push_back({folder, "toolkit", "", ""});
    if (host.system() == System::windows) add_installer(host, places);
    return places;
}

std::vector<LibraryPlace> libraries_of_site(const Host& host, const std::string& site) {
    const bool windows = host.system() == System::windows;
    std::vector<std::string> below{"lib", "lib64"}, own{"lib", "lib64"};
    if (windows) {
        below = {"bin", "bin/x86_64", "bin/x64", "lib/x64"};
        own = {"Library/bin"};
    }
    std::vector<LibraryPlace> places;
    for (const std::string& package : folders_like(host, join_path(site, "nvidia"), ""))
        for (const std::string& folder : below)
            places.push_back({join_path(package, folder), "wheel", "", ""});
    const std::string prefix = prefix_of_site(site);
    const char* source = is_conda_prefix(host, prefix) ? "conda" : "system";
    for (const std::string& folder : own)
        if (!prefix.empty()) places.push_back({join_path(prefix, folder), source, "", ""});
    return places;
}

const std::vector<std::string>& system_library_folders() {
    static const std::vector<std::string> folders{"/usr/lib/x86_64-linux-gnu", "/usr/lib64",
                                                  "/usr/lib/aarch64-linux-gnu", "/usr/lib"};
    return folders;
}

// As programs read it that search for CUDA there: InstallDir in the key of each release.
std::vector<RegisteredToolkit> registered_toolkits(const Host& host) {
    if (host.system() != System::windows) return {};
    const std::string above = "SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA";
    const auto versions = host.registry(above);
    if (!versions) return {};
    std::vector<std::string> names = versions->keys;
    std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        const auto va = find_version(a, ""), vb = find_version(b, "");
        return va && (!vb || *vb < *va);
    });
    std::vector<RegisteredToolkit> toolkits;
    for (const std::string& name : names) {
        const auto key = host.registry(above + "\\" + name);
        if (!key) continue;
        for (const auto& [value_name, value] : key->values) {
            if (lower(value_name) != "installdir" || !is_absolute(trim(value), System::windows)) continue;
            const std::string folder = normal_path(trim(value), System::windows);
            const bool elsewhere = lower(parent_path(folder)) != lower(toolkits_folder(host));
            toolkits.push_back({"HKLM\\" + above + "\\" + name, folder, elsewhere});
        }
    }
    return toolkits;
}

std::vector<std::string> default_folders(const Host& host) {
    if (host.system() == System::windows) {
        std::vector<std::string> folders = folders_like(host, toolkits_folder(host), "v");
        append(folders, folders_of_later_variables(host, folders));
        for (const RegisteredToolkit& one : registered_toolkits(host)) {
            const auto is_it = [&](const std::string& other) { return lower(other) == lower(one.folder); };
            if (is_folder(host, one.folder) && none_of(folders, is_it)) folders.push_back(one.folder);
        }
        return folders;
    }
    std::vector<std::string> folders = folders_like(host, "/usr/local", "cuda");
    append(folders, folders_like(host, "/opt", "cuda"));
    for (const char* folder : {"/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"})
        if (host.status(folder).type == FileType::directory) folders.push_back(folder);
    if (host.status("/opt/nvidia/hpc_sdk").type != FileType::directory) return folders;
    for (const auto& platform : folders_like(host, "/opt/nvidia/hpc_sdk", "Linux"))
        for (const auto& release : folders_like(host, platform, "2"))
            for (const auto& cuda : folders_like(host, release, "cuda")) {
                folders.push_back(cuda);
                append(folders, folders_like(host, cuda, "1"));
            }
    return folders;
}

std::string windows_folder(const Host& host) {
    for (const char* name : {"SystemRoot", "windir"})
        if (const auto folder = host.env(name); folder && is_absolute(*folder, System::windows))
            return normal_path(*folder, System::windows);
    return "C:/Windows";
}

}  // namespace ptxguard
