// pip builds an extension in an isolated environment, with another torch than the installed one.
// SPDX-License-Identifier: Apache-2.0
#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC622) {
    if (!is_recipe(scenario)) return;
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
