// CC112 nvcc_off_search_path: a toolkit is installed in a default folder, but no variable, search path or
// option selects it. Programs that search that folder find it, others report that there is no CUDA (for
// example CMake's compiler search).
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// Something selects a toolkit, or should (then CC101 or CC102 gives the fix).
bool something_selects(const Scenario& scenario) {
    for (const Selector& selector : scenario.selectors) {
        if (selector.kind == SelectorKind::default_folder) continue;
        if (selector.kind == SelectorKind::package && !selector.decides) continue;
        if (!selector.toolkit.empty() || (selector.problem != PathProblem::none && is_set(selector)))
            return true;
    }
    return false;
}

const Selector* in_default_folder(const Scenario& scenario) {
    const Selector* first = nullptr;
    for (const Selector& selector : scenario.selectors) {
        const Toolkit* toolkit = scenario.toolkit(selector.toolkit);
        if (selector.kind != SelectorKind::default_folder || !toolkit || !toolkit->part(PartKind::nvcc))
            continue;
        if (!first || toolkit->id == scenario.project.toolkit) first = &selector;
        if (toolkit->id == scenario.project.toolkit) break;
    }
    return first;
}

}  // namespace

PTXGUARD_RULE(CC112) {
    const Selector* folder = in_default_folder(scenario);
    if (!folder || something_selects(scenario) || !scenario.search_path_known) return;
    const Toolkit& toolkit = *scenario.toolkit(folder->toolkit);
    const Part& nvcc = *toolkit.part(PartKind::nvcc);
    const std::string folder_of_nvcc = nvcc.path.substr(0, nvcc.path.find_last_of('/'));
    Composed finding =
        add(findings, "CC112", Level::warning, toolkit.root,
            SAY("{} is installed, but neither PATH nor a variable leads to it", name_and_root(toolkit)));
    finding.found(evidence_of(nvcc))
        .expected("PATH", nvcc.path.substr(0, nvcc.path.find_last_of('/')), {})
        .because(
            "CMake looks for nvcc in CUDACXX, PATH and CUDA_PATH, not in default folders; others do, so "
            "programs differ");
    if (auto later = later_path_fix(scenario, folder_of_nvcc)) finding.fix(*later);
    finding.fix(prepend_list_entry("PATH", folder_of_nvcc, scenario.system));
}

}  // namespace ptxguard
