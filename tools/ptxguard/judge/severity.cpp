// SPDX-License-Identifier: Apache-2.0
#include "judge/severity.hpp"

#include "facts/libraries.hpp"
#include "facts/variants.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

Level level_by(Certainty basis, const Scenario& scenario) {
    bool not_asked =
        scenario.probe_mode == ProbeMode::off && !scenario.foreign && scenario.source == SourceKind::machine;
    return basis == Certainty::predicted && not_asked ? Level::warning : Level::error;
}

bool names_a_gpu(const Scenario& scenario) {
    return any_of(scenario.gpus, [](const Gpu& gpu) { return gpu.declared; });
}

bool names_gpu_or_driver(const Scenario& scenario) {
    return names_a_gpu(scenario) || any_of(scenario.drivers, [](const Driver& driver) {
               return driver.declared && has_level(driver);
           });
}

bool is_meant_for_gpu(const Scenario& scenario) {
    if (!scenario.gpus.empty() || scenario.requires_("gpu") || scenario.requires_("driver")) return true;
    return any_of(scenario.drivers, [](const Driver& driver) { return has_level(driver); });
}

Level level_of_unused_gpu(const std::vector<std::string>& packages, const Scenario& scenario) {
    const bool framework = any_of(scenario.expectations, [&](const Expectation& one) {
        return !contains(packages, one.package) && is_there(one) && one.may_use_cuda();
    });
    const bool package = any_of(scenario.modules, [&](const NativeModule& one) {
        return !contains(packages, one.package) && (one.archs || one.cuda);
    });
    return names_a_gpu(scenario) && !framework && !package ? Level::error : Level::warning;
}

Level level_without_gpu(const std::string& package, const Scenario& scenario, const Facts& facts) {
    const bool only_for_gpus =
        is_named_for_gpus(package) ||
        any_of(cuda_variants(facts), [&](const CudaVariants& row) { return row.package == package; });
    const bool is_framework = any_of(scenario.expectations, [&](const Expectation& one) {
        return !package.empty() && one.package == package;
    });
    // A GPU was named, and nothing else there uses it.
    const bool unused = !package.empty() && level_of_unused_gpu({package}, scenario) == Level::error;
    const bool counts = (only_for_gpus && is_meant_for_gpu(scenario)) ||
                        (is_framework && names_gpu_or_driver(scenario)) || unused;
    return counts ? Level::error : Level::warning;
}

namespace {

// The only file with which a package uses the GPU that was named, and the loader refuses it.
bool is_all_for_named_gpu(const NativeModule& module, const Scenario& scenario) {
    return names_a_gpu(scenario) && module.essential && !module.package.empty() && !module.missing.empty() &&
           module.missing.front().how == LoadHow::needed &&
           any_of(scenario.modules,
                  [&](const NativeModule& other) { return other.package == module.package && other.archs; });
}

}  // namespace

Level level_without_gpu(const NativeModule& module, const Scenario& scenario, const Facts& facts) {
    if (!module.of_program)
        return is_all_for_named_gpu(module, scenario) ? Level::error
                                                      : level_without_gpu(module.package, scenario, facts);
    return is_meant_for_gpu(scenario) || scenario.foreign ? Level::error : Level::warning;
}

namespace {

bool has_another_way(const NativeModule& module, const Gpu& gpu, const Scenario& scenario,
                     const Facts& facts) {
    const bool compiles = any_of(scenario.modules, [&](const NativeModule& other) {
        return other.package == module.package && !other.compilers.empty();
    });
    const bool another_runs = any_of(gpus_judged(scenario), [&](const Gpu* other) {
        return other != &gpu && code_fit(*module.archs, *other->arch, scenario, facts) != CodeFit::none;
    });
    return compiles || (another_runs && !gpu.declared);
}

}  // namespace

Level level_without_code(const NativeModule& module, const Gpu& gpu, const Scenario& scenario,
                         const Facts& facts) {
    if (has_another_way(module, gpu, scenario, facts)) return Level::warning;
    // Its package needs a GPU even to load its only module, and this one was named.
    if (module.essential && gpu.declared && !module.package.empty()) return Level::error;
    return level_without_gpu(module, scenario, facts);
}

Level level_of_refused_ptx(const NativeModule& module, const Gpu& gpu, const Scenario& scenario,
                           const Facts& facts) {
    if (has_another_way(module, gpu, scenario, facts)) return Level::warning;
    return gpu.declared && !module.package.empty() ? Level::error
                                                   : level_without_gpu(module, scenario, facts);
}

Level level_of_refused(const NativeModule& module, const Scenario& scenario, const Facts& facts) {
    if (module.named || module.use == ModuleUse::at_import) return Level::error;
    return module.essential ? level_without_gpu(module, scenario, facts) : Level::warning;
}

}  // namespace ptxguard
