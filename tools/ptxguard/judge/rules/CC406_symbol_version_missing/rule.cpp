// CC406 symbol_version_missing: the resolved file lacks versions or symbols that are bound to it by file.
// Symbols that are not bound to a file may come from the program and are not checked; CC402 and CC303 report
// their own pairs.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <set>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/fixes.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
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
        return {by_hand(SAY("use a system (an image) with glibc {} or newer", newest->text)),
                by_hand(SAY("install a build of {} for an older glibc", user))};
    return {by_hand(SAY("put a newer {} where the loader finds it first", library)),
            by_hand(SAY("install a build of {} for the older one", user))};
}

std::string name_of(const NativeModule& module) {
    return module.package.empty() ? module.path : module.package;
}

// A variable gives an old file, and a newer one would be found without it.
std::vector<Fix> version_fixes(const NativeModule& module, const LackingLibrary& library, System system) {
    if (!library.later.empty()) {
        Fix fix = replace_list_entry(library.variable, library.entry, "", system);
        fix.step.reset();  // the search that finds `later` has been followed to its end
        return {fix};
    }
    return version_fixes(library.versions, library.name, name_of(module));
}

void judge_versions(const NativeModule& module, const LackingLibrary& library, Level level, System system,
                    Findings& findings) {
    const std::string needed = some_of(library.versions, 3);
    const std::string& user = library.other.empty() ? module.path : library.other;
    const std::string file = module.package.empty() ? file_of(user)
                             : library.other.empty()
                                 ? SAY("{} of {}", file_of(user), module.package)
                                 : SAY("{}, which {} loads,", file_of(user), module.package);
    add(findings, "CC406", level, SAY("{} of {}", library.name, module.path),
        SAY("{} needs {}, which {} does not define", file, needed, library.path))
        .of_package(module.package)
        .found(library.name, SAY("without {}", needed), Origin::from_file(library.path))
        .expected(library.name, needed, Origin::from_file(user))
        .because(SAY("the loader refuses a file that needs a missing version: \"version `{}' not found\"",
                     library.versions.front()))
        .fix(version_fixes(module, library, system));
}

// The package that has the file is updated, unless a framework pins it to its release.
Fix newer_library(const Scenario& scenario, const LackingLibrary& library) {
    const bool pinned = any_of(scenario.expectations, [&](const Expectation& framework) {
        return any_of(framework.asks_for, [&](const std::string& requirement) {
            return required_package(requirement) == library.wheel && requirement.find("==") != npos;
        });
    });
    if (!library.wheel.empty() && !pinned) return pip_fix(SAY("-U {}", library.wheel));
    return by_hand(SAY("install a newer {} of the same CUDA than {}", library.name, library.path));
}

// Functions that a module of a package calls and that the file of NVIDIA which it gets does not define.
void judge_module(const Scenario& scenario, const NativeModule& module, const LackingLibrary& library,
                  Level level, Findings& findings) {
    const std::string name = name_of(module), of = with_release(library.name, library.version);
    add(findings, "CC406", level, SAY("{} of {}", library.name, module.path),
        SAY("{} calls {}, which {} does not define", name, some_of(library.functions, 3), of))
        .of_package(module.package)
        .found(library.name, text_of(library.version), Origin::from_file(library.path))
        .expected(library.name, "a release with these functions", Origin::from_file(module.path))
        .because(SAY("loading {} ends with 'undefined symbol: {}': it was built with a newer {}",
                     file_of(module.path), library.functions.front(), library.name))
        .fix({newer_library(scenario, library)})
        .by_hand(SAY("install a build of {} for {}", name, of));
}

// What a toolkit of the system brings is left as it is.
std::vector<Fix> bound_fixes(const Scenario& scenario, const LackingLibrary& library) {
    std::vector<Fix> fixes;
    if (!library.entry.empty()) {
        fixes.push_back(replace_list_entry(library.variable, library.entry, "", scenario.system));
        fixes.front().step.reset();  // what is found then was not searched
    } else {
        fixes.push_back(
            by_hand(SAY("let the loader find the {} of the CUDA of {}, not {} (LD_LIBRARY_PATH is "
                        "searched before a DT_RUNPATH)",
                        library.name, file_of(library.other), library.path)));
    }
    if (!library.wheel.empty()) fixes.push_back(newer_library(scenario, library));
    return fixes;
}

// A library of NVIDIA that this module needs calls functions of another one, and gets an older file of it.
void judge_bound(const Scenario& scenario, const NativeModule& module, const LackingLibrary& library,
                 Level level, Findings& findings) {
    const std::string name = name_of(module), caller = file_of(library.other);
    add(findings, "CC406", level, SAY("{} of {}, {}", library.name, caller, name),
        SAY("{}, which {} loads, calls {}, which {} does not define", caller, name,
            some_of(library.functions, 3), with_release(library.name, library.version)))
        .of_package(module.package)
        .found(library.name, text_of(library.version), Origin::from_file(library.path))
        .found(caller, text_of(library.other_version), Origin::from_file(library.other))
        .expected(library.name, "a release with these functions", Origin::from_file(library.other))
        .because(SAY("loading {} ends with '{}: undefined symbol: {}': {} is of a newer CUDA than the {} "
                     "that the loader finds first",
                     file_of(module.path), caller, library.functions.front(), caller, library.name))
        .fix(bound_fixes(scenario, library));
}

// Whether the package that is required ("nvidia-cuda-cupti-cu12==12.8.90") has a file of that name.
bool brings(const std::string& requirement, const LoadedFile& library, const Facts& facts) {
    return nvidia_component(requirement) == library.library ||
           any_of(library_sources(facts, library.name, System::linux_), [&](const LibrarySource& source) {
               return !source.package.empty() && required_package(requirement) == source.package;
           });
}

// The release that the framework requires: another package has replaced its file.
std::vector<Fix> required_release(const LibraryFault& fault, const Facts& facts) {
    std::vector<Fix> fixes;
    if (!fault.framework) return fixes;
    for (const LoadedFile& other : fault.others)
        for (const std::string& package : fault.framework->asks_for)
            if (brings(package, other, facts) && package.find("==") != npos && other.taken &&
                starts_with(*other.taken, SAY("{}/", fault.framework->site)))
                fixes.push_back(pip_again_fix(SAY("'{}'", package)));
    return fixes;
}

// "GLIBC_2.38 of libc.so.6" -> "libc.so.6"
std::string name_in(const std::string& version) { return version.substr(version.rfind(' ') + 1); }

// The framework requires a package that brings the library and that is not installed: the loader takes
// another one. A variable that selects that one may be searched before the package.
std::vector<Fix> absent_release(const LibraryFault& fault, const Facts& facts) {
    std::vector<Fix> fixes;
    if (!fault.framework || !fault.trace->traced_for) return fixes;
    for (const LoadedFile& other : fault.others)
        for (const std::string& package : fault.trace->traced_for->absent_packages) {
            if (!brings(package, other, facts)) continue;
            const std::string variable = deciding_variable(other.rule);
            fixes.push_back(variable.empty() ? pip_fix(SAY("'{}'", package))
                                             : by_hand(SAY("install '{}', and remove {} from {}", package,
                                                           folder_of(other.taken.value_or("")), variable)));
        }
    return fixes;
}

std::vector<Fix> fixes_of(const LibraryFault& fault, System system, const Facts& facts) {
    const LoadedFile& asker = fault.library();
    std::vector<Fix> fixes = required_release(fault, facts);
    if (fixes.empty() && !asker.missing_versions.empty())
        fixes = version_fixes(asker.missing_versions, name_in(asker.missing_versions.front()),
                              fault.framework ? fault.framework->package : asker.name);
    if (fixes.empty()) fixes = absent_release(fault, facts);
    if (fixes.empty() && !fault.others.empty()) fixes = variable_fix(fault.others.front(), system);
    if (fixes.empty() && fault.framework && fault.framework->cuda && !fault.others.empty())
        fixes.push_back(by_hand(SAY("put the {} of CUDA {} or newer where the loader finds it first",
                                    fault.others.front().name, fault.framework->cuda->release())));
    if (fixes.empty())
        fixes.push_back(by_hand(
            "install the releases that it was linked with, or link it again with the installed ones"));
    return fixes;
}

// A framework's file, and the file of a library that lacks its functions.
std::string lacks_of_framework(const LibraryFault& fault) {
    const LoadedFile& other = fault.others.front();
    const std::string of = SAY(" of {}", other.name);
    std::vector<std::string> names = fault.symbols;
    if (all_of(names, [&](const std::string& name) { return ends_with(name, of); }))
        for (std::string& name : names) name.erase(name.size() - of.size());
    return SAY("{} ({}) calls {}, which {} does not define", fault.framework->name(),
               file_of(*fault.library().taken), some_of(names, 3), *other.taken);
}

std::string effect_of(const LibraryFault& fault, bool of_framework) {
    const LoadedFile& asker = fault.library();
    if (!asker.missing_versions.empty())
        return "the loader refuses a file that needs a missing version: \"version `...' not found\"";
    if (!of_framework)
        return "the loader ends the process at the first use of such a symbol, or at the start with "
               "LD_BIND_NOW";
    const std::string& symbol = asker.undefined_names.front();
    return SAY(
        "a framework's files are loaded with all their functions (RTLD_NOW): loading {} ends with "
        "'undefined symbol: {}'",
        file_of(*asker.taken), symbol.substr(0, symbol.rfind('@')));
}

// What such a framework's own file opens is bound at once, and refused without one of its functions.
Level level_of(const LibraryFault& fault, const Scenario& scenario, const Facts& facts) {
    const LoadedFile& asker = fault.library();
    if (*asker.taken == fault.trace->path || is_needed_to_start(asker)) return Level::error;
    const bool by_framework = fault.framework && asker.how == LoadHow::dlopen && !asker.optional &&
                              asker.needed_by == fault.trace->path &&
                              framework_traits(facts, fault.framework->framework).opens_now;
    return by_framework ? level_without_gpu(fault.framework->package, scenario, facts) : Level::warning;
}

void judge_fault(const LibraryFault& fault, const Scenario& scenario, const Facts& facts,
                 Findings& findings) {
    const LoadedFile& asker = fault.library();
    const bool of_framework = fault.framework && asker.missing_versions.empty() && !fault.others.empty() &&
                              fault.others.front().taken;
    Composed finding = add(
        findings, "CC406", level_of(fault, scenario, facts), SAY("{} of {}", asker.name, fault.trace->path),
        of_framework
            ? lacks_of_framework(fault)
            : SAY("{} needs {}, which the loader does not find", *asker.taken, some_of(fault.symbols, 3)));
    for (const LoadedFile& other : fault.others) finding.found(evidence_of(other));
    finding.expected(asker.name, "libraries that define these symbols", Origin::from_file(*asker.taken))
        .because(effect_of(fault, of_framework))
        .fix(fixes_of(fault, scenario.system, facts));
    if (fault.framework) finding.of_package(fault.framework->package);
}

}  // namespace

PTXGUARD_RULE(CC406) {
    std::set<std::string> judged;  // one build is of one system: the first module of a package is enough
    auto is_first = [&](const std::string& key) { return judged.insert(key).second; };
    for (const NativeModule& module : scenario.modules)
        for (const LackingLibrary& library : module.lacking) {
            const std::string name = name_of(module);
            const Level level = level_of_refused(module, scenario, facts);
            const bool calls = library.framework.empty() && !library.functions.empty();
            if (calls && library.other.empty())
                judge_module(scenario, module, library, level, findings);
            else if (calls && is_first(SAY("{} {} {}", name, library.path, library.other)))
                judge_bound(scenario, module, library, level, findings);
            if (!library.versions.empty() && is_first(SAY("{} {}", name, library.name)))
                judge_versions(module, library, level, scenario.system, findings);
        }

    std::map<std::string, std::size_t> of_builds;  // the finding of each
    for (const LibraryFault& fault : faults.reported_by("CC406")) {
        const LoadedFile& asker = fault.library();
        // The libraries of one build need the same system: the first that lacks it stands for all.
        const bool only_versions =
            fault.framework && !asker.missing_versions.empty() && asker.undefined_names.empty();
        const std::string build =
            only_versions ? SAY("{} {}", fault.framework->package, name_in(asker.missing_versions.front()))
                          : SAY("{}", of_builds.size());
        const auto [known, is_new] = of_builds.emplace(build, findings.size());
        if (is_new) judge_fault(fault, scenario, facts, findings);
        Composed(findings[known->second]).about(fault.about);
    }
}

}  // namespace ptxguard
