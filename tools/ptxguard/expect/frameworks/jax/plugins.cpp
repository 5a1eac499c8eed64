// Packages with a CUDA part in a site-packages folder, and their own metadata.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/filling.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/reading.hpp"
#include "python/specifier.hpp"

namespace ptxguard::jax {
namespace {

// The first of the names to which a Python file assigns a version.
Known<Version> assigned_version(const Host& host, const std::string& path,
                                std::initializer_list<const char*> names) {
    const auto text = read_text(host, path);
    if (!text) return {};
    const auto assignments = read_python_assignments(*text);
    for (const char* name : names)
        for (const PythonAssignment& assignment : assignments) {
            if (assignment.name != name || !assignment.value.is_text()) continue;
            if (const auto version = parse_version(assignment.value.text))
                return {*version, Origin::from_file(path, assignment.line)};
        }
    return {};
}

// "jax_cuda12_plugin" -> 12, "xla_cuda13" -> 13
std::optional<int> major_between(const std::string& name, const std::string& before,
                                 const std::string& after) {
    if (name.size() != before.size() + 2 + after.size() || !starts_with(name, before) ||
        !ends_with(name, after))
        return std::nullopt;
    const auto version = parse_version(name.substr(before.size(), 2));
    return version && version->major() >= 10 ? std::optional<int>(version->major()) : std::nullopt;
}

std::vector<std::string> folders_in(const Host& host, const std::string& folder) {
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : entries_in(host, folder)) names.push_back(entry.name);
    return names;
}

Plugin& plugin_of(std::vector<Plugin>& plugins, int major) {
    for (Plugin& plugin : plugins)
        if (plugin.cuda_major == major) return plugin;
    plugins.emplace_back();
    plugins.back().cuda_major = major;
    plugins.back().package = "jax-cuda" + std::to_string(major) + "-plugin";
    return plugins.back();
}

// jax 0.4.35 requires jaxlib 0.4.34 and a plugin of 0.4.34 or 0.4.35.
bool jax_asks_for(const Site& site, const Plugin& plugin) {
    for (const InstalledWheel& wheel : installed_wheels(site.host, site.folder, {"jax"}))
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (requirement.name == plugin.package && !requirement.specifier.empty() &&
                accepts(requirement.specifier, *plugin.version))
                return true;
    return false;
}

}  // namespace

Site look_at(const Host& host, const std::string& folder) {
    return {host, folder, installed_wheels(host, folder, {"jax", "jaxlib", "jax-*"})};
}

const InstalledWheel* wheel_of(const Site& site, const std::string& package) {
    for (const InstalledWheel& wheel : site.wheels)
        if (wheel.metadata.name == package) return &wheel;
    return nullptr;
}

Known<Version> version_of(const Site& site, const std::string& package, const std::string& folder) {
    // version.py computes __version__; the release number is assigned before.
    const Known<Version> assigned = assigned_version(site.host, join_path(folder, "version.py"),
                                                     {"_release_version", "__version__", "_version"});
    for (const InstalledWheel& wheel : site.wheels) {
        Known<Version> version = wheel.version();
        // The record has the more exact version (jaxlib's build); one of another release is stale.
        if (wheel.metadata.name == package && version && (!assigned || *version == *assigned)) return version;
    }
    return assigned;
}

std::vector<Plugin> find_plugins(const Site& site) {
    std::vector<Plugin> plugins;
    for (const std::string& name : folders_in(site.host, site.folder)) {
        const auto major = major_between(name, "jax_cuda", "_plugin");
        const std::string folder = join_path(site.folder, name);
        if (!major || !is_folder(site.host, folder)) continue;
        Plugin& plugin = plugin_of(plugins, *major);
        plugin.modules = folder;
        plugin.version = version_of(site, plugin.package, folder);
    }
    const std::string above = join_path(site.folder, "jax_plugins");
    for (const std::string& name : folders_in(site.host, above)) {
        const auto major = major_between(name, "xla_cuda", "");
        const std::string folder = join_path(above, name);
        if (!major || !is_folder(site.host, folder)) continue;
        Plugin& plugin = plugin_of(plugins, *major);
        plugin.pjrt = folder;
        plugin.has_library = is_file(site.host, join_path(folder, "xla_cuda_plugin.so"));
        plugin.pjrt_version = version_of(site, "jax-cuda" + std::to_string(*major) + "-pjrt", folder);
        if (!plugin.version) plugin.version = plugin.pjrt_version;
    }
    std::sort(plugins.begin(), plugins.end(),
              [](const Plugin& a, const Plugin& b) { return a.cuda_major > b.cuda_major; });
    return plugins;
}

void read_plugin(const Site& site, const Plugin& plugin, Expectation& expectation) {
    const std::string shown = plugin.modules.empty() ? plugin.pjrt : plugin.modules;
    const Origin origin = Origin::from_file(shown);
    expectation.build_package = plugin.package;
    expectation.build_version = plugin.version;
    set_vendor(expectation, Vendor::cuda, origin);
    if (!plugin.modules.empty()) read_built_versions(site.host, plugin.modules, expectation);
    if (const InstalledWheel* wheel = wheel_of(site, plugin.package))
        expectation.asks_for = nvidia_packages(*wheel, site.host.system(), {"with-cuda", "with_cuda"});
}

void read_packages(const Site& site, const std::vector<Plugin>& plugins, Expectation& expectation) {
    JaxPackages& found = expectation.jax;
    found.jax = version_of(site, "jax", join_path(site.folder, "jax"));
    found.jaxlib = version_of(site, "jaxlib", join_path(site.folder, "jaxlib"));
    found.lowest_jaxlib =
        assigned_version(site.host, join_path(site.folder, "jax/version.py"), {"_minimum_jaxlib_version"});
    found.compares = is_file(site.host, join_path(site.folder, "jaxlib/plugin_support.py"));
    if (plugins.empty()) return;
    const Plugin& used = plugins.front();
    found.plugin = used.package;
    found.pjrt = "jax-cuda" + std::to_string(used.cuda_major) + "-pjrt";
    found.plugin_version = used.version;
    found.pjrt_version = used.pjrt_version;
    found.has_modules = !used.modules.empty();
    found.has_library = used.has_library;
    found.requires_it = used.version && jax_asks_for(site, used);
}

}  // namespace ptxguard::jax
