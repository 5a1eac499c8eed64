// pyvenv.cfg, lib/python3.X/site-packages, Debian's dist-packages, lib64, Windows' Lib\site-packages, the
// user's site.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "packages/python.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/version.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

// "3.11" of "python3.11", "3.13t" of "python3.13t"; empty for "python3" and others.
std::string version_of_name(std::string_view name) {
    for (const std::string_view stem : {"python", "pypy"}) {
        if (name.substr(0, stem.size()) != stem) continue;
        std::string_view rest = name.substr(stem.size());
        const std::size_t dot = rest.find('.');
        if (dot == 0 || dot == std::string_view::npos) continue;
        std::string_view digits = rest;
        if (digits.back() == 't') digits.remove_suffix(1);
        const bool numbers = all_of(digits, [](char c) { return is_digit(c) || c == '.'; });
        if (numbers && digits.size() > dot + 1) return std::string(rest);
    }
    return {};
}

// Folders python3.X under lib or lib64, newest first.
std::vector<std::string> versions_in(const Host& host, const std::string& prefix) {
    std::vector<std::string> versions;
    for (const char* library : {"lib", "lib64"}) {
        const auto entries = host.list(join_path(prefix, library));
        if (!entries) continue;
        for (const DirectoryEntry& entry : *entries) {
            std::string version = entry.type == FileType::directory ? version_of_name(entry.name) : "";
            if (!version.empty() && !contains(versions, version)) versions.push_back(std::move(version));
        }
    }
    std::sort(versions.begin(), versions.end(), [](const std::string& a, const std::string& b) {
        const auto x = find_version(a, ""), y = find_version(b, "");
        return x && y && *x != *y ? *x > *y : a < b;
    });
    return versions;
}

std::string prefix_of_program_folder(const Host& host, const std::string& folder) {
    const std::string name = lower(file_name(folder));
    if (name == "bin" || (host.system() == System::windows && name == "scripts")) return parent_path(folder);
    return folder;
}

// pyvenv.cfg has 3.13 for a free-threaded 3.13t too; the folder shows which it is.
void take_version(PythonLayout& layout, const std::string& listed) {
    const auto has = [&](const std::string& version) { return contains(layout.versions, version); };
    layout.versions = {has(listed + "t") && !has(listed) ? listed + "t" : listed};
}

std::optional<PythonLayout> virtual_environment(const Host& host, const std::string& prefix) {
    const auto text = read_text(host, join_path(prefix, "pyvenv.cfg"), 64u << 10);
    if (!text) return std::nullopt;
    PythonLayout layout;
    layout.prefix = prefix;
    layout.is_virtual = true;
    layout.sees_system = false;
    layout.versions = versions_in(host, prefix);
    for (const std::string_view line : lines_of(*text)) {
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string key = lower(trimmed(line.substr(0, equals)));
        const std::string_view value = trimmed(line.substr(equals + 1));
        if (key == "home") layout.home = value;
        if (key == "include-system-site-packages") layout.sees_system = lower(value) == "true";
        if (key == "version" || key == "version_info")
            if (const auto version = find_version(value, "")) take_version(layout, version->release());
    }
    if (!layout.home.empty()) layout.base = prefix_of_program_folder(host, layout.home);
    return layout;
}

void add(const Host& host, std::vector<std::string>& folders, const std::string& folder) {
    if (is_folder(host, folder)) folders.push_back(folder);
}

void add_prefix(const Host& host, std::vector<std::string>& folders, const std::string& prefix,
                const std::vector<std::string>& versions) {
    if (host.system() == System::windows) {
        add(host, folders, join_path(prefix, "Lib/site-packages"));
        return;
    }
    // Debian's Python has a dist-packages folder for what pip installs; Fedora's and its derivatives' a
    // site-packages folder.
    const bool debian = prefix == "/usr" && is_folder(host, "/usr/lib/python3/dist-packages");
    for (const std::string& version : versions) {
        if (prefix == "/usr") add(host, folders, "/usr/local/lib/python" + version + "/dist-packages");
        if (prefix == "/usr" && !debian)
            for (const char* library : {"lib64", "lib"})
                add(host, folders,
                    "/usr/local/" + std::string(library) + "/python" + version + "/site-packages");
        for (const char* library : {"lib", "lib64"})
            for (const char* stem : {"python", "pypy"})
                add(host, folders,
                    join_path(prefix, std::string(library) + "/" + stem + version + "/site-packages"));
        if (prefix == "/usr") {
            add(host, folders, "/usr/lib/python3/dist-packages");
            add(host, folders, "/usr/lib/python" + version + "/dist-packages");
        }
    }
}

void add_user(const Host& host, std::vector<std::string>& folders, const std::vector<std::string>& versions) {
    if (!host.env("PYTHONNOUSERSITE").value_or("").empty()) return;
    const bool windows = host.system() == System::windows;
    std::string base = host.env("PYTHONUSERBASE").value_or("");
    if (base.empty() && windows && host.env("APPDATA")) base = join_path(*host.env("APPDATA"), "Python");
    if (base.empty() && !windows && host.env("HOME")) base = join_path(*host.env("HOME"), ".local");
    if (base.empty()) return;
    for (const std::string& version : versions) {
        std::string digits = version;
        digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
        add(host, folders,
            join_path(base, windows ? "Python" + digits + "/site-packages"
                                    : "lib/python" + version + "/site-packages"));
    }
}

// On Windows the name of python311.dll next to python.exe has the version.
std::vector<std::string> versions_of_dlls(const Host& host, const std::string& prefix) {
    std::vector<std::string> versions;
    const auto entries = host.list(prefix);
    if (!entries) return versions;
    for (const DirectoryEntry& entry : *entries) {
        const std::string name = lower(entry.name);
        if (!starts_with(name, "python3") || !ends_with(name, ".dll")) continue;
        const std::string version = name.substr(7, name.size() - 11);  // "13t" of the free-threaded 3.13
        const std::string digits = version.substr(0, version.find('t'));
        if (!digits.empty() && all_of(digits, is_digit)) versions.push_back("3." + version);
    }
    return versions;
}

// Keeps each folder once, by identity.
std::vector<std::string> unique(const Host& host, const std::vector<std::string>& folders) {
    std::vector<std::string> kept;
    std::vector<FileStatus> seen;
    for (const std::string& folder : folders) {
        const FileStatus status = host.status(folder);
        const bool known = any_of(seen, [&](const FileStatus& other) {
            return other.device == status.device && other.inode == status.inode;
        });
        if (!known) kept.push_back(folder);
        seen.push_back(status);
    }
    return kept;
}

}  // namespace

std::optional<PythonLayout> layout_of_interpreter(const Host& host, const std::string& interpreter) {
    if (!is_file(host, interpreter)) return std::nullopt;
    const std::string program = follow_wrappers(host, interpreter);
    const std::string folder = parent_path(program);
    for (const std::string& candidate : {parent_path(folder), folder})
        if (auto layout = virtual_environment(host, candidate)) return layout;
    const std::string path = real_or_same(host, program);
    PythonLayout layout;
    layout.prefix = prefix_of_program_folder(host, parent_path(path));
    layout.versions = versions_in(host, layout.prefix);
    std::string version = version_of_name(lower(file_name(path)));
    if (version.empty()) version = version_of_name(lower(file_name(program)));
    if (!version.empty()) layout.versions = {version};
    if (host.system() == System::windows) layout.versions = versions_of_dlls(host, layout.prefix);
    return layout;
}

std::optional<PythonLayout> layout_of_prefix(const Host& host, const std::string& prefix) {
    if (!is_folder(host, prefix)) return std::nullopt;
    if (auto layout = virtual_environment(host, prefix)) return layout;
    PythonLayout layout;
    layout.prefix = prefix;
    if (host.system() == System::windows) {
        layout.versions = versions_of_dlls(host, prefix);
        const bool installed = is_file(host, join_path(prefix, "python.exe")) ||
                               is_folder(host, join_path(prefix, "Lib/site-packages"));
        return installed ? std::optional<PythonLayout>(layout) : std::nullopt;
    }
    for (const char* name : {"bin/python3", "bin/python"})
        if (is_file(host, join_path(prefix, name)))
            return layout_of_interpreter(host, join_path(prefix, name));
    layout.versions = versions_in(host, prefix);
    if (layout.versions.empty()) return std::nullopt;
    return layout;
}

std::string isolated_build(const Host& host) {
    for (const std::string& entry : split_list(host.env("PYTHONPATH").value_or(""), host.system())) {
        const std::string build = parent_path(normal_path(entry, host.system()));
        if (!is_absolute(entry, host.system()) || !is_file(host, join_path(entry, "sitecustomize.py")))
            continue;
        // What was installed for the build; without requirements neither folder exists.
        if (starts_with(file_name(build), "pip-build-env-") || is_folder(host, join_path(build, "overlay")))
            return build;
    }
    return {};
}

std::vector<std::string> site_folders(const Host& host, const PythonLayout& layout) {
    std::vector<std::string> folders;
    for (const std::string& entry : split_list(host.env("PYTHONPATH").value_or(""), host.system()))
        if (is_absolute(entry, host.system())) add(host, folders, entry);
    const std::string build = isolated_build(host);
    if (!build.empty()) {
        for (const char* name : {"normal", "overlay"}) {
            const std::string prefix = join_path(build, name);
            add_prefix(host, folders, prefix, versions_in(host, prefix));
            const std::string debian = join_path(prefix, "local");  // Debian's Python installs there
            for (const std::string& version : versions_in(host, debian))
                add(host, folders, join_path(debian, "lib/python" + version + "/dist-packages"));
        }
        return unique(host, folders);
    }
    // EasyBuild's Python adds the prefixes of the loaded modules.
    for (const std::string& prefix : split_list(host.env("EBPYTHONPREFIXES").value_or(""), host.system()))
        add_prefix(host, folders, prefix, layout.versions);
    if (layout.is_virtual) add_prefix(host, folders, layout.prefix, layout.versions);
    if (layout.sees_system) {
        add_user(host, folders, layout.versions);
        const std::string base = layout.is_virtual ? layout.base : layout.prefix;
        if (!base.empty()) add_prefix(host, folders, base, layout.versions);
    }
    return unique(host, folders);
}

}  // namespace ptxguard
