// CC113 search_path_variable_undefined: a variable that no program reads, with a name similar to one that is
// read (LD_LIBARY_PATH).
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

bool is_list(const std::string& variable) {
    const std::string end = "PATH";
    return variable != "CUDA_PATH" && variable.size() >= end.size() &&
           variable.compare(variable.size() - end.size(), end.size(), end) == 0;
}

// Moves the value to the correct name, before that variable's own value.
Fix fix_for(const EnvironmentEntry& entry, System system) {
    if (system == System::windows) {
        const std::string tail = is_list(entry.nearest) ? SAY(" + ';' + $env:{}", entry.nearest) : "";
        const std::string more = is_list(entry.nearest) ? SAY(";%{}%", entry.nearest) : "";
        return {FixKind::setting,
                SAY("$env:{} = $env:{}{}; Remove-Item Env:{}", entry.nearest, entry.variable, tail,
                    entry.variable),
                {},
                SAY("{} & {}", set_in_cmd(entry.nearest, SAY("%{}%{}", entry.variable, more)),
                    set_in_cmd(entry.variable, ""))};
    }
    const std::string tail = is_list(entry.nearest) ? SAY("${{}:+:${}}", entry.nearest, entry.nearest) : "";
    return {FixKind::setting,
            SAY("export {}=\"${}{}\"; unset {}", entry.nearest, entry.variable, tail, entry.variable)};
}

}  // namespace

PTXGUARD_RULE(CC113) {
    for (const EnvironmentEntry& entry : scenario.entries) {
        if (entry.problem != PathProblem::undefined_variable) continue;
        add(findings, "CC113", Level::warning, entry.variable,
            entry.nearest.empty()
                ? SAY("{} is not read by any program", entry.variable)
                : SAY("{} is not read by any program, did you mean '{}'?", entry.variable, entry.nearest))
            .found(entry.variable, entry.value, entry.origin)
            .expected("variable", entry.nearest.empty() ? "PATH or LD_LIBRARY_PATH" : entry.nearest, {})
            .because(
                "the name looks like a misspelling of one that programs read, so its value has no effect")
            .fix(entry.nearest.empty() ? unset_variable(entry.variable, scenario.system)
                                       : fix_for(entry, scenario.system));
    }
}

}  // namespace ptxguard
