// CC406 symbol_version_missing: the resolved file lacks versions or symbols that are bound to it by file.
// Symbols that are not bound to a file may come from the program and are not checked; CC402 and CC303 report
// their own pairs.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <set>

#include "facts/libraries.hpp"
#include "judge/fixes.hpp"
#include "judge/library_words.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

bool is_of_c_library(const std::string& version) { return starts_with(version, "GLIBC_"); }

// What ld.so refuses with "version `GLIBC_2.38' not found".
std::vector<Fix> version_fixes(const std::vector<std::string>& versions, const std::string& library,
                               const std::string& user) {
    std::optional<Version> newest;
    for (const std::string& version : versions)
        if (const auto number = is_of_c_library(version)
                                    ? parse_version(version.substr(6, version.find(' ') - 6))
                                    : std::nullopt)
            if (!newest || *newest < *number) newest = number;
    if (newest)
        return {by_hand("use a system (an image) with glibc " + newest->text + " or newer"),
                by_hand("install a build of " + user + " for an older glibc")};
    return {by_hand("put a newer " + library + " where the loader finds it first"),
            by_hand("install a build of " + user + " for the older one")};
}

void judge_versions(const NativeModule& module, const LackingLibrary& library, Findings& findings) {
    const std::string name = module.package.empty() ? module.path : module.package;
    const std::string file = file_of(module.path);
    const bool import = module.named || module.use == ModuleUse::at_import;
    Finding& finding =
        add(findings, "CC406", import ? Level::error : Level::warning, library.name + " of " + module.path,
            file + (module.package.empty() ? "" : " of " + name) + " needs " + some_of(library.versions, 3) +
                ", which " + library.path + " does not define");
    finding.package = module.package;
    finding.found = {
        {library.name, "without " + some_of(library.versions, 3), Origin::from_file(library.path)}};
    finding.expected = {{library.name, some_of(library.versions, 3), Origin::from_file(module.path)}};
    finding.because = "the loader refuses a file that needs a missing version: \"version `" +
                      library.versions.front() + "' not found\"";
    finding.fix = version_fixes(library.versions, library.name, name);
}

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
    finding.because = "loading " + file_of(module.path) +
                      " ends with 'undefined symbol: " + library.functions.front() +
                      "': it was built with a newer " + library.name;
    finding.fix = {by_hand("install a newer " + library.name + " of the same CUDA than " + library.path),
                   by_hand("install a build of " + name + " for " + of)};
}

// A library of NVIDIA that this module needs calls functions of another one, and gets an older file of it.
void judge_bound(const NativeModule& module, const LackingLibrary& library, Findings& findings) {
    const std::string name = module.package.empty() ? module.path : module.package;
    const std::string of = library.name + (library.version ? " " + library.version->text : std::string());
    const std::string caller = file_of(library.other);
    const bool import = module.named || module.use == ModuleUse::at_import;
    Finding& finding = add(findings, "CC406", import ? Level::error : Level::warning,
                           library.name + " of " + caller + ", " + name,
                           caller + ", which " + name + " loads, calls " + some_of(library.functions, 3) +
                               ", which " + of + " does not define");
    finding.package = module.package;
    finding.found = {
        {library.name, library.version ? library.version->text : "unknown", Origin::from_file(library.path)},
        {caller, library.other_version ? library.other_version->text : "unknown",
         Origin::from_file(library.other)}};
    finding.expected = {{library.name, "a release with these functions", Origin::from_file(library.other)}};
    finding.because = "loading " + file_of(module.path) + " ends with '" + caller +
                      ": undefined symbol: " + library.functions.front() + "': " + caller +
                      " is of a newer CUDA than the " + library.name + " that the loader finds first";
    finding.fix = {by_hand("let the loader find the " + library.name + " of the CUDA of " + caller +
                           ", not " + library.path + " (LD_LIBRARY_PATH is searched before a DT_RUNPATH)"),
                   by_hand("install a newer " + library.name + " of the same CUDA than " + library.path)};
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

// "GLIBC_2.38 of libc.so.6" -> "libc.so.6"
std::string name_in(const std::string& version) { return version.substr(version.rfind(' ') + 1); }

}  // namespace

PTXGUARD_RULE(CC406) {
    std::set<std::string> judged;  // one build is of one system: the first module of a package is enough
    for (const NativeModule& module : scenario.modules)
        for (const LackingLibrary& library : module.lacking) {
            const std::string package = module.package.empty() ? module.path : module.package;
            const bool is_bound = library.framework.empty() && !library.other.empty();
            if (library.framework.empty() && !is_bound && !library.functions.empty())
                judge_module(module, library, findings);
            if (is_bound && !library.functions.empty() &&
                judged.insert(package + " " + library.path + " " + library.other).second)
                judge_bound(module, library, findings);
            if (!library.versions.empty() && judged.insert(package + " " + library.name).second)
                judge_versions(module, library, findings);
        }

    for (const LibraryFault& fault : faults.reported_by("CC406")) {
        const LoadedFile& asker = fault.library();
        // The libraries of one build need the same system: the first that lacks it stands for all.
        const bool only_versions =
            fault.framework && !asker.missing_versions.empty() && asker.undefined_names.empty();
        if (only_versions &&
            !judged.insert(fault.framework->package + " " + name_in(asker.missing_versions.front())).second)
            continue;
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
        if (finding.fix.empty() && !asker.missing_versions.empty())
            finding.fix = version_fixes(asker.missing_versions, name_in(asker.missing_versions.front()),
                                        fault.framework ? fault.framework->package : asker.name);
        if (finding.fix.empty() && !fault.others.empty())
            finding.fix = variable_fix(fault.others.front(), scenario.system);
        if (fault.framework) finding.package = fault.framework->package;
        if (finding.fix.empty())
            finding.fix = {by_hand(
                "install the releases that it was linked with, or link it again with the installed ones")};
    }
}

}  // namespace ptxguard
