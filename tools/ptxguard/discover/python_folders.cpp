// Only folders that exist are returned, each once.
// SPDX-License-Identifier: Apache-2.0
#include "discover/python_folders.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/python_layout.hpp"
#include "packages/python_paths.hpp"

namespace ptxguard {
namespace {

void add(const Host& host, std::vector<PythonFolder>& folders, const std::string& folder,
         const std::string& because) {
    if (!is_folder(host, folder)) return;
    const bool known =
        std::any_of(folders.begin(), folders.end(), [&](const auto& f) { return f.folder == folder; });
    if (!known) folders.push_back({folder, because});
}

void add(const Host& host, std::vector<PythonFolder>& folders, const std::optional<PythonLayout>& layout,
         const std::string& because) {
    if (!layout) return;
    for (const SitePlace& place : with_added_paths(host, site_folders(host, *layout)))
        add(host, folders, place.folder, because);
}

// A named folder: site-packages, or an environment or installation that contains it.
void add_named(const Host& host, std::vector<PythonFolder>& folders, const std::string& folder) {
    const std::string name(file_name(folder));
    const bool site = name == "site-packages" || name == "dist-packages";
    if (site || is_folder(host, join_path(folder, "nvidia"))) add(host, folders, folder, "--python");
    if (!site) add(host, folders, layout_of_prefix(host, folder), "--python");
}

}  // namespace

std::vector<PythonFolder> python_folders(const Host& host, const std::string& python_option) {
    std::vector<PythonFolder> folders;
    if (host.status(python_option).type == FileType::directory)
        add_named(host, folders, python_option);
    else if (!python_option.empty())
        add(host, folders, layout_of_interpreter(host, python_option), "--python");
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = host.env(name); prefix && is_absolute(*prefix, host.system()))
            add(host, folders, layout_of_prefix(host, *prefix), name);
    for (const auto& entry : split_list(host.env("PATH").value_or(""), host.system()))
        for (const char* stem : {"python3", "python"}) {
            const std::string program = join_path(entry, executable_name(stem, host.system()));
            if (entry.empty() || host.status(program).type != FileType::regular) continue;
            add(host, folders, layout_of_interpreter(host, program), "PATH");
            return folders;
        }
    return folders;
}

}  // namespace ptxguard
