// A named build has no wheel for the named Python, or for the system or machine of the recipe.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

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
    return from == to ? from : SAY("{} to {}", from, to);
}

// +cuXXX on macOS: no such wheel was ever built.
void say_macos(const RecipePin& pin, bool only, Findings& findings) {
    add(findings, "CC613", only ? Level::error : Level::warning, SAY("{} on macOS", text_of(pin)),
        SAY("{} has no wheel for macOS", text_of(pin)))
        .found(evidence_of(pin))
        .expected(pin.by, SAY("{}=={} on macOS", pin.package, pin.version->without_local()), {})
        .because(
            only ? "builds for CUDA exist for Linux and Windows"
                 : "builds for CUDA exist for Linux and Windows, and other lines of this file are for macOS")
        .of_package(pin.package)
        .edit(SAY("{}=={}; sys_platform == 'darwin'", pin.package, pin.version->without_local()));
}

void judge_macos(const RecipeFacts& recipe, Findings& findings) {
    const auto has_cuda = [](const RecipePin& pin) {
        return pin.version && cuda_of_tag(pin.version->local());
    };
    for (const RecipePin& pin : recipe.pins_for_macos)
        if (has_cuda(pin)) say_macos(pin, true, findings);
    // A Dockerfile that installs such a file has lines of its own, for Linux alone.
    const auto beside_macos = [&](const RecipePin& pin) {
        return any_of(recipe.pins_for_macos,
                      [&](const RecipePin& one) { return one.origin.path == pin.origin.path; });
    };
    for (const RecipePin& pin : recipe.pins)
        if (has_cuda(pin) && pin.marker.empty() && beside_macos(pin)) say_macos(pin, false, findings);
}

// The last release of conda's channel for the CUDA that the command selects.
void say_last_of_channel(const RefusedPin& one, Findings& findings) {
    add(findings, "CC613", Level::warning, one.pinned,
        SAY("{} is the last one for {}, and has no build for Python {}, only for {}", one.pinned,
            one.required_by, one.by, one.wanted))
        .found("Python", one.by, one.by_origin)
        .found("conda", one.required_by, one.origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because("conda finds no set of packages, or takes the build for CPUs of another channel")
        .of_package(one.package)
        .by_hand(SAY("use a newer CUDA, or an environment with Python {}", one.wanted));
}

// A release without a file for the Python of the recipe.
void judge_python(const RefusedPin& one, Findings& findings) {
    if (!one.required_by.empty()) return say_last_of_channel(one, findings);
    add(findings, "CC613", one.by_origin.certainty == Certainty::predicted ? Level::warning : Level::error,
        one.pinned, SAY("{} has no wheel for Python {}, only for {}", one.pinned, one.by, one.wanted))
        .found("Python", one.by, one.by_origin)
        .found("pip", one.pinned, one.origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because("pip finds no file of that release for this Python, and fails")
        .of_package(one.package)
        .by_hand(SAY("use Python {}, or a release of {} for Python {}", one.wanted, one.package, one.by));
}

// A program or a wheel that needs a newer C library than the image has.
void judge_glibc(const RefusedPin& one, Findings& findings) {
    add(findings, "CC613", Level::warning, one.pinned,
        SAY("{} needs glibc {}, and the image has {}", one.pinned, one.wanted, one.by))
        .found("glibc", one.by, one.by_origin)
        .found("recipe", one.pinned, one.origin)
        .expected("glibc", one.wanted, one.wanted_origin)
        .because(SAY("it ends with an error: 'GLIBC_{}' not found", one.wanted))
        .of_package(one.package)
        .by_hand("use an image of a newer system, or an older release");
}

// conda's base environment has a Python for which the release has no build.
void judge_base(const RefusedPin& one, Findings& findings) {
    add(findings, "CC613", Level::warning, one.pinned,
        SAY("{} is for Python {}, and conda's base environment has {} or a newer one", one.pinned, one.wanted,
            one.by))
        .found("Python", one.by, one.by_origin)
        .found("conda", one.pinned, one.origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because("conda keeps the Python of its base environment, and finds no set of packages")
        .of_package("torch")
        .by_hand("create an environment with a Python for it, or use the installer of an older release");
}

// get-pip.py, which is always that of today's pip.
void judge_script(const RefusedPin& one, Findings& findings) {
    add(findings, "CC613", Level::warning, one.pinned,
        SAY("{} needs Python {}, and Python {} runs it", one.pinned, one.wanted, one.by))
        .found("script", one.pinned, one.origin)
        .found("Python", one.by, one.by_origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because("the script compares its Python first, and ends with 'This script does not work on Python'")
        .by_hand(SAY("use https://bootstrap.pypa.io/pip/{}/{}", one.by, one.package));
}

// A release without a file for the system or machine of the recipe, or one that requires such a package.
void judge_platform(const RefusedPin& one, Findings& findings) {
    const bool certain = one.by_origin.certainty != Certainty::predicted;
    const std::string lacks = SAY("{} has no file for {}, only for {}", one.pinned, one.by, one.wanted);
    add(findings, "CC613", certain ? Level::error : Level::warning, one.pinned,
        one.required_by.empty() ? lacks : SAY("{}; {} requires it", lacks, one.required_by))
        .found("platform", one.by, one.by_origin)
        .found("pip", one.pinned, one.origin)
        .expected("platform", one.wanted, one.wanted_origin)
        .because("pip finds neither a wheel for this platform nor a source archive, and fails")
        .of_package(one.package)
        .by_hand(SAY("leave it out on {} with a marker, or use {}", one.by, one.wanted));
}

// A project that the recipe installs, and whose metadata excludes the Python that is there.
void judge_project(const RefusedPin& one, Findings& findings) {
    add(findings, "CC613", one.by_origin.certainty == Certainty::predicted ? Level::warning : Level::error,
        one.pinned, SAY("{} requires Python {}, and Python {} installs it", one.pinned, one.wanted, one.by))
        .found("Python", one.by, one.by_origin)
        .found("project", one.pinned, one.origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because("pip refuses a project whose requires-python excludes its Python, and ends with an error")
        .by_hand(SAY("use an image or a command with Python {}", one.wanted));
}

void judge_range(const RefusedPin& one, Findings& findings) {
    const bool no_lock = one.why == Refusal::no_lock;
    add(findings, "CC613", no_lock ? Level::warning : Level::note, one.pinned,
        no_lock
            ? SAY("{} requires Python {}, and this project admits Python {}", one.pinned, one.wanted, one.by)
            : SAY("{} has wheels up to Python {}, and this project admits Python {}", one.pinned, one.wanted,
                  one.by))
        .of_package(one.package)
        .found("requirement", one.pinned, one.origin)
        .found("project", SAY("Python {}", one.by), one.by_origin)
        .expected("Python", one.wanted, one.wanted_origin)
        .because(no_lock ? SAY("{} searches a set of packages for each Python that the project admits, and "
                               "ends with an error",
                               one.required_by)
                         : "with that Python the installer finds no file, and fails")
        .by_hand(no_lock ? SAY("narrow the project's range of Pythons to {}", one.wanted)
                         : SAY("limit the project's range of Pythons to {} and older, or allow a newer {}",
                               one.wanted, one.package));
}

bool is_fixed(const RecipePin* pin) { return pin && pin->version && !pin->origin.overridable; }

// conda's pytorch=2.1.0 beside python=3.12: the channel pytorch has builds for no more Pythons than PyPI.
void judge_conda_python(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    const CondaTorch here = conda_torch(recipe);
    const bool others = here.forge || here.defaults;
    if (!is_fixed(here.torch) || !is_fixed(here.python) || !here.own || (others && !here.pytorch_cuda))
        return;
    const RecipePin &torch = *here.torch, &python = *here.python;
    const PypiRow* row = pypi_row(facts, "torch", *torch.version);
    const std::string wanted = python.version->release();
    if (python.version->numbers.size() < 2 || !row || !row->python_from || fits_python(*row, wanted)) return;
    const std::string named = SAY("{}={}", torch.package, torch.version->text), from = row->python_from->text;
    const std::string has = row->python_to ? SAY("{} to {}", from, row->python_to->text) : from;
    add(findings, "CC613", others ? Level::warning : Level::error, named,
        SAY("the channel pytorch has no {} for Python {}, only for {}", named, wanted, has))
        .of_package("torch")
        .found(evidence_of(torch), evidence_of(python))
        .expected("Python", has, row->origin)
        .because("conda finds no set of packages that fits both, or takes the build of another channel")
        .edit(SAY("python={}", row->python_to ? row->python_to->text : from));
}

// An environment that another Python uses now: its interpreter was exchanged, or its folder copied.
void judge_installed(const Scenario& scenario, const NativeModule& module, Findings& findings) {
    const PythonEnvironment& python = scenario.python;
    const std::string name = with_release(module.package, module.version);
    Composed finding =
        add(findings, "CC613", module.use == ModuleUse::at_import ? Level::error : Level::warning,
            SAY("{}, {}", name, module.path),
            SAY("{} is installed for Python {}, and this environment is of Python {}", name,
                module.built_for->text, python.version))
            .about(scenario, module)
            .about(k_python)
            .found("module", file_of(module.path), Origin::from_file(module.path))
            .expected("module", SAY("for Python {}", python.version), {})
            .because(
                "Python imports a module only if the release in its name is its own: 'No module named', "
                "although the file is there")
            .of_package(module.package);
    const std::string pin = module.version ? SAY("=={}", module.version->without_local()) : std::string();
    finding.fix(pip_fix(SAY("--force-reinstall '{}{}'", module.package, pin)))
        .by_hand(SAY("use Python {} with this environment", module.built_for->text));
}

constexpr std::pair<Refusal, void (*)(const RefusedPin&, Findings&)> k_refusals[] = {
    {Refusal::no_python, judge_python},   {Refusal::no_platform, judge_platform},
    {Refusal::no_project, judge_project}, {Refusal::no_lock, judge_range},
    {Refusal::no_newest, judge_range},    {Refusal::old_glibc, judge_glibc},
    {Refusal::conda_base, judge_base},    {Refusal::old_python, judge_script}};

}  // namespace

PTXGUARD_RULE(CC613) {
    for (const NativeModule& module : scenario.modules)
        if (is_for_other_python(module)) judge_installed(scenario, module, findings);
    judge_macos(scenario.recipe, findings);
    if (is_recipe(scenario)) judge_conda_python(scenario.recipe, facts, findings);
    for (const RefusedPin& one : scenario.recipe.refused)
        for (const auto& [why, judge] : k_refusals)
            if (one.why == why) judge(one, findings);
    for (const Expectation& expectation : scenario.expectations) {
        const auto fit = fit_for_python(expectation, scenario, facts);
        if (!fit || fit->has_wheel) continue;
        Composed finding = add(findings, "CC613", Level::error, name_of(expectation),
                               SAY("{} has no wheel for Python {}, only for {}", name_of(expectation),
                                   fit->python.text, span(*fit->release)));
        Origin option = Origin::from_option("--python");
        finding.about(scenario, expectation).about(k_python);
        finding.found("Python", scenario.python.version, option);
        finding.expected("Python", span(*fit->release), fit->release->origin);
        finding.because(
            "pip finds no file of that release for this Python, and takes another release or none");
        finding.of_package(expectation.package);
        finding.by_hand(SAY("use Python {}", span(*fit->release)));
    }
}

}  // namespace ptxguard
