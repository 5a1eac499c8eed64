// Lines of a .pth file that start with `import` are code and are not run. Of those only setuptools' editable
// finders are supported, whose MAPPING is in a module next to the .pth file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/python_assignments.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "packages/python.hpp"
#include "packages/reading.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_places{64, "folders that Python imports from", "later ones"};
constexpr std::size_t k_pth_limit = 64u << 10;

// pip's records are next to the files that it installed (pip install --target); a source tree has none.
bool is_installed_into(const Host& host, const std::string& folder) {
    return any_of(entries_in(host, folder), [&](const DirectoryEntry& entry) {
        return ends_with(entry.name, ".dist-info") &&
               is_file(host, join_path(join_path(folder, entry.name), "RECORD"));
    });
}

void add(const Host& host, std::vector<SitePlace>& places, const std::string& folder) {
    const std::string path = normal_path(folder, host.system());
    const bool known = any_of(places, [&](const SitePlace& place) { return place.folder == path; });
    if (known || !is_folder(host, path) || host.exceeds(k_most_places, places.size() + 1, path)) return;
    places.push_back({path, !is_installed_into(host, path)});
}

// __editable___torch_2_8_0_finder.py: MAPPING = {'torch': '/src/pytorch/torch'}
void add_finder(const Host& host, std::vector<SitePlace>& places, const std::string& module) {
    const auto text = read_text(host, module, k_text_limit);
    if (!text) return;
    for (const PythonAssignment& assignment : read_python_assignments(*text)) {
        if (assignment.name != "MAPPING") continue;
        for (const auto& [name, value] : assignment.pairs)
            if (value.is_text() && file_name(value.text) == name) add(host, places, parent_path(value.text));
    }
}

void add_path_file(const Host& host, std::vector<SitePlace>& places, const std::string& site,
                   const std::string& name) {
    const auto text = read_text(host, join_path(site, name), k_pth_limit);
    if (!text) return;
    for (const std::string_view raw : lines_of(*text)) {
        const std::string line(trimmed(raw));
        if (line.empty() || line[0] == '#') continue;
        if (starts_with(line, "import ") || starts_with(line, "import\t")) {
            const auto words = split(line, " \t;,.");
            if (words.size() > 1 && starts_with(words[1], "__editable__"))
                add_finder(host, places, join_path(site, words[1] + ".py"));
        } else {
            add(host, places, join_path(site, line));
        }
    }
}

void add_egg_link(const Host& host, std::vector<SitePlace>& places, const std::string& site,
                  const std::string& name) {
    const auto text = read_text(host, join_path(site, name), k_pth_limit);
    if (!text) return;
    const auto lines = lines_of(*text);
    if (!lines.empty() && !trimmed(lines.front()).empty())
        add(host, places, join_path(site, std::string(trimmed(lines.front()))));
}

// {"url": "file:///src/pytorch", "dir_info": {"editable": true}}
void add_direct_url(const Host& host, std::vector<SitePlace>& places, const std::string& file) {
    const auto text = read_text(host, file, k_pth_limit);
    if (!text) return;
    const auto json = parse_json(*text, file);
    if (!json || !(*json)["dir_info"]["editable"].as_bool()) return;
    std::string url = (*json)["url"].as_string();
    if (!starts_with(url, "file://")) return;
    url = percent_decoded(std::string_view(url).substr(7));
    if (host.system() == System::windows && starts_with(url, "/")) url.erase(0, 1);  // file:///C:/src
    add(host, places, url);
    add(host, places, join_path(url, "src"));
}

void add_of_site(const Host& host, std::vector<SitePlace>& places, const std::string& site) {
    const Entries entries = entries_in(host, site);
    auto* own = first_where(places, [&](const SitePlace& place) { return place.folder == site; });
    for (const DirectoryEntry& entry : entries)
        if (own && ends_with(entry.name, ".dist-info"))
            own->records.push_back(canonical_package(entry.name.substr(0, entry.name.find('-'))));
    for (const DirectoryEntry& entry : entries) {
        if (ends_with(entry.name, ".pth")) add_path_file(host, places, site, entry.name);
        if (ends_with(entry.name, ".egg-link")) add_egg_link(host, places, site, entry.name);
    }
    for (const DirectoryEntry& entry : entries) {
        const std::string file = join_path(join_path(site, entry.name), "direct_url.json");
        if (ends_with(entry.name, ".dist-info") && is_file(host, file)) add_direct_url(host, places, file);
    }
}

}  // namespace

std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders) {
    std::vector<SitePlace> places;
    for (const std::string& folder : folders) {
        const std::string path = normal_path(folder, host.system());
        const bool known = any_of(places, [&](const SitePlace& place) { return place.folder == path; });
        if (!known) places.push_back({path, false});
        add_of_site(host, places, path);
    }
    return places;
}

// pyvenv.cfg, lib/python3.X/site-packages, Debian's dist-packages, lib64, Windows' Lib\site-packages, the
// user's site.

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
        for (const DirectoryEntry& entry : entries_in(host, join_path(prefix, library))) {
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
    for (const DirectoryEntry& entry : entries_in(host, prefix)) {
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
