// SPDX-License-Identifier: Apache-2.0
#include "runtime/static_code.hpp"

#include "host/together.hpp"
#include "load/modules.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "runtime/code.hpp"
#include "runtime/module_packages.hpp"

namespace ptxguard {
namespace {

// jax-cuda12-pjrt: its code is read with the framework's.
bool is_part_of_framework(const std::string& package, const Scenario& scenario) {
    return any_of(scenario.expectations, [&](const Expectation& framework) {
        return starts_with(package, framework.package + "-");
    });
}

NativeModule module_of(const Host& host, const Facts& facts, const PackageFiles& package) {
    NativeModule module;
    std::vector<std::string> paths;
    for (const std::string& path : package.modules)
        if (holds_device_code(host, path)) paths.push_back(path);
    if (!paths.empty()) set_code(host, facts, paths, module);
    if (!module.archs) return module;
    module.package = package.package;
    module.use = ModuleUse::when_used;
    describe_package(host, package, module);
    return module;
}

}  // namespace

void set_code(const Host& host, const Facts& facts, const std::vector<std::string>& paths,
              NativeModule& module) {
    CodeOfFiles code = code_of_all(host, facts, paths);
    module.archs = std::move(code.targets);
    module.ptx = code.ptx;
    module.cuda = code.cuda;
    if (module.archs) module.path = module.archs.origin.path;
}

std::vector<NativeModule> modules_with_code(const Host& host, const Facts& facts,
                                            const std::vector<PackageFiles>& packages,
                                            const Scenario& scenario) {
    std::vector<NativeModule> modules(packages.size());
    run_for_each(packages.size(), [&](std::size_t i) {
        const PackageFiles& package = packages[i];
        if (!package.of_prefix && !package.package.empty() &&
            !is_part_of_framework(package.package, scenario))
            modules[i] = module_of(host, facts, package);
    });
    erase_if(modules, [](const NativeModule& module) { return !module.archs; });
    return modules;
}

}  // namespace ptxguard
