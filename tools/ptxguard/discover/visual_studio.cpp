// Installations are found as vswhere finds them, by the state files of the installer, and in the default
// folders, which an unpacked tree also has.
// SPDX-License-Identifier: Apache-2.0
#include "discover/visual_studio.hpp"

#include <algorithm>
#include <set>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_state_size = 4u << 20;

std::vector<std::string> folders_in(const Host& host, const std::string& folder) {
    std::vector<std::string> found;
    const auto entries = host.list(folder);
    for (const DirectoryEntry& entry : entries ? *entries : Entries())
        if (entry.type == FileType::directory) found.push_back(join_path(folder, entry.name));
    return found;
}

void add_by_state_files(const Host& host, std::vector<std::string>& installations) {
    const std::string data = host.env("ProgramData").value_or("C:/ProgramData");
    for (const std::string& instance :
         folders_in(host, join_path(data, "Microsoft/VisualStudio/Packages/_Instances"))) {
        const std::string file = join_path(instance, "state.json");
        auto text = host.read(file, k_state_size);
        if (!text) continue;
        if (starts_with(*text, "\xEF\xBB\xBF")) text->erase(0, 3);
        const auto state = parse_json(*text, file);
        const std::string path = state ? (*state)["installationPath"].as_string() : "";
        if (!path.empty()) installations.push_back(path);
    }
}

// Program Files/Microsoft Visual Studio/2022/BuildTools
void add_default_folders(const Host& host, std::vector<std::string>& installations) {
    std::set<std::string> programs = {"C:/Program Files", "C:/Program Files (x86)"};
    for (const char* name : {"ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"})
        if (const auto folder = host.env(name)) programs.insert(normal_path(*folder, System::windows));
    for (const std::string& folder : programs)
        for (const std::string& release : folders_in(host, join_path(folder, "Microsoft Visual Studio")))
            for (const std::string& edition : folders_in(host, release)) installations.push_back(edition);
}

}  // namespace

Known<Version> msvc_version(const std::string& path) {
    const std::size_t at = lower(path).find("/msvc/");
    if (at == std::string::npos) return {};
    const auto toolset = parse_version(path.substr(at + 6, path.find('/', at + 6) - at - 6));
    if (!toolset || toolset->major() != 14) return {};
    Origin origin = Origin::from_file(path);
    origin.text = "toolset folder " + toolset->text;
    const std::string text = "19." + toolset->text.substr(3);
    if (const auto version = parse_version(text)) return {*version, origin};
    return {};
}

std::vector<std::string> installed_msvc(const Host& host) {
    std::vector<std::string> installations, compilers;
    if (host.system() != System::windows) return compilers;
    for (const char* name : {"VSINSTALLDIR", "VCINSTALLDIR"})
        if (const auto folder = host.env(name)) installations.push_back(*folder);
    add_by_state_files(host, installations);
    add_default_folders(host, installations);
    std::set<std::string> seen;
    for (const std::string& installation : installations)
        for (const char* below : {"VC/Tools/MSVC", "Tools/MSVC"}) {
            const std::string toolsets = join_path(normal_path(installation, System::windows), below);
            for (const std::string& toolset : folders_in(host, toolsets)) {
                const std::string compiler = join_path(toolset, "bin/Hostx64/x64/cl.exe");
                if (is_file(host, compiler) && msvc_version(compiler) && seen.insert(lower(compiler)).second)
                    compilers.push_back(compiler);
            }
        }
    std::stable_sort(compilers.begin(), compilers.end(), [](const std::string& a, const std::string& b) {
        return *msvc_version(b) < *msvc_version(a);
    });
    return compilers;
}

}  // namespace ptxguard
