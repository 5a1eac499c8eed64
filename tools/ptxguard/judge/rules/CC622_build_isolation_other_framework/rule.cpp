// pip builds an extension in an isolated environment, with another torch than the installed one.
// SPDX-License-Identifier: Apache-2.0

#include "judge/framework_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool by_uv(const RecipeFacts& recipe, const CompileStep& step) {
    return any_of(recipe.pins,
                  [&](const RecipePin& pin) { return pin.package == step.package && pin.by == "uv"; });
}

// An earlier command installs pip 25.3 or newer, which isolates every build, and needs Python 3.9.
bool has_new_pip(const RecipeFacts& recipe, const CompileStep& step) {
    const auto python = recipe.python ? parse_version(*recipe.python) : std::nullopt;
    if (python && *python < *parse_version("3.9")) return false;
    return any_of(recipe.pins, [&](const RecipePin& pin) {
        if (pin.package != "pip" || pin.group >= step.group || pin.origin.overridable) return false;
        return pin.version ? *pin.version >= *parse_version("25.3") : pin.upgrade && pin.specifier.empty();
    });
}

// Its setup.py imports torch, which no isolated environment has. uv isolates always; pip does since 25.3, and
// before for packages with a pyproject.toml.
void report_import(const RecipeFacts& recipe, const CompileStep& step, Findings& findings) {
    const bool uv = by_uv(recipe, step);
    const bool certain = uv || step.isolates || has_new_pip(recipe, step);
    Finding& finding = add(findings, "CC622", certain ? Level::warning : Level::unknown, step.what,
                           "'" + step.what + "' " + (certain ? "is" : "may be") +
                               " built without torch, which its setup.py imports");
    finding.found = {{"step", step.what, step.origin}};
    finding.expected = {{uv ? "uv" : "pip", "--no-build-isolation", {}}};
    finding.because = uv              ? "uv builds it in an environment of its own"
                      : step.isolates ? "pip builds it in an environment of its own, and its pyproject.toml "
                                        "does not name torch"
                      : certain       ? "pip since 25.3 builds it in an environment of its own"
                                : "pip since 25.3 builds it in an environment of its own, older releases if "
                                  "it has a pyproject.toml";
    if (!certain) finding.decide = {"the release of pip; --no-build-isolation avoids the question"};
    finding.fix = {{FixKind::edit, std::string(uv ? "uv pip" : "pip") + " install --no-build-isolation ..."}};
}

// Which command installs it, and what is there before, is not known.
bool is_file(const RecipeFacts& recipe) {
    return recipe.kind == "requirements file" || recipe.kind == "pyproject.toml";
}

// A script that installs torch itself, for an environment that it does not name.
bool installs_torch_by_script(const RecipeFacts& recipe) { return recipe.kind == "shell script"; }

bool is_torch(const RecipePin& pin) { return pin.package == "torch" || pin.package == "pytorch"; }

// They require no torch; of others that is not known.
bool is_plain_tool(const RecipePin& pin) {
    for (const char* name :
         {"pip",    "setuptools", "wheel", "packaging", "ninja",           "numpy",  "psutil",
          "cmake",  "einops",     "uv",    "build",     "pybind11",        "cython", "python",
          "poetry", "pyyaml",     "tqdm",  "requests",  "huggingface-hub", "six"})
        if (pin.package == name) return true;
    return pin.by == "apt" || pin.package.find("cuda") != std::string::npos;
}

// The torch that is installed with or after the step, where none is there before.
const RecipePin* late_torch(const RecipeFacts& recipe, const CompileStep& step, bool& certain) {
    const RecipePin* late = nullptr;
    if (step.group == 0 || (!recipe.starts_bare && !is_file(recipe) && !installs_torch_by_script(recipe)))
        return nullptr;
    certain = recipe.starts_bare && !step.after_others;
    for (const RecipePin& pin : recipe.pins) {
        if (is_torch(pin) && pin.group < step.group) return nullptr;
        if (is_torch(pin) && !late && pin.by_pip()) late = &pin;
        if (pin.group < step.group) certain = certain && !pin.open && is_plain_tool(pin);
    }
    // `uv sync` installs what it builds without isolation last.
    certain = certain && late && late->by == "pip";
    return late;
}

// pip and uv run the setup.py of all packages of a command before they install any of them.
bool report_order(const Scenario& scenario, const CompileStep& step, Findings& findings) {
    bool certain = true;
    const RecipePin* late = late_torch(scenario.recipe, step, certain);
    if (!late) return false;
    const bool together = late->group == step.group;
    Finding& finding = add(findings, "CC622", certain ? Level::error : Level::unknown, step.what,
                           "'" + step.what + "' runs before torch is installed, which its setup.py imports");
    finding.found = {{"step", step.what, step.origin}, {"torch", text_of(*late), late->origin}};
    finding.expected = {{"order", "torch before " + step.package, {}}};
    finding.because = together
                          ? "the setup.py of each package of a command runs before any of them is installed"
                          : "torch is installed by a later command";
    if (!certain) finding.decide = {"whether torch is there before"};
    finding.fix = {{FixKind::manual, "install torch in a command of its own, then " + step.package +
                                         " with --no-build-isolation"}};
    return true;
}

}  // namespace

PTXGUARD_RULE(CC622) {
    if (!is_recipe(scenario)) return;
    for (const CompileStep& step : scenario.recipe.compiles) {
        if (!step.imports_torch || step.package.empty() || (step.isolated && step.brings_torch)) continue;
        const bool late = report_order(scenario, step, findings);
        if (!late && step.isolated && !is_file(scenario.recipe))
            report_import(scenario.recipe, step, findings);
    }
    if (!findings.empty()) return;
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
