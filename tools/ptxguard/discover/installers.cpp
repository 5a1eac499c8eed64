// Only files and variables are read: no package manager is run.
// SPDX-License-Identifier: Apache-2.0
#include "discover/installers.hpp"

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool is_set(const Host& host, const char* name) { return !host.env(name).value_or("").empty(); }

// "cuda/12.8.1", "cuda/12.8.1.lua" in the folders of MODULEPATH.
void add_modules(const Host& host, Scenario& scenario) {
    if (!is_set(host, "LMOD_CMD") && !is_set(host, "MODULESHOME") && !is_set(host, "MODULEPATH")) return;
    Installer module{"module", false, {}};
    for (const std::string& folder : split_list(host.env("MODULEPATH").value_or(""), System::linux_))
        for (const char* name : {"cuda", "CUDA", "cudatoolkit", "nvidia/cuda"}) {
            const auto entries = host.list(join_path(folder, name));
            if (!entries) continue;
            for (const DirectoryEntry& entry : *entries) {
                std::string release = entry.name;
                if (ends_with(release, ".lua")) release.resize(release.size() - 4);
                if (starts_with(release, ".") || !parse_version(release)) continue;
                add_once(module.releases, std::string(name) + "/" + release);
            }
        }
    scenario.installers.push_back(std::move(module));
}

void add_conda(const Host& host, Scenario& scenario) {
    const bool active = is_set(host, "CONDA_PREFIX");
    for (const char* name : {"conda", "mamba", "micromamba"})
        if (!program_on_path(host, name).empty() || (active && std::string(name) == "conda"))
            return scenario.installers.push_back({name, active, {}});
}

void add_pip(const Host& host, Scenario& scenario) {
    const bool active = is_set(host, "VIRTUAL_ENV");
    if (active || !scenario.python.path.empty()) scenario.installers.push_back({"pip", active, {}});
}

// NVIDIA's repository lists toolkits of all releases, those of distributions only one.
void add_system_packages(const Host& host, Scenario& scenario) {
    const auto lists_cuda = [&](const char* folder) {
        const auto entries = host.list(folder);
        return entries &&
               any_of(*entries, [](const DirectoryEntry& entry) { return starts_with(entry.name, "cuda"); });
    };
    if (lists_cuda("/etc/apt/sources.list.d")) scenario.installers.push_back({"apt-get", false, {}});
    if (lists_cuda("/etc/yum.repos.d")) scenario.installers.push_back({"dnf", false, {}});
}

}  // namespace

void find_installers(const Host& host, Scenario& scenario) {
    if (host.system() == System::linux_) add_modules(host, scenario);
    add_conda(host, scenario);
    add_pip(host, scenario);
    if (host.system() == System::linux_) add_system_packages(host, scenario);
}

}  // namespace ptxguard
