// CC101 variable_names_no_toolkit: a variable, option or CMake variable that should select a toolkit does
// not. An error if the build gets its compiler from it; otherwise it only affects programs that read it.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "judge/framework_questions.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// CC002 has reported it.
bool cc002_reports(const Scenario& scenario, const Selector& selector) {
    return selector.kind == SelectorKind::option && any_of(scenario.unreadable, [&](const Unreadable& one) {
               return one.named_by_user && one.subject == selector.value;
           });
}

bool is_concerned(const Selector& selector) {
    const bool names_one = selector.kind == SelectorKind::variable || selector.kind == SelectorKind::option ||
                           selector.kind == SelectorKind::cmake;
    const bool gone = selector.kind == SelectorKind::registry && selector.problem == PathProblem::missing;
    return (names_one || gone) && selector.toolkit.empty() && selector.problem != PathProblem::none &&
           is_set(selector);
}

// A key of the registry, of an installation that was deleted without its uninstaller.
bool is_registered(const Selector& selector) { return selector.kind == SelectorKind::registry; }

bool names_a_compiler(const Selector& selector) {
    return selector.name == "CUDACXX" || selector.name == "CMAKE_CUDA_COMPILER";
}

// The folder that was probably intended, otherwise the toolkit that this build uses, otherwise any with a
// compiler.
std::string replacement(const Scenario& scenario, const Selector& selector) {
    if (!selector.nearest.empty()) return selector.nearest;
    if (const Toolkit* toolkit = scenario.build_toolkit()) return toolkit->root;
    for (const Toolkit& toolkit : scenario.toolkits)
        if (toolkit.part(PartKind::nvcc)) return toolkit.root;
    return "";
}

Fix setting_for(const Scenario& scenario, const Selector& selector) {
    if (is_registered(selector))
        return by_hand(SAY("install that toolkit again, or delete the key {}", selector.name));
    std::string value = replacement(scenario, selector);
    if (!value.empty() && names_a_compiler(selector)) value = nvcc_below(value, scenario.system);
    const std::string word = shell_word(value, scenario.system);
    if (selector.kind == SelectorKind::variable && !value.empty())
        return set_variable(selector.name, value, scenario.system);
    if (selector.kind == SelectorKind::variable && !selector.decides) {
        Fix fix = unset_variable(selector.name, scenario.system);
        fix.step = Step{StepKind::search_path};
        fix.step->subject = selector.name;
        fix.step->from = selector.value;
        return fix;
    }
    if (value.empty())
        return by_hand(
            names_a_compiler(selector)
                ? SAY("install a CUDA toolkit and set {} to its nvcc", selector.name)
                : SAY("install a CUDA toolkit and set {} to the folder that holds bin/nvcc", selector.name));
    if (selector.kind == SelectorKind::cmake) return {FixKind::setting, SAY("-D{}={}", selector.name, word)};
    return {FixKind::setting, SAY("{} {}", selector.name, word)};
}

// Judged again if the folder is a toolkit that was found.
Fix fix_for(const Scenario& scenario, const Selector& selector) {
    Fix fix = setting_for(scenario, selector);
    const std::string folder = replacement(scenario, selector);
    for (const Toolkit& toolkit : scenario.toolkits)
        if (selector.decides && toolkit.root == folder) {
            fix.step = Step{StepKind::toolkit};
            fix.step->subject = toolkit.id;
        }
    return fix;
}

// Nobody has requested the build that a machine without CUDA packages is checked for: a framework is here,
// and the GPU that was named is for it.
bool is_build(const Scenario& scenario) {
    const Project& project = scenario.project;
    const bool has_framework =
        any_of(scenario.expectations, [](const Expectation& one) { return is_there(one); });
    return project.wanted && !(project.by_default && has_framework && names_a_gpu(scenario));
}

std::string consequence(const Scenario& scenario, const Selector& selector) {
    if (selector.decides && is_build(scenario))
        return SAY("this build uses the compiler of {}", selector.name);
    if (is_registered(selector))
        return "programs that look for toolkits in the registry find a folder that is gone";
    std::string text = SAY("programs that look at {} find no toolkit there", selector.name);
    if (scenario.build_toolkit() && !scenario.project.toolkit_because.empty())
        text += SAY("; this build uses another compiler ({})", scenario.project.toolkit_because);
    return text;
}

// Where nobody builds, a path that does not exist is still a mistake of whoever set it.
Level level_of(const Scenario& scenario, const Selector& selector) {
    if (is_registered(selector)) return Level::note;
    if (is_build(scenario)) return selector.decides ? Level::error : Level::warning;
    const bool gone = selector.problem == PathProblem::missing || selector.problem == PathProblem::dangling;
    return gone ? Level::warning : Level::note;
}

}  // namespace

PTXGUARD_RULE(CC101) {
    for (const Selector& selector : scenario.selectors) {
        if (!is_concerned(selector) || cc002_reports(scenario, selector)) continue;
        const std::string what =
            names_a_compiler(selector) ? "an existing nvcc" : "a folder that holds bin/nvcc";
        Evidence expected{selector.name, selector.nearest.empty() ? what : selector.nearest, {}};
        Composed finding = add(findings, "CC101", level_of(scenario, selector), selector.name,
                               SAY("{} does not select a toolkit: '{}' {}", selector.name, selector.value,
                                   problem_words(selector.problem)));
        finding.brief(SAY("{}={} {}", selector.name, selector.value, problem_words(selector.problem)))
            .found(evidence_of(selector));
        if (is_registered(selector))
            expected.value = "a folder that exists";
        else if (!selector.nearest.empty())
            expected.origin.text = "nearest name with a toolkit";
        finding.expected(expected);
        finding.because(consequence(scenario, selector));
        finding.fix(fix_for(scenario, selector));
    }
}

}  // namespace ptxguard
