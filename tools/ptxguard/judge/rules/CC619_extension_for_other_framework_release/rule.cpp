// CC619 extension_for_other_framework_release: a native module of a package needs names that the installed
// framework does not define.
// SPDX-License-Identifier: Apache-2.0
#include "judge/module_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC619) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        const NativeModule& module = broken.first();
        if (broken.fault != ModuleFault::other_release || module.undefined_names.empty()) continue;
        const std::string target = broken.framework ? broken.framework_name() : "its process";
        std::string message = SAY("{} needs {}, which {} does not define", broken.name(),
                                  module.undefined_names.front().readable, target);
        if (module.undefined > 1) message += SAY(", and {} more", module.undefined - 1);
        Composed finding = add_broken(broken, "CC619", message, facts, findings).fix(fixes_of(broken, facts));
        if (broken.framework)
            finding.expected(broken.name(), SAY("a build for {}", broken.framework_name()), {});
    }
}

}  // namespace ptxguard
