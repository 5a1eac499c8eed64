// Where installers put toolkits. Only folder names are checked here.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "discover/selectors.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

std::vector<std::string> folders_like(const Host& host, const std::string& parent, const std::string& start) {
    std::vector<std::string> found;
    const auto entries = host.list(parent);
    if (!entries) return found;
    for (const auto& entry : *entries)
        if (entry.type == FileType::directory && starts_with(entry.name, start)) found.push_back(entry.name);
    // Plain `cuda` first, then the newest number.
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        const auto va = find_version(a, ""), vb = find_version(b, "");
        if (!va || !vb) return !va && vb;
        return *vb < *va;
    });
    for (auto& name : found) name = join_path(parent, name);
    // Nobody named these folders: one that this user cannot read is no toolkit for this user.
    const auto closed = [&](const std::string& path) {
        return host.status(path).type != FileType::directory;
    };
    found.erase(std::remove_if(found.begin(), found.end(), closed), found.end());
    return found;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<std::string> default_folders(const Host& host) {
    if (host.system() == System::windows)
        return folders_like(host, "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA", "v");
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

}  // namespace ptxguard
