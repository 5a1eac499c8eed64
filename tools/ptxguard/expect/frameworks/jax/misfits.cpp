// The comparisons of jax and jaxlib at import: jaxlib must not be newer than jax nor older than jax's
// minimum; a plugin must have exactly jaxlib's release, otherwise it is skipped.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::jax {
namespace {

std::string named(const std::string& package, const Known<Version>& version) {
    return package + (version ? " " + version->text : std::string());
}

std::string plain(const Version& version) { return version.text.substr(0, version.text.find('+')); }

// The oldest jaxlib that this jax accepts.
Known<Version> lowest_jaxlib(const Site& site) {
    const std::string path = join_path(site.folder, "jax/version.py");
    const auto text = read_text(site.host, path);
    if (!text) return {};
    for (const PythonAssignment& assignment : read_python_assignments(*text)) {
        if (assignment.name != "_minimum_jaxlib_version" || !assignment.value.is_text()) continue;
        if (const auto version = parse_version(assignment.value.text))
            return {*version, Origin::from_file(path, assignment.line)};
    }
    return {};
}

Misfit between(const std::string& package, const Known<Version>& version, const std::string& other,
               const Known<Version>& other_version) {
    Misfit misfit;
    misfit.package = named(package, version);
    misfit.package_origin = version.origin;
    misfit.other = named(other, other_version);
    misfit.other_origin = other_version.origin;
    return misfit;
}

void compare_jaxlib(const Site& site, const Known<Version>& jax, const Known<Version>& jaxlib,
                    Expectation& expectation) {
    const Known<Version> lowest = lowest_jaxlib(site);
    const bool too_new = *jaxlib > *jax, too_old = lowest && *jaxlib < *lowest;
    if (!too_new && !too_old) return;
    Misfit misfit = between("jaxlib", jaxlib, "jax", jax);
    misfit.message = too_new
                         ? "is newer than " + misfit.other
                         : "is older than " + lowest->text + ", the oldest that " + misfit.other + " takes";
    misfit.effect = "importing jax ends with a RuntimeError that says so";
    misfit.harm = Harm::import;
    misfit.wanted = plain(too_new ? *jax : *lowest);
    if (too_old) misfit.other_origin = lowest.origin;
    misfit.fix = "python3 -m pip install 'jaxlib==" + plain(*jax) + "'";
    expectation.misfits.push_back(std::move(misfit));
}

// Is the version within all bounds of "<=0.4.35,>=0.4.34"?
bool inside(const std::string& specifier, const Version& version) {
    for (const std::string& bound : split(specifier, ",")) {
        const std::size_t at = bound.find_first_of("0123456789");
        const auto limit = at == std::string::npos ? std::nullopt : parse_version(bound.substr(at));
        const std::string sign = trim(bound.substr(0, at));
        if (!limit) return false;
        const int order = compare(version, *limit);
        const bool fits = sign == "=="   ? order == 0
                          : sign == "<=" ? order <= 0
                          : sign == ">=" ? order >= 0
                          : sign == "<"  ? order < 0
                          : sign == ">"  ? order > 0
                                         : false;
        if (!fits) return false;
    }
    return !specifier.empty();
}

// jax 0.4.35 requires jaxlib 0.4.34 and a plugin of 0.4.34 or 0.4.35.
bool jax_asks_for(const Site& site, const Plugin& plugin) {
    for (const InstalledWheel& wheel : installed_wheels(site.host, site.folder, {"jax"}))
        for (const Requirement& requirement : wheel.metadata.requirements)
            if (requirement.package == plugin.package && inside(requirement.specifier, *plugin.version))
                return true;
    return false;
}

void compare_plugin(const Site& site, const Plugin& plugin, const Known<Version>& jaxlib,
                    Expectation& expectation) {
    if (!plugin.version || *plugin.version == *jaxlib) return;
    const bool checks = is_file(site.host, join_path(site.folder, "jaxlib/plugin_support.py"));
    if (!checks && jax_asks_for(site, plugin)) return;
    Misfit misfit = between(plugin.package, plugin.version, "jaxlib", jaxlib);
    misfit.message = "is not of the release of " + misfit.other;
    const bool newer = *plugin.version > *jaxlib;
    misfit.effect = checks  ? "JAX warns that the plugin will not be used, and runs on the CPU"
                    : newer ? "this jaxlib does not compare them; a plugin with a newer PJRT than jaxlib's ends JAX with "
                              "'Unexpected PJRT_Client_Create_Args size', 'Mismatched PJRT plugin PJRT API "
                              "version' or a crash"
                            : "this jaxlib does not compare them, and jax does not ask for this pair";
    misfit.harm = checks || newer ? Harm::gpu : Harm::later;
    misfit.wanted = plain(*jaxlib);
    misfit.fix = "python3 -m pip install '" + plugin.package + "[with-cuda]==" + plain(*jaxlib) + "'";
    expectation.misfits.push_back(std::move(misfit));
}

// Neither works without the other.
void look_for_halves(const Plugin& plugin, Expectation& expectation) {
    const std::string pjrt = "jax-cuda" + std::to_string(plugin.cuda_major) + "-pjrt";
    const std::string exactly = plugin.version ? "==" + plain(*plugin.version) : "";
    Misfit misfit = between(plugin.package, plugin.version, pjrt, plugin.pjrt_version);
    if (!plugin.has_library) {
        misfit.message = "lacks the library of " + pjrt + ", xla_cuda_plugin.so";
        misfit.effect = "JAX finds no GPU and runs on the CPU";
        misfit.harm = Harm::gpu;
        misfit.fix = "python3 -m pip install --force-reinstall --no-deps '" + pjrt + exactly + "'";
    } else if (plugin.modules.empty()) {
        misfit = between(pjrt, plugin.pjrt_version, plugin.package, {});
        misfit.message = "is installed without " + plugin.package;
        misfit.effect = "JAX says 'cuda_plugin_extension is not found', and its CUDA functions are missing";
        misfit.harm = Harm::gpu;
        misfit.fix = "python3 -m pip install '" + plugin.package + "[with-cuda]" + exactly + "'";
    } else {
        return;
    }
    expectation.misfits.push_back(std::move(misfit));
}

}  // namespace

void find_misfits(const Site& site, const std::vector<Plugin>& plugins, Expectation& expectation) {
    const Known<Version> jax = version_of(site, "jax", join_path(site.folder, "jax"));
    const Known<Version> jaxlib = version_of(site, "jaxlib", join_path(site.folder, "jaxlib"));
    if (jax && jaxlib) compare_jaxlib(site, jax, jaxlib, expectation);
    if (plugins.empty()) return;
    const Plugin& used = plugins.front();
    if (jaxlib) compare_plugin(site, used, jaxlib, expectation);
    look_for_halves(used, expectation);
}

}  // namespace ptxguard::jax
