// One place -> at most one JAX. Without a CUDA plugin it is a CPU build, which is not a problem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/filling.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard::jax {

namespace {

bool is_package(const Host& host, const std::string& folder) {
    return is_file(host, join_path(folder, "version.py")) || is_file(host, join_path(folder, "__init__.py"));
}

// Of several plugins jaxlib uses the first that has its own release.
std::vector<Plugin> in_order_of_use(std::vector<Plugin> plugins, const Known<Version>& jaxlib) {
    std::stable_partition(plugins.begin(), plugins.end(), [&](const Plugin& plugin) {
        return jaxlib && plugin.version && *plugin.version == *jaxlib && plugin.has_library;
    });
    return plugins;
}

// Up to 0.4.21 jaxlib itself contained CUDA, and its version named it.
bool read_jaxlib(const Site& site, const Known<Version>& jaxlib, Expectation& expectation) {
    const std::string folder = join_path(site.folder, "jaxlib/cuda");
    const LocalTag tag = jaxlib ? read_local_tag(jaxlib->local()) : LocalTag{};
    if (!tag.cuda && !is_file(site.host, join_path(folder, "_versions.so"))) return false;
    set_vendor(expectation, Vendor::cuda, tag.cuda ? jaxlib.origin : Origin::from_file(folder));
    read_built_versions(site.host, folder, expectation);
    if (!expectation.cuda && tag.cuda) expectation.cuda = {*tag.cuda, jaxlib.origin};
    if (!expectation.cudnn && tag.cudnn) expectation.cudnn = {*tag.cudnn, jaxlib.origin};
    return true;
}

void add_conda(const Site& site, Expectation& expectation) {
    for (const CondaPackage& package :
         conda_packages(site.host, prefix_of_site(site.folder), {"jaxlib", "jax"})) {
        expectation.how = Installation::conda;
        if (package.name != "jaxlib" || package.build.find("cuda") == std::string::npos) continue;
        if (!expectation.vendor) set_vendor(expectation, Vendor::cuda, Origin::from_file(package.path));
        if (!expectation.cuda) expectation.cuda = cuda_of_conda(package);
        if (!expectation.cudnn) expectation.cudnn = cudnn_of_conda(package);
    }
}

// If there is no CUDA part.
void set_other_vendor(const Site& site, Expectation& expectation) {
    const auto entries = site.host.list(site.folder);
    const bool rocm = entries && any_of(*entries, [](const DirectoryEntry& entry) {
                          return starts_with(entry.name, "jax_rocm") && ends_with(entry.name, "_plugin");
                      });
    Origin origin = Origin::from_file(site.folder);
    origin.text = rocm ? "the ROCm plugin in " + site.folder : "no CUDA plugin of JAX is in " + site.folder;
    set_vendor(expectation, rocm ? Vendor::rocm : Vendor::cpu, origin);
}

Expectation read_package(const Host& host, const SitePlace& place, const std::string& folder) {
    Expectation expectation = found_expectation("JAX", "jax", place, folder);
    const Site site = look_at(host, place.folder);
    const Known<Version> jaxlib = version_of(site, "jaxlib", join_path(place.folder, "jaxlib"));
    expectation.version = file_name(folder) == "jax" ? version_of(site, "jax", folder) : jaxlib;
    if (!expectation.version) expectation.trouble = folder + " has no version";
    const auto plugins = in_order_of_use(find_plugins(site), jaxlib);
    if (!plugins.empty())
        read_plugin(site, plugins.front(), expectation);
    else if (!read_jaxlib(site, jaxlib, expectation) && !place.editable)
        add_conda(site, expectation);
    if (!expectation.vendor) set_other_vendor(site, expectation);
    if (!place.editable) read_packages(site, plugins, expectation);
    return expectation;
}

}  // namespace

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    for (const char* name : {"jax", "jaxlib"}) {
        const std::string folder = join_path(place.folder, name);
        if (is_package(host, folder)) return {read_package(host, place, folder)};
    }
    return {};
}

// jax==0.6.0 is a CPU build unless an extra or a plugin adds CUDA. In a CUDA check it means the CUDA 12
// plugin, and +cuda13 the other one.

namespace {

// The plugin selected by "jax-cuda13-plugin==0.9.2", "jax[cuda13]==0.9.2", "jax==0.9.2+cuda13", "jax==0.9.2".
std::string plugin_meant(const DeclaredBuild& build) {
    for (const char* major : {"11", "12", "13"})
        if (starts_with(build.name, std::string("jax-cuda") + major) ||
            starts_with(build.extras, std::string("cuda") + major) ||
            starts_with(build.build, std::string("cuda") + major) || build.build == std::string("cu") + major)
            return std::string("jax-cuda") + major + "-plugin";
    return "jax-cuda12-plugin";
}

// jax 0.5.2 has no plugin of its own: pip installs the newest before it, 0.5.1.
const FrameworkRelease* plugin_for(const Facts& facts, const std::string& package, const Version& jax) {
    if (const FrameworkRelease* release = facts.framework_release(package, jax)) return release;
    if (!facts.framework_release("jax", jax)) return nullptr;
    const FrameworkRelease* found = nullptr;
    for (const Version& version : facts.framework_releases(package))
        if (version < jax) found = facts.framework_release(package, version);
    return found;
}

// jax-cuda13-plugin and jax[cuda12_pip] contain only the major.
Known<Version> named_major(const std::string& digits, const DeclaredBuild& build) {
    const bool has_major =
        starts_with(build.name, "jax-cuda") || build.extras.find("cuda" + digits) != std::string::npos;
    const auto major = parse_version(digits);
    return has_major && major ? Known<Version>(*major, option_origin(build)) : Known<Version>();
}

}  // namespace

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("JAX", "jax", build);
    const Origin option = option_origin(build);
    if (system == System::windows) {
        Origin origin;
        origin.text = "JAX has no CUDA build for Windows";
        set_vendor(expectation, Vendor::cpu, origin);
        return expectation;
    }
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return expectation;
    expectation.build_package = plugin_meant(build);
    if (build.version) expectation.build_version = {*build.version, option};
    const LocalTag tag = read_local_tag(build.build);
    const FrameworkRelease* release =
        build.version ? plugin_for(facts, expectation.build_package, *build.version) : nullptr;
    if (release) expectation.build_version = {release->version, release->origin};
    if (release) apply_release(*release, system, expectation);
    if (!release && tag.cuda) expectation.cuda = {*tag.cuda, option};
    if (!expectation.cuda) expectation.cuda = named_major(expectation.build_package.substr(8, 2), build);
    if (!release && tag.cudnn) expectation.cudnn = {*tag.cudnn, option};
    if (expectation.cuda && !expectation.vendor) set_vendor(expectation, Vendor::cuda, option);
    return expectation;
}

FrameworkReader reader() {
    return {"JAX", "jax", {"jax", "jaxlib", "jax-cuda*"}, {}, read, declared, {"jaxlib", "jax", "jax-cuda*"}};
}

}  // namespace ptxguard::jax
