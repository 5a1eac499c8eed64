// CC619 extension_for_other_framework_release: a native module of a package needs names that the installed
// framework does not define.
// SPDX-License-Identifier: Apache-2.0
#include "judge/module_questions.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// Modules named after releases of the framework, none of which is the installed one. A package with others
// that load goes on without these.
void judge_variants(const Scenario& scenario, const Facts& facts, Findings& findings) {
    std::vector<const NativeModule*> reported;
    for (const NativeModule& module : scenario.modules) {
        const auto is_of_it = [&](const NativeModule* one) { return one->package == module.package; };
        if (module.variants.empty() || any_of(reported, is_of_it) || is_in_conflict(scenario, module, facts))
            continue;
        reported.push_back(&module);
        std::vector<std::string> names;
        for (const NativeModule& one : scenario.modules)
            if (!one.variants.empty() && is_of_it(&one)) add_once(names, one.variant);
        const std::string name = name_of_package(module), framework = framework_name_of(scenario, module);
        const Level level = module.essential ? level_without_gpu(module, scenario, facts) : Level::note;
        add(findings, "CC619", level, SAY("{}, {}", name, module.path),
            SAY("{} has {} for {} {}, not for {}", name, names, module.framework, module.variants, framework))
            .of_package(module.package)
            .found("module", file_of(module.path), Origin::from_file(module.path))
            .expected(name, SAY("{} for {}", names, framework), {})
            .because(SAY("by their names each is for one release of {}; {}", module.framework,
                         module.essential ? "the package loads that of the installed one"
                                          : "the package may also do without"))
            .by_hand(SAY("install {} {}, or a release of {} with {} for {}", module.framework,
                         module.variants.back(), module.package, names, framework));
    }
}

}  // namespace

PTXGUARD_RULE(CC619) {
    judge_variants(scenario, facts, findings);
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        const NativeModule& module = broken.first();
        if (broken.fault != ModuleFault::other_release || module.undefined_names.empty()) continue;
        const std::string target = broken.framework ? broken.framework_name() : "its process";
        std::string message = SAY("{} needs {}, which {} does not define", broken.name(),
                                  module.undefined_names.front().readable, target);
        if (module.undefined > 1) message += SAY(", and {} more", module.undefined - 1);
        Composed finding =
            add_broken(broken, "CC619", message, facts, findings).fix(fixes_of(scenario, broken, facts));
        if (broken.framework)
            finding.expected(broken.name(), SAY("a build for {}", broken.framework_name()), {});
    }
}

}  // namespace ptxguard
