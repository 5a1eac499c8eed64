// CC406 symbol_version_missing: the resolved file lacks versions or symbols that are bound to it by file.
// Symbols that are not bound to a file may come from the program and are not checked; CC402 and CC303 report
// their own pairs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "judge/fixes.hpp"
#include "judge/library_words.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

// Functions that a module of a package calls and that the file of NVIDIA which it gets does not define.
void judge_module(const NativeModule& module, const LackingLibrary& library, Findings& findings) {
    const std::string name = module.package.empty() ? module.path : module.package;
    const std::string of = library.name + (library.version ? " " + library.version->text : std::string());
    const bool import = module.named || module.use == ModuleUse::at_import;
    Finding& finding =
        add(findings, "CC406", import ? Level::error : Level::warning, library.name + " of " + module.path,
            name + " calls " + some_of(library.functions, 3) + ", which " + of + " does not define");
    finding.package = module.package;
    finding.found = {
        {library.name, library.version ? library.version->text : "unknown", Origin::from_file(library.path)}};
    finding.expected = {{library.name, "a release with these functions", Origin::from_file(module.path)}};
    finding.because = "loading " + module.path.substr(module.path.rfind('/') + 1) +
                      " ends with 'undefined symbol: " + library.functions.front() +
                      "': it was built with a newer " + library.name;
    finding.fix = {
        {FixKind::manual, "install a newer " + library.name + " of the same CUDA than " + library.path},
        {FixKind::manual, "or a build of " + name + " for " + of}};
}

// The release that the framework requires: another package has replaced its file.
std::vector<Fix> required_release(const LibraryFault& fault) {
    std::vector<Fix> fixes;
    if (!fault.framework) return fixes;
    for (const LoadedFile& other : fault.others)
        for (const std::string& package : fault.framework->asks_for)
            if (nvidia_component(package) == other.library && package.find("==") != std::string::npos &&
                other.taken && starts_with(*other.taken, fault.framework->site + "/"))
                fixes.push_back({FixKind::command, k_pip_install_again + "'" + package + "'"});
    return fixes;
}

}  // namespace

PTXGUARD_RULE(CC406) {
    for (const NativeModule& module : scenario.modules)
        for (const LackingLibrary& library : module.lacking)
            if (library.framework.empty() && !library.functions.empty())
                judge_module(module, library, findings);

    for (const LibraryFault& fault : faults.reported_by("CC406")) {
        const LoadedFile& asker = fault.library();
        const bool itself = *asker.taken == fault.trace->path;
        Finding& finding =
            add(findings, "CC406", itself || is_needed_to_start(asker) ? Level::error : Level::warning,
                asker.name + " of " + fault.trace->path,
                *asker.taken + " needs " + some_of(fault.symbols, 3) + ", which the loader does not find");
        for (const LoadedFile& other : fault.others) finding.found.push_back(evidence_of(other));
        finding.expected = {
            {asker.name, "libraries that define these symbols", Origin::from_file(*asker.taken)}};
        finding.because =
            asker.missing_versions.empty()
                ? "the loader ends the process at the first use of such a symbol, or at the start with "
                  "LD_BIND_NOW"
                : "the loader refuses a file that needs a missing version: \"version `...' not found\"";
        finding.fix = required_release(fault);
        if (finding.fix.empty() && !fault.others.empty())
            finding.fix = variable_fix(fault.others.front(), scenario.system);
        if (fault.framework) finding.package = fault.framework->package;
        if (finding.fix.empty())
            finding.fix = {
                {FixKind::manual,
                 "install the releases that it was linked with, or link it again with the installed ones"}};
    }
}

}  // namespace ptxguard
