// A named build has no wheel for the named Python, or for the system or machine of the recipe.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/pypi.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

std::string span(const FrameworkRelease& release) {
    const std::string from = release.python_from->text, to = release.python_to->text;
    return from == to ? from : from + " to " + to;
}

// +cuXXX on macOS: no such wheel was ever built.
void say_macos(const RecipePin& pin, bool only, Findings& findings) {
    Finding& finding = add(findings, "CC613", only ? Level::error : Level::warning,
                           text_of(pin) + " on macOS", text_of(pin) + " has no wheel for macOS");
    finding.found = {evidence_of(pin)};
    finding.expected = {{pin.by, pin.package + "==" + pin.version->without_local() + " on macOS", {}}};
    finding.because = only ? "builds for CUDA exist for Linux and Windows"
                           : "builds for CUDA exist for Linux and Windows, and other lines of this file are "
                             "for macOS";
    finding.package = pin.package;
    finding.fix = {
        {FixKind::edit, pin.package + "==" + pin.version->without_local() + "; sys_platform == 'darwin'"}};
}

void judge_macos(const RecipeFacts& recipe, Findings& findings) {
    const auto has_cuda = [](const RecipePin& pin) {
        return pin.version && cuda_of_tag(pin.version->local());
    };
    for (const RecipePin& pin : recipe.pins_for_macos)
        if (has_cuda(pin)) say_macos(pin, true, findings);
    if (recipe.pins_for_macos.empty()) return;
    for (const RecipePin& pin : recipe.pins)
        if (has_cuda(pin) && pin.marker.empty()) say_macos(pin, false, findings);
}

// The last release of conda's channel for the CUDA that the command selects.
void say_last_of_channel(const RefusedPin& one, Findings& findings) {
    Finding& finding = add(findings, "CC613", Level::warning, one.pinned,
                           one.pinned + " is the last one for " + one.required_by +
                               ", and has no build for Python " + one.by + ", only for " + one.wanted);
    finding.found = {{"Python", one.by, one.by_origin}, {"conda", one.required_by, one.origin}};
    finding.expected = {{"Python", one.wanted, one.wanted_origin}};
    finding.because = "conda finds no set of packages, or takes the build for CPUs of another channel";
    finding.package = one.package;
    finding.fix = {{FixKind::manual, "use a newer CUDA, or an environment with Python " + one.wanted}};
}

// A release without a file for the Python of the recipe.
void judge_python(const RefusedPin& one, Findings& findings) {
    Finding& finding = add(
        findings, "CC613", one.by_origin.certainty == Certainty::predicted ? Level::warning : Level::error,
        one.pinned, one.pinned + " has no wheel for Python " + one.by + ", only for " + one.wanted);
    finding.found = {{"Python", one.by, one.by_origin}, {"pip", one.pinned, one.origin}};
    finding.expected = {{"Python", one.wanted, one.wanted_origin}};
    finding.because = "pip finds no file of that release for this Python, and fails";
    finding.package = one.package;
    finding.fix = {{FixKind::manual, "use Python " + one.wanted + ", or a release of " + one.package +
                                         " for Python " + one.by}};
}

// A release without a file for the system or machine of the recipe, or one that requires such a package.
void judge_platform(const RefusedPin& one, Findings& findings) {
    const bool certain = one.by_origin.certainty != Certainty::predicted;
    const std::string by = one.required_by.empty() ? "" : "; " + one.required_by + " requires it";
    Finding& finding = add(findings, "CC613", certain ? Level::error : Level::warning, one.pinned,
                           one.pinned + " has no file for " + one.by + ", only for " + one.wanted + by);
    finding.found = {{"platform", one.by, one.by_origin}, {"pip", one.pinned, one.origin}};
    finding.expected = {{"platform", one.wanted, one.wanted_origin}};
    finding.because = "pip finds neither a wheel for this platform nor a source archive, and fails";
    finding.package = one.package;
    finding.fix = {{FixKind::manual, "leave it out on " + one.by + " with a marker, or use " + one.wanted}};
}

// A project that the recipe installs, and whose metadata excludes the Python that is there.
void judge_project(const RefusedPin& one, Findings& findings) {
    Finding& finding =
        add(findings, "CC613",
            one.by_origin.certainty == Certainty::predicted ? Level::warning : Level::error, one.pinned,
            one.pinned + " requires Python " + one.wanted + ", and Python " + one.by + " installs it");
    finding.found = {{"Python", one.by, one.by_origin}, {"project", one.pinned, one.origin}};
    finding.expected = {{"Python", one.wanted, one.wanted_origin}};
    finding.because =
        "pip refuses a project whose requires-python excludes its Python, and ends with an error";
    finding.fix = {{FixKind::manual, "use an image or a command with Python " + one.wanted}};
}

// A Python that the project admits, and one of its requirements does not.
void judge_range(const RefusedPin& one, Findings& findings) {
    const bool no_lock = one.why == Refusal::no_lock;
    Finding& finding = add(
        findings, "CC613", no_lock ? Level::warning : Level::note, one.pinned,
        one.pinned + (no_lock ? " requires Python " + one.wanted : " has wheels up to Python " + one.wanted) +
            ", and this project admits Python " + one.by);
    finding.found = {{"requirement", one.pinned, one.origin}, {"project", "Python " + one.by, one.by_origin}};
    finding.expected = {{"Python", one.wanted, one.wanted_origin}};
    finding.because = no_lock ? one.required_by +
                                    " searches a set of packages for each Python that the project "
                                    "admits, and ends with an error"
                              : "with that Python the installer finds no file, and fails";
    finding.package = one.package;
    finding.fix = {{FixKind::manual, no_lock ? "narrow the project's range of Pythons to " + one.wanted
                                             : "limit the project's range of Pythons to " + one.wanted +
                                                   " and older, or allow a newer " + one.package}};
}

// conda's pytorch=2.1.0 beside python=3.12: the channel pytorch has builds for no more Pythons than PyPI.
void judge_conda_python(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const CondaTorch here = conda_torch(recipe);
    const RecipePin *const torch = here.torch, *const python = here.python;
    if (!torch || !python || torch->origin.overridable || python->origin.overridable) return;
    if (!torch->version || !python->version || python->version->numbers.size() < 2) return;
    const bool others = here.forge || here.defaults;
    if (!here.own || (others && !here.pytorch_cuda)) return;
    const PypiRow* row = pypi_row(facts, "torch", *torch->version);
    const std::string wanted = python->version->release();
    if (!row || !row->python_from || fits_python(*row, wanted)) return;
    const std::string named = torch->package + "=" + torch->version->text;
    const std::string has = row->python_from->text + (row->python_to ? " to " + row->python_to->text : "");
    Finding& finding =
        add(findings, "CC613", others ? Level::warning : Level::error, named,
            "the channel pytorch has no " + named + " for Python " + wanted + ", only for " + has);
    finding.found = {evidence_of(*torch), evidence_of(*python)};
    finding.expected = {{"Python", has, row->origin}};
    finding.because = "conda finds no set of packages that fits both, or takes the build of another channel";
    finding.package = "torch";
    finding.fix = {
        {FixKind::edit, "python=" + (row->python_to ? row->python_to->text : row->python_from->text)}};
}

// An environment that another Python uses now: its interpreter was exchanged, or its folder copied.
void judge_installed(const NativeModule& module, const PythonEnvironment& python, Findings& findings) {
    const std::string name = module.package + (module.version ? " " + module.version->text : std::string());
    Finding& finding =
        add(findings, "CC613", module.use == ModuleUse::at_import ? Level::error : Level::warning,
            name + ", " + module.path,
            name + " is installed for Python " + module.built_for->text +
                ", and this environment is of Python " + python.version);
    finding.found = {{"module", file_of(module.path), Origin::from_file(module.path)}};
    finding.expected = {{"module", "for Python " + python.version, {}}};
    finding.because =
        "Python imports a module only if the release in its name is its own: 'No module named', although the "
        "file is there";
    finding.package = module.package;
    const std::string pin = module.version ? "==" + module.version->without_local() : std::string();
    finding.fix = {{FixKind::command, k_pip_install + "--force-reinstall '" + module.package + pin + "'"},
                   {FixKind::manual, "use Python " + module.built_for->text + " with this environment"}};
}

}  // namespace

PTXGUARD_RULE(CC613) {
    for (const NativeModule& module : scenario.modules)
        if (is_for_other_python(module)) judge_installed(module, scenario.python, findings);
    judge_macos(scenario.recipe, findings);
    if (is_recipe(scenario)) judge_conda_python(scenario.recipe, facts, findings);
    for (const RefusedPin& one : scenario.recipe.refused)
        if (one.why == Refusal::no_python && !one.required_by.empty())
            say_last_of_channel(one, findings);
        else if (one.why == Refusal::no_python)
            judge_python(one, findings);
        else if (one.why == Refusal::no_platform)
            judge_platform(one, findings);
        else if (one.why == Refusal::no_project)
            judge_project(one, findings);
        else if (one.why == Refusal::no_lock || one.why == Refusal::no_newest)
            judge_range(one, findings);
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
        finding.fix = {{FixKind::manual, "use Python " + span(*fit->release)}};
    }
}

}  // namespace ptxguard
