// Only folders that exist are returned, each once.
// SPDX-License-Identifier: Apache-2.0
#include "discover/python_folders.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {
namespace {

void add(const Host& host, std::vector<PythonFolder>& folders, const std::string& folder,
         const std::string& because) {
    if (!is_folder(host, folder)) return;
    const bool known =
        std::any_of(folders.begin(), folders.end(), [&](const auto& f) { return f.folder == folder; });
    if (!known) folders.push_back({folder, because});
}

// PREFIX/lib/python3.11/site-packages; Debian's own Python says dist-packages.
void add_prefix(const Host& host, std::vector<PythonFolder>& folders, const std::string& prefix,
                const std::string& because) {
    if (host.system() == System::windows)
        return add(host, folders, join_path(prefix, "Lib/site-packages"), because);
    for (const char* lib : {"lib", "lib64"}) {
        const auto entries = host.list(join_path(prefix, lib));
        if (!entries || (prefix == "/usr" && std::string(lib) == "lib64")) continue;
        for (const auto& entry : *entries) {
            if (!starts_with(entry.name, "python3")) continue;
            for (const char* name : {"site-packages", "dist-packages"})
                add(host, folders, join_path(join_path(join_path(prefix, lib), entry.name), name), because);
        }
    }
}

void add_interpreter(const Host& host, std::vector<PythonFolder>& folders, const std::string& program,
                     const std::string& because) {
    const std::string bin = parent_path(program);
    if (file_name(bin) == "shims") {  // pyenv: the version in use stands in a variable or a file
        const std::string root = parent_path(bin);
        std::string version = host.env("PYENV_VERSION").value_or("");
        if (version.empty())
            version = host.read(join_path(root, "version"), 4096).operator bool()
                          ? *host.read(join_path(root, "version"), 4096)
                          : "";
        const auto lines = split(version, "\r\n:");
        if (!lines.empty())
            add_prefix(host, folders, join_path(root, "versions/" + trim(lines.front())), because);
        return;
    }
    if (host.system() == System::windows) {
        const std::string prefix = lower(file_name(bin)) == "scripts" ? parent_path(bin) : bin;
        return add_prefix(host, folders, prefix, because);
    }
    const std::string prefix = parent_path(bin);
    if (prefix != "/usr") return add_prefix(host, folders, prefix.empty() ? "/" : prefix, because);
    add_prefix(host, folders, "/usr/local", because);
    add(host, folders, "/usr/lib/python3/dist-packages", because);
}

}  // namespace

std::vector<PythonFolder> python_folders(const Host& host, const std::string& python_option) {
    std::vector<PythonFolder> folders;
    if (!python_option.empty()) {
        if (host.status(python_option).type != FileType::directory) {
            add_interpreter(host, folders, python_option, "--python");
        } else {
            const std::string name(file_name(python_option));
            if (name == "site-packages" || name == "dist-packages" ||
                is_folder(host, join_path(python_option, "nvidia")))
                add(host, folders, python_option, "--python");
            add_prefix(host, folders, python_option, "--python");
        }
    }
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = host.env(name); prefix && is_absolute(*prefix, host.system()))
            add_prefix(host, folders, *prefix, name);
    for (const auto& entry : split_list(host.env("PATH").value_or(""), host.system()))
        for (const char* stem : {"python3", "python"}) {
            const std::string program = join_path(entry, executable_name(stem, host.system()));
            if (entry.empty() || host.status(program).type != FileType::regular) continue;
            add_interpreter(host, folders, program, "PATH");
            return folders;
        }
    return folders;
}

}  // namespace ptxguard
