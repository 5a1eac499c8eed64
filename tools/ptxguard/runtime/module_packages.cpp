// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_packages.hpp"

#include <map>
#include <set>
#include <string>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

namespace {
constexpr std::size_t k_python_limit = 1u << 20;
}

bool is_left_out(const PackageFiles& package, const Scenario& scenario) {
    if (!nvidia_component(package.package).empty() || starts_with(package.package, "nvidia-") ||
        package.package == "cuda-bindings" || package.package == "cuda-core")
        return true;
    return any_of(scenario.expectations, [&](const Expectation& framework) {
        return !package.package.empty() &&
               (package.package == framework.package || package.package == framework.build_package);
    });
}

bool opens_by_path(const Host& host, const PackageFiles& package) {
    for (const std::string& top : package.top_level)
        for (const std::string& path :
             paths_matching(host, join_path(join_path(package.site, top), "*.py"))) {
            const auto text = host.read(path, k_python_limit);
            for (const char* word : {"CDLL", "load_nvidia_dynamic_lib", "preload"})
                if (text && text->find(word) != std::string::npos) return true;
        }
    return false;
}

void describe_package(const Host& host, const PackageFiles& package, NativeModule& module) {
    if (package.record.empty()) return;
    for (const InstalledWheel& wheel : installed_wheels(host, package.site, {package.package})) {
        module.version = wheel.version();
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (const auto pin = requirement.pinned(); pin && requirement.name == module.framework)
                module.built_for = {*pin, Origin::from_file(wheel.path, requirement.line)};
    }
}

LoadedFile other_machine(const Host& host, const std::string& path) {
    LoadedFile file;
    file.name = file_name(path);
    file.how = LoadHow::program;
    file.machine = machine_of_file(host, path);
    file.because = "for another machine (" + file.machine + ")";
    return file;
}

bool has_other_machine(const std::vector<NativeModule>& modules, const std::string& package) {
    return any_of(modules, [&](const NativeModule& one) {
        return one.package == package && !one.missing.empty() && !one.missing.front().machine.empty() &&
               one.missing.front().how == LoadHow::program;
    });
}

std::uint16_t machine_of_environment(const Host& host, const PythonEnvironment& python,
                                     const std::vector<HeadOfPackage>& heads) {
    if (const ModuleHead program = module_head(host, interpreter_of(host, python)); program.read)
        return program.machine;
    std::map<std::uint16_t, std::set<std::size_t>> packages;
    for (const HeadOfPackage& one : heads)
        if (one.head.read) packages[one.head.machine].insert(one.package);
    std::size_t most = 0;
    std::uint16_t machine = 0;
    for (const auto& [number, of_it] : packages) {
        if (of_it.size() == most) machine = 0;
        if (of_it.size() > most) most = of_it.size(), machine = number;
    }
    return machine;
}

}  // namespace ptxguard
