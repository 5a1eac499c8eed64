// jax==0.6.0 is a CPU build unless an extra or a plugin makes it one for CUDA. Naming it for a CUDA check
// means the CUDA 12 plugin, and +cuda13 the other one.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "host/paths.hpp"

namespace ptxguard::jax {
namespace {

// "jax-cuda13-plugin==0.9.2", "jax[cuda13]==0.9.2", "jax==0.9.2+cuda13", "jax==0.9.2": the plugin that each
// of them means.
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
    // jax-cuda13-plugin and jax[cuda12_pip] contain only the major.
    const std::string digits = expectation.build_package.substr(8, 2);
    const bool told =
        starts_with(build.name, "jax-cuda") || build.extras.find("cuda" + digits) != std::string::npos;
    if (const auto major = parse_version(digits); !expectation.cuda && told && major)
        expectation.cuda = {*major, option};
    if (!release && tag.cudnn) expectation.cudnn = {*tag.cudnn, option};
    if (expectation.cuda && !expectation.vendor) set_vendor(expectation, Vendor::cuda, option);
    return expectation;
}

}  // namespace ptxguard::jax
