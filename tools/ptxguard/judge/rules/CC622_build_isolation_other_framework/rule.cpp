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
    Composed finding =
        add(findings, "CC622", certain ? Level::warning : Level::unknown, step.what,
            certain ? SAY("'{}' is built without torch, which its setup.py imports", step.what)
                    : SAY("'{}' may be built without torch, which its setup.py imports", step.what))
            .found("step", step.what, step.origin)
            .expected(uv ? "uv" : "pip", "--no-build-isolation", {})
            .because(
                uv ? "uv builds it in an environment of its own"
                : step.isolates
                    ? "pip builds it in an environment of its own, and its pyproject.toml does not name torch"
                : certain ? "pip since 25.3 builds it in an environment of its own"
                          : "pip since 25.3 builds it in an environment of its own, older releases if it has "
                            "a pyproject.toml")
            .edit(uv ? "uv pip install --no-build-isolation ..." : "pip install --no-build-isolation ...");
    if (!certain) finding.decide("the release of pip; --no-build-isolation avoids the question");
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
    return pin.by == "apt" || pin.package.find("cuda") != npos;
}

// Nothing is there before the recipe's commands, or it is not known.
bool is_bare(const RecipeFacts& recipe) {
    return recipe.starts_bare || is_file(recipe) || installs_torch_by_script(recipe);
}

// The torch that is installed with or after the step, where none is there before.
const RecipePin* late_torch(const RecipeFacts& recipe, const CompileStep& step, bool& certain) {
    if (step.group == 0 || !is_bare(recipe)) return nullptr;
    const auto before = [&](const RecipePin& pin) { return pin.group < step.group; };
    if (any_of(recipe.pins, [&](const RecipePin& pin) { return is_torch(pin) && before(pin); }))
        return nullptr;
    const RecipePin* late =
        first_where(recipe.pins, [](const RecipePin& pin) { return is_torch(pin) && pin.by_pip(); });
    // `uv sync` installs what it builds without isolation last.
    certain = recipe.starts_bare && !step.after_others && late && late->by == "pip" &&
              all_of(recipe.pins,
                     [&](const RecipePin& pin) { return !before(pin) || (!pin.open && is_plain_tool(pin)); });
    return late;
}

// pip and uv run the setup.py of all packages of a command before they install any of them.
bool report_order(const RecipeFacts& recipe, const CompileStep& step, Findings& findings) {
    bool certain = true;
    const RecipePin* late = late_torch(recipe, step, certain);
    if (!late) return false;
    const Composed finding =
        add(findings, "CC622", certain ? Level::error : Level::unknown, step.what,
            SAY("'{}' runs before torch is installed, which its setup.py imports", step.what))
            .found("step", step.what, step.origin)
            .found("torch", text_of(*late), late->origin)
            .expected("order", SAY("torch before {}", step.package), {})
            .because(late->group == step.group
                         ? "the setup.py of each package of a command runs before any of them is installed"
                         : "torch is installed by a later command")
            .by_hand(SAY("install torch in a command of its own, then {} with --no-build-isolation",
                         step.package));
    if (!certain) finding.decide("whether torch is there before");
    return true;
}

// An earlier command has installed it: pip and uv build it no more.
bool is_there(const RecipeFacts& recipe, const CompileStep& step) {
    const auto own = first_where(recipe.pins, [&](const RecipePin& pin) {
        return pin.package == step.package && pin.group == step.group;
    });
    return own && !own->upgrade && any_of(recipe.pins, [&](const RecipePin& pin) {
               return pin.package == step.package && pin.by_pip() && pin.group < step.group;
           });
}

void judge_step(const RecipeFacts& recipe, const CompileStep& step, Findings& findings) {
    if (is_there(recipe, step)) return;
    const bool late = report_order(recipe, step, findings);
    if (!late && step.isolated && !is_file(recipe)) report_import(recipe, step, findings);
}

// The environment of the build gets the newest torch: its [build-system], or that of a package, names it
// without a release.
void report_newest(const CompileStep& step, const Expectation& torch, const Version& newest,
                   Findings& findings) {
    add(findings, "CC622", Level::warning, step.what,
        SAY("'{}' is built with the newest torch ({}), and {} is installed", step.what, newest.text,
            name_of(torch)))
        .found("step", step.what, step.origin)
        .found(torch.package, name_of(torch), torch.version.origin)
        .expected("pip", "--no-build-isolation", {})
        .because(
            "its pyproject.toml requires torch without a release: pip installs the newest one into the "
            "environment of the build, and a module that is built for one minor release does not load with "
            "another")
        .edit("pip install --no-build-isolation ...");
}

bool is_decided(const CompileStep& step) { return step.brings_torch || step.isolates; }

void judge_newest(const RecipeFacts& recipe, const Facts& facts, const Expectation& torch,
                  Findings& findings) {
    const auto releases = facts.framework_releases("torch");
    if (releases.empty() || is_file(recipe)) return;
    const Version& newest = releases.back();
    if (same_release(newest, *torch.version)) return;
    for (const CompileStep& step : recipe.compiles)
        if (step.isolated && step.brings_torch && !is_there(recipe, step))
            report_newest(step, torch, newest, findings);
}

void report_isolated(const CompileStep& step, const Expectation& torch, Findings& findings) {
    add(findings, "CC622", Level::unknown, step.what,
        SAY("'{}' may be built with another torch than the installed one", step.what))
        .found("step", step.what, step.origin)
        .found(torch.package, name_of(torch), torch.version.origin)
        .expected("pip", "--no-build-isolation", {})
        .because(
            "pip builds a project with a pyproject.toml in an environment of its own: with the newest torch "
            "if that file names torch, else without one")
        .decide("whether its pyproject.toml names torch; --no-build-isolation avoids the question")
        .edit("pip install --no-build-isolation ...");
}

}  // namespace

PTXGUARD_RULE(CC622) {
    if (!is_recipe(scenario)) return;
    const RecipeFacts& recipe = scenario.recipe;
    for (const CompileStep& step : recipe.compiles)
        if (step.imports_torch && !step.package.empty() && !(step.isolated && step.brings_torch))
            judge_step(recipe, step, findings);
        else if (step.package.empty() && step.isolated && step.isolates)
            report_import(recipe, step, findings);
    const auto* isolated = first_where(
        recipe.compiles, [](const CompileStep& step) { return step.isolated && !is_decided(step); });
    const auto* torch = first_where(scenario.expectations, [](const Expectation& one) {
        return one.framework == "PyTorch" && one.version && !never_released(one);
    });
    if (torch) judge_newest(recipe, facts, *torch, findings);
    if (findings.empty() && isolated && torch) report_isolated(*isolated, *torch, findings);
}

}  // namespace ptxguard
