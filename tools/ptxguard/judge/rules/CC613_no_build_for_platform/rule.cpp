// A named build has no wheel for the named Python.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

std::string span(const FrameworkRelease& release) {
    const std::string from = release.python_from->text, to = release.python_to->text;
    return from == to ? from : from + " to " + to;
}

// +cuXXX on macOS: no such wheel was ever built.
void judge_macos(const Scenario& scenario, Findings& findings) {
    const auto& pins = scenario.recipe.pins;
    const bool serves_macos =
        std::any_of(pins.begin(), pins.end(), [](const RecipePin& pin) { return pin.only_on == "darwin"; });
    for (const RecipePin& pin : pins) {
        if (!pin.version || !cuda_of_tag(pin.version->local())) continue;
        const bool only = pin.only_on == "darwin";
        if (!only && !(serves_macos && pin.only_on.empty())) continue;
        Finding& finding = add(findings, "CC613", only ? Level::error : Level::warning,
                               text_of(pin) + " on macOS", text_of(pin) + " has no wheel for macOS");
        finding.found = {evidence_of(pin)};
        finding.expected = {{pin.by, pin.package + "==" + pin.version->without_local() + " on macOS", {}}};
        finding.because =
            only ? "builds for CUDA exist for Linux and Windows"
                 : "builds for CUDA exist for Linux and Windows, and other lines of this file are "
                   "for macOS";
        finding.package = pin.package;
        finding.fix = {{FixKind::edit,
                        pin.package + "==" + pin.version->without_local() + "; sys_platform == 'darwin'"}};
    }
}

}  // namespace

PTXGUARD_RULE(CC613) {
    judge_macos(scenario, findings);
    for (const Expectation& expectation : scenario.expectations) {
        const auto fit = fit_for_python(expectation, scenario, facts);
        if (!fit || fit->has_wheel) continue;
        Finding& finding = add(findings, "CC613", Level::error, name_of(expectation),
                               name_of(expectation) + " has no wheel for Python " + fit->python.text +
                                   ", only for " + span(*fit->release));
        Origin option = Origin::from_option("--python");
        finding.found = {{"Python", scenario.python.version, option}};
        finding.expected = {{"Python", span(*fit->release), fit->release->origin}};
        finding.because =
            "pip finds no file of that release for this Python, and takes another release or none";
        finding.package = expectation.package;
        finding.fix = {{FixKind::manual, "Python " + span(*fit->release)}};
    }
}

}  // namespace ptxguard
