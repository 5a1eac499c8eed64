// SPDX-License-Identifier: Apache-2.0
#include "runtime/other_python.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "packages/wheels.hpp"
#include "runtime/module_packages.hpp"

namespace ptxguard {
namespace {

// "3.12" of "_C.cpython-312-x86_64-linux-gnu.so"; also of a build without the lock ("313t").
std::string python_of(const std::string& path) {
    const std::string name = file_name(path), tag = ".cpython-";
    const std::size_t at = name.find(tag);
    if (at == std::string::npos) return {};
    std::string digits = name.substr(at + tag.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    return digits.size() < 2 ? std::string() : digits.substr(0, 1) + "." + digits.substr(1);
}

bool concerns_cuda(const Host& host, const PackageFiles& package, const Scenario& scenario) {
    if (is_left_out(package, scenario)) return true;
    const std::set<std::string> frameworks{"torch", "jaxlib", "jax", "tensorflow"};
    for (const InstalledWheel& wheel : installed_wheels(host, package.site, {package.package}))
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (requirement.applies(host.system()) &&
                (frameworks.count(requirement.name) || !nvidia_component(requirement.name).empty()))
                return true;
    return false;
}

// The module that shows it; empty = some module is for this Python, or for any.
std::string module_that_shows(const PackageFiles& package, const std::string& version) {
    std::string shows;
    for (const std::string& path : package.modules) {
        if (file_name(path).find(".abi3.") != std::string::npos) return {};
        const std::string python = python_of(path);
        if (python == version) return {};
        if (shows.empty() && !python.empty()) shows = path;
    }
    return shows;
}

}  // namespace

std::vector<NativeModule> modules_for_other_python(const Host& host,
                                                   const std::vector<PackageFiles>& packages,
                                                   const Scenario& scenario) {
    std::vector<NativeModule> found;
    const std::string& version = scenario.python.version;
    if (version.find('.') == std::string::npos) return found;
    for (const PackageFiles& package : packages) {
        const std::string path = package.record.empty() ? "" : module_that_shows(package, version);
        if (path.empty() || !concerns_cuda(host, package, scenario)) continue;
        NativeModule module;
        module.path = path;
        module.package = package.package;
        module.use = is_left_out(package, scenario) ? ModuleUse::at_import : ModuleUse::when_used;
        describe_package(host, package, module);
        module.framework = "python";
        if (const auto python = parse_version(python_of(path)))
            module.built_for = {*python, Origin::from_file(path)};
        found.push_back(std::move(module));
    }
    return found;
}

}  // namespace ptxguard
