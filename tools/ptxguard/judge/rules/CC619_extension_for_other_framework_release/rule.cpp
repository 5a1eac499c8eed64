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
        std::string message = broken.name() + " needs " + module.undefined_names.front().readable +
                              ", which " + target + " does not define";
        if (module.undefined > 1) message += ", and " + std::to_string(module.undefined - 1) + " more";
        Finding& finding = add_broken(broken, "CC619", message, facts, findings);
        if (broken.framework)
            finding.expected = {{broken.name(), "a build for " + broken.framework_name(), {}}};
    }
}

}  // namespace ptxguard
