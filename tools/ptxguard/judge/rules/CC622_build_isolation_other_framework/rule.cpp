// pip builds an extension in an isolated environment, with another torch than the installed one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// Its setup.py imports torch, which no isolated environment has. uv isolates always; pip does since 25.3, and
// before for packages with a pyproject.toml.
void report_import(const RecipeFacts& recipe, const CompileStep& step, Findings& findings) {
    const bool by_uv = std::any_of(recipe.pins.begin(), recipe.pins.end(), [&](const RecipePin& pin) {
        return pin.package == step.package && pin.by == "uv";
    });
    Finding& finding = add(findings, "CC622", by_uv ? Level::warning : Level::unknown, step.what,
                           "'" + step.what + "' " + (by_uv ? "is" : "may be") +
                               " built without torch, which its setup.py imports");
    finding.found = {{"step", step.what, step.origin}};
    finding.expected = {{by_uv ? "uv" : "pip", "--no-build-isolation", {}}};
    finding.because =
        by_uv ? "uv builds it in an environment of its own"
              : "pip since 25.3 builds it in an environment of its own, older releases if it has a "
                "pyproject.toml";
    if (!by_uv) finding.decide = {"the release of pip; --no-build-isolation avoids the question"};
    finding.fix = {{FixKind::edit, "pip install --no-build-isolation ..."}};
}

}  // namespace

PTXGUARD_RULE(CC622) {
    if (!is_recipe(scenario)) return;
    bool reported = false;
    for (const CompileStep& step : scenario.recipe.compiles)
        // Options of the command that installs a manifest are not known.
        if (step.isolated && step.imports_torch && scenario.recipe.kind != "requirements file" &&
            scenario.recipe.kind != "pyproject.toml") {
            report_import(scenario.recipe, step, findings);
            reported = true;
        }
    if (reported) return;
    for (const Expectation& one : scenario.expectations) {
        if (one.framework != "PyTorch" || !one.version || never_released(one)) continue;
        for (const CompileStep& step : scenario.recipe.compiles) {
            if (!step.isolated) continue;
            Finding& finding = add(findings, "CC622", Level::unknown, step.what,
                                   "'" + step.what + "' may not build with " + name_of(one));
            finding.found = {{"step", step.what, step.origin},
                             {one.package, name_of(one), one.version.origin}};
            finding.expected = {{"pip", "--no-build-isolation", {}}};
            finding.because =
                "pip builds a project with a pyproject.toml in an environment of its own: with the newest "
                "torch "
                "if that file names torch, else without one";
            finding.decide = {
                "whether its pyproject.toml names torch; --no-build-isolation avoids the question"};
            finding.fix = {{FixKind::edit, "pip install --no-build-isolation ..."}};
            return;
        }
    }
}

}  // namespace ptxguard
