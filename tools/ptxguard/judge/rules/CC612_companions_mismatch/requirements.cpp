// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include "facts/libraries.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {

Finding& add_no_set(const RecipeFacts& recipe, const std::string& subject, std::string message,
                    Findings& findings) {
    Finding& finding =
        add(findings, "CC612", recipe.kind == "requirements file" ? Level::warning : Level::error, subject,
            std::move(message));
    finding.because = "pip finds no set of packages that fits both, and installs nothing";
    return finding;
}

namespace {

// A wheel that a recipe installs, and its requirements.
struct Wheel {
    const RecipePin* pin = nullptr;
    Origin origin;
    std::vector<const RequiredPackage*> required;
};

bool has_extra(const RecipePin& pin, const std::string& start) {
    return any_of(pin.extras, [&](const std::string& extra) { return starts_with(extra, start); });
}

// jax[cuda12] gets the libraries that its plugin requires, which has jax's version.
std::string requiring_package(const RecipePin& pin) {
    if (pin.package != "jax") return pin.package;
    for (const char* cuda : {"cuda12", "cuda13"})
        if (has_extra(pin, cuda) && !has_extra(pin, std::string(cuda) + "-local"))
            return std::string("jax-") + cuda + "-plugin";
    return "";
}

// The pin that says which release of the wheel is installed, with its requirements.
const RecipePin* pin_of_wheel(const RecipeFacts& recipe, const Expectation& one) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == one.package && pin.by_pip() && !pin.no_deps) found = &pin;
    const bool decides = found && (found->version || !found->specifier.empty());
    return decides && !recipe.takes_rocm(*found) ? found : nullptr;
}

Wheel wheel_of(const RecipeFacts& recipe, const Facts& facts, const Expectation& one) {
    Wheel wheel;
    if (one.how != Installation::wheel || !one.cuda || holds_libraries(facts, one)) return wheel;
    wheel.pin = pin_of_wheel(recipe, one);
    if (!wheel.pin || !one.version) return wheel;
    const std::string package = requiring_package(*wheel.pin);
    const auto version = parse_version(one.version->without_local());
    const FrameworkRelease* release = version ? facts.framework_release(package, *version) : nullptr;
    if (!release || !release->cuda) return wheel;
    if (package == one.package && !same_release(*one.cuda, *release->cuda)) return wheel;
    wheel.origin = release->origin;
    // Up to 2.0, the wheels of PyTorch's own index hold the libraries that those of PyPI require.
    const bool bundles =
        package == "torch" && *version < *parse_version("2.1") && !one.version->local().empty();
    for (const RequiredPackage& required : release->required)
        if (!(bundles && starts_with(required.package, "nvidia-")) &&
            (required.extra.empty() || has_extra(*wheel.pin, required.extra)))
            wheel.required.push_back(&required);
    return wheel;
}

std::optional<Version> exactly(const std::string& range) {
    return starts_with(range, "==") ? parse_version(range.substr(2)) : std::nullopt;
}

// Whether no release fits both: where one of them is a release, the other one decides.
bool excludes(const std::string& range, const std::string& other) {
    const auto version = exactly(range);
    if (version) return !accepts(other, *version);
    const auto of_other = exactly(other);
    return of_other && !accepts(range, *of_other);
}

const RequiredPackage* required_by(const Wheel& wheel, const std::string& package) {
    for (const RequiredPackage* required : wheel.required)
        if (required->package == package) return required;
    return nullptr;
}

void add_pins(const RecipeFacts& recipe, const Wheel& wheel, const std::vector<const RecipePin*>& pins,
              Findings& findings) {
    const RecipePin& first = *pins.front();
    const RequiredPackage& required = *required_by(wheel, first.package);
    std::string message = text_of(first) + " is pinned beside " + text_of(*wheel.pin) + ", which requires " +
                          required.package + required.range;
    if (pins.size() > 1) message += " (and " + std::to_string(pins.size() - 1) + " more such pins)";
    Finding& finding = add_no_set(recipe, text_of(first), message, findings);
    for (const RecipePin* pin : pins) finding.found.push_back(evidence_of(*pin));
    finding.found.push_back(evidence_of(*wheel.pin));
    for (const RecipePin* pin : pins)
        finding.expected.push_back({pin->package, required_by(wheel, pin->package)->range, wheel.origin});
    if (pins.size() == 1)
        finding.fix = {{FixKind::edit, required.package + required.range}};
    else
        finding.fix = {{FixKind::manual,
                        "remove these pins: " + wheel.pin->package + " requires the releases that fit"}};
}

// A later command replaces a library that the wheel requires.
Finding& add_replaced(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Level level,
                      Findings& findings) {
    Finding& finding =
        add(findings, "CC612", level, text_of(pin),
            text_of(pin) + " replaces the " + wanted.text + " that " + text_of(*wheel.pin) + " requires");
    finding.found = {evidence_of(pin), evidence_of(*wheel.pin)};
    finding.expected = {{pin.package, wanted.text, wheel.origin}};
    finding.fix = {{FixKind::edit, pin.package + "==" + wanted.text}};
    return finding;
}

// ... by one of another major, with other file names ...
void add_other_major(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Findings& findings) {
    const bool library = !nvidia_component(pin.package).empty();
    Finding& finding = add_replaced(wheel, pin, wanted, library ? Level::error : Level::warning, findings);
    if (!library) {
        finding.because = wheel.pin->package + " calls functions of the release that it requires, and pip " +
                          "only warns; without those calls it works";
        finding.fix = {{FixKind::manual,
                        "remove this pin, or take a " + wheel.pin->package + " that requires this release"}};
        return;
    }
    finding.because = "the libraries of another major release have other names; " + wheel.pin->package +
                      " does not find those that it was built with";
}

// ... or by an older one of the same major.
void add_older(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Findings& findings) {
    Finding& finding = add_replaced(wheel, pin, wanted, Level::warning, findings);
    finding.because = "a later run of pip replaces the library with which " + wheel.pin->package +
                      " was built by an older one, and only warns; calls of newer functions then fail";
    finding.fix.push_back({FixKind::manual, "remove this pin"});
}

void judge_pins(const RecipeFacts& recipe, const Wheel& wheel, Findings& findings) {
    std::vector<const RecipePin*> beside;
    for (const RecipePin& pin : recipe.pins) {
        const RequiredPackage* required = required_by(wheel, pin.package);
        if (!required || !pin.by_pip() || pin.no_deps || !pin.unreadable.empty()) continue;
        const std::string range = pin.version ? "==" + pin.version->text : pin.specifier;
        if (!excludes(range, required->range)) continue;
        const auto wanted = exactly(required->range);
        if (pin.group == wheel.pin->group)
            beside.push_back(&pin);
        else if (pin.group > wheel.pin->group && pin.version && wanted &&
                 wanted->major() != pin.version->major())
            add_other_major(wheel, pin, *wanted, findings);
        else if (pin.group > wheel.pin->group && pin.version && wanted && *pin.version < *wanted)
            add_older(wheel, pin, *wanted, findings);
    }
    if (!beside.empty()) add_pins(recipe, wheel, beside, findings);
}

// A pin beside what the wheel requires of the other CUDA: the package that is installed last wins.
void judge_owners(const RecipeFacts& recipe, const Wheel& wheel, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        if (!pin.by_pip() || !pin.unreadable.empty()) continue;
        for (const RequiredPackage* required : wheel.required) {
            if (!writes_the_same_files(pin, required->package, required->range)) continue;
            Finding& finding = add(findings, "CC612", Level::error, text_of(pin),
                                   text_of(pin) + " writes the same files as " + required->package +
                                       required->range + ", which " + text_of(*wheel.pin) + " requires");
            finding.found = {evidence_of(pin), evidence_of(*wheel.pin)};
            finding.expected = {{required->package, required->range, wheel.origin}};
            finding.because =
                "both packages put their libraries into one folder of site-packages: the one that is "
                "installed last overwrites the other, and pip does not report it";
            finding.fix = {{FixKind::edit, required->package + required->range},
                           {FixKind::manual, "remove " + pin.package}};
        }
    }
}

// What torch pins one step further: cuda-toolkit==13.0.2 pins the libraries of that CUDA.
void judge_toolkit_pins(const RecipeFacts& recipe, const Wheel& wheel, const Facts& facts,
                        Findings& findings) {
    const RequiredPackage* toolkit = required_by(wheel, "cuda-toolkit");
    const auto release = toolkit ? exactly(toolkit->range) : std::nullopt;
    if (!release) return;
    for (const RecipePin& pin : recipe.pins) {
        if (!pin.by_pip() || !pin.version || pin.no_deps || pin.group != wheel.pin->group ||
            !starts_with(pin.package, "nvidia-") || pin.package.find("-cu1") != std::string::npos)
            continue;
        const auto cuda = cuda_of_library(facts, nvidia_component(pin.package), {*pin.version, pin.origin});
        if (!cuda || same_release(*cuda, *release)) continue;
        Finding& finding = add_no_set(recipe, text_of(pin),
                                      text_of(pin) + " is of CUDA " + cuda->release() + ", and " +
                                          text_of(*wheel.pin) + " requires cuda-toolkit" + toolkit->range +
                                          ", which pins that of CUDA " + release->release(),
                                      findings);
        finding.found = {evidence_of(pin), evidence_of(*wheel.pin)};
        finding.expected = {{pin.package, "that of CUDA " + release->release(), wheel.origin}};
        finding.fix = {
            {FixKind::manual, "remove this pin: " + wheel.pin->package + " installs the release that fits"}};
    }
}

// pip installs torch and tensorflow[and-cuda] together only if they require the same libraries.
void judge_two(const RecipeFacts& recipe, const Wheel& one, const Wheel& other, Findings& findings) {
    if (one.pin->group != other.pin->group) return;
    for (const RequiredPackage* required : one.required) {
        const RequiredPackage* second = required_by(other, required->package);
        if (!second || !excludes(required->range, second->range)) continue;
        Finding& finding =
            add_no_set(recipe, text_of(*other.pin),
                       text_of(*one.pin) + " and " + text_of(*other.pin) + " require different " +
                           required->package + ": " + required->range + " and " + second->range,
                       findings);
        finding.found = {evidence_of(*one.pin), evidence_of(*other.pin)};
        finding.expected = {{required->package, required->range, one.origin},
                            {required->package, second->range, other.origin}};
        finding.fix = {
            {FixKind::manual, "install them into two environments, or releases that require the same"}};
        return;
    }
}

// conda-forge's cuda-version accepts only the cudatoolkit of its own release; pytorch-cuda accepts any, and
// both bring libcudart.
void judge_cuda_version(const RecipeFacts& recipe, Findings& findings) {
    const RecipePin* toolkit = conda_pin(recipe, "cudatoolkit");
    for (const char* package : {"cuda-version", "pytorch-cuda"}) {
        const RecipePin* chosen = conda_pin(recipe, package);
        const auto is_release = [](const RecipePin* pin) {
            return pin && pin->version && pin->version->numbers.size() > 1;
        };
        if (!is_release(chosen) || !is_release(toolkit) || chosen->group != toolkit->group ||
            same_release(*chosen->version, *toolkit->version))
            continue;
        const bool excludes = chosen->package == "cuda-version";
        Finding& finding = add(
            findings, "CC612", excludes ? Level::error : Level::warning, text_of(*toolkit),
            text_of(*chosen) + (excludes ? " excludes " : " brings another CUDA than ") + text_of(*toolkit));
        finding.found = {evidence_of(*toolkit), evidence_of(*chosen)};
        finding.expected = {{"cudatoolkit", chosen->version->release(), chosen->origin}};
        finding.because =
            excludes
                ? "cuda-version accepts the toolkit of its own release only; conda finds no set that fits"
                : "both bring a CUDA runtime, and PyTorch may load the one that it was not built with";
        finding.fix = {{FixKind::manual, excludes ? "ask for one release of CUDA" : "delete cudatoolkit"}};
    }
}

}  // namespace

void judge_requirements(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario)) return;
    // Overrides and sources of uv and poetry.
    const bool open = any_of(scenario.recipe.pins, [](const RecipePin& pin) { return pin.open; });
    if (open && scenario.recipe.kind == "pyproject.toml") return;
    judge_cuda_version(scenario.recipe, findings);
    std::vector<Wheel> wheels;
    for (const Expectation& one : scenario.expectations) {
        Wheel wheel = wheel_of(scenario.recipe, facts, one);
        if (wheel.required.empty()) continue;
        judge_pins(scenario.recipe, wheel, findings);
        judge_owners(scenario.recipe, wheel, findings);
        judge_toolkit_pins(scenario.recipe, wheel, facts, findings);
        for (const Wheel& before : wheels) judge_two(scenario.recipe, before, wheel, findings);
        wheels.push_back(std::move(wheel));
    }
}

}  // namespace ptxguard
