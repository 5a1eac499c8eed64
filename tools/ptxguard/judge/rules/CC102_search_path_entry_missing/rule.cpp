// CC102 search_path_entry_missing: a PATH or LD_LIBRARY_PATH entry for CUDA does not exist. Loader and shell
// silently skip it and use the next match.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// Container images have these entries for folders that the container runtime mounts on machines with a GPU;
// elsewhere they are missing on purpose (/usr/local/nvidia/lib64, .../cuda/compat/lib).
bool is_mounted_later(const std::string& entry) {
    for (const char* folder : {"/usr/local/nvidia/", "/compat/"})
        if ((entry + "/").find(folder) != std::string::npos) return true;
    return false;
}

bool names_no_folder(PathProblem problem) {
    return problem == PathProblem::missing || problem == PathProblem::file ||
           problem == PathProblem::dangling || problem == PathProblem::loop ||
           problem == PathProblem::unreadable || problem == PathProblem::blanks ||
           problem == PathProblem::unexpanded;
}

void say(const Scenario& scenario, Findings& findings, const EnvironmentEntry& entry) {
    if (!names_no_folder(entry.problem) || is_mounted_later(entry.value)) return;
    const std::string place = entry.position > 0 ? SAY(" entry {}", entry.position) : "";
    Evidence expected{
        entry.variable + place, entry.nearest.empty() ? "an existing folder" : entry.nearest, {}};
    const bool is_cleaned = entry.problem != PathProblem::missing;
    Composed finding =
        add(findings, "CC102", Level::warning, SAY("{}: {}", entry.variable, entry.value),
            SAY("{}{} '{}' {}", entry.variable, place, entry.value, problem_words(entry.problem)));
    finding.found(entry.variable + place, entry.value, entry.origin);
    if (!entry.nearest.empty())
        expected.origin.text = is_cleaned ? "the folder that is meant" : "nearest existing name";
    finding.expected(expected);
    finding.because(
        "an entry that names no folder is skipped silently, and the next match on the path is used");
    finding.fix(scenario.source == SourceKind::recipe ? Fix{FixKind::edit, entry.nearest}
                                                      : misspelt_entry_fix(entry, scenario.system));
}

}  // namespace

PTXGUARD_RULE(CC102) {
    for (const EnvironmentEntry& entry : scenario.entries) say(scenario, findings, entry);
    for (const Selector& selector : scenario.selectors)
        if (selector.kind == SelectorKind::search_path)
            say(scenario, findings,
                {selector.name, selector.value, selector.position, selector.problem, selector.nearest,
                 selector.origin});
}

}  // namespace ptxguard
