// CC412 executable_stack_refused: glibc 2.41 and newer open no library that requests an executable stack.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/rule.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

Composed add_refused(Findings& findings, Level level, const std::string& user, const std::string& user_path,
                     const std::string& file) {
    return add(findings, "CC412", level, SAY("{} of {}", file, user_path),
               SAY("{} cannot be loaded: {} requests an executable stack, which this glibc refuses", user,
                   file_of(file)))
        .found(file_of(file), "executable stack (PT_GNU_STACK)", Origin::from_file(file))
        .expected(file_of(file), "no executable stack", {})
        .because(
            "glibc 2.41 and newer end its loading with 'cannot enable executable stack as shared object "
            "requires'; older ones made the stack executable")
        .fix(Fix{FixKind::command, SAY("patchelf --clear-execstack {}", file)})
        .by_hand(SAY("install a release of {} whose libraries request none, or use a system (an image) with "
                     "glibc 2.40 or older",
                     user));
}

}  // namespace

PTXGUARD_RULE(CC412) {
    std::set<std::string> seen;  // each file once
    for (const LoadTrace& trace : scenario.traces)
        for (const std::string& file : trace.executable_stacks) {
            if (!seen.insert(file).second) continue;
            const Expectation* framework = scenario.framework_of(trace);
            const Composed finding = add_refused(
                findings, Level::error, framework ? framework->name() : trace.path, trace.path, file);
            if (framework) finding.of_package(framework->package).about(scenario, *framework);
        }
    for (const NativeModule& module : scenario.modules)
        for (const std::string& file : module.executable_stacks)
            if (seen.insert(file).second)
                add_refused(findings, level_of_refused(module, scenario, facts), name_of_package(module),
                            module.path, file)
                    .of_package(module.package);
}

}  // namespace ptxguard
