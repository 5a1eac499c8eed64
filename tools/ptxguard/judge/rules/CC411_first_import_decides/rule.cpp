// One process, one soname, two files: the package that is imported first decides which one is loaded, and the
// other package then lacks functions.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

std::string with_version(const std::string& path, const Known<Version>& version) {
    return version ? SAY("{} ({})", path, version->text) : path;
}

void judge(const NativeModule& module, const LackingLibrary& library, Findings& findings) {
    const std::string name = module.package.empty() ? module.path : module.package;
    add(findings, "CC411", Level::warning, SAY("{} of {} and {}", library.name, name, library.framework),
        SAY("if {} is imported before {}, {} gets its {}, which lacks {}", name, library.framework,
            library.framework, library.name, some_of(library.functions, 3)))
        .of_package(module.package)
        .found(SAY("{} of {}", library.name, name), with_version(library.path, library.version),
               Origin::from_file(module.path))
        .found(SAY("{} of {}", library.name, library.framework),
               with_version(library.other, library.other_version), Origin::from_file(library.other))
        .because(SAY("a process loads one file of a soname, that of the first import: 'undefined symbol: {}'",
                     library.functions.front()))
        .by_hand(SAY("import {} before {}", library.framework, name))
        .by_hand(SAY("replace {} by the release of {}", library.path, library.other));
}

}  // namespace

PTXGUARD_RULE(CC411) {
    for (const NativeModule& module : scenario.modules)
        for (const LackingLibrary& library : module.lacking)
            if (!library.framework.empty() && !library.functions.empty()) judge(module, library, findings);
}

}  // namespace ptxguard
