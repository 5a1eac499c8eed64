// One process, one soname, two files: the package that is imported first decides which one is loaded, and the
// other package then lacks functions.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

std::string with_version(const std::string& path, const Known<Version>& version) {
    return path + (version ? " (" + version->text + ")" : std::string());
}

void judge(const NativeModule& module, const LackingLibrary& library, Findings& findings) {
    const std::string name = module.package.empty() ? module.path : module.package;
    Finding& finding =
        add(findings, "CC411", Level::warning, library.name + " of " + name + " and " + library.framework,
            "if " + name + " is imported before " + library.framework + ", " + library.framework +
                " gets its " + library.name + ", which lacks " + some_of(library.functions, 3));
    finding.package = module.package;
    finding.found = {{library.name + " of " + name, with_version(library.path, library.version),
                      Origin::from_file(module.path)},
                     {library.name + " of " + library.framework,
                      with_version(library.other, library.other_version), Origin::from_file(library.other)}};
    finding.because = "a process loads one file of a soname, that of the first import: 'undefined symbol: " +
                      library.functions.front() + "'";
    finding.fix = {by_hand("import " + library.framework + " before " + name),
                   by_hand("replace " + library.path + " by the release of " + library.other)};
}

}  // namespace

PTXGUARD_RULE(CC411) {
    for (const NativeModule& module : scenario.modules)
        for (const LackingLibrary& library : module.lacking)
            if (!library.framework.empty() && !library.functions.empty()) judge(module, library, findings);
}

}  // namespace ptxguard
