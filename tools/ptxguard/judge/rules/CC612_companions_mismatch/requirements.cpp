// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC612_companions_mismatch/parts.hpp"

#include <list>

#include "facts/libraries.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {

Composed add_no_set(const RecipeFacts& recipe, const std::string& subject, std::string message,
                    Findings& findings) {
    return add(findings, "CC612", recipe.kind == "requirements file" ? Level::warning : Level::error, subject,
               std::move(message))
        .because("pip finds no set of packages that fits both, and installs nothing");
}

namespace {

constexpr int k_before_commands = -1;

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
        if (has_extra(pin, cuda) && !has_extra(pin, SAY("{}-local", cuda))) return SAY("jax-{}-plugin", cuda);
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

// PyPI's build of the wheel, whose metadata the tables have; null if another one is installed.
const FrameworkRelease* release_of_wheel(const Facts& facts, const Expectation& one,
                                         const std::string& package) {
    const auto version = one.version ? parse_version(one.version->without_local()) : std::nullopt;
    const FrameworkRelease* release = version ? facts.framework_release(package, *version) : nullptr;
    if (!release || !release->cuda) return nullptr;
    return package != one.package || same_release(*one.cuda, *release->cuda) ? release : nullptr;
}

// PyTorch of an image that pip has put there, as the first pin. conda's packages bring other libraries; its
// channel ended before that release.
std::optional<RecipePin> pin_of_image(const RecipeFacts& recipe, const Facts& facts, const Expectation& one) {
    const auto* there = first_where(recipe.installed, [&](const Installed& other) {
        return other.of_image && other.package == one.package && other.version;
    });
    const auto last = recipe_tables(facts).last_in_channel("pytorch", "pytorch");
    const auto release = there ? parse_version(there->version->without_local()) : std::nullopt;
    if (!release || one.framework != "PyTorch" || !last || *release <= *last) return std::nullopt;
    RecipePin pin;
    pin.package = one.package;
    pin.by = "image";
    pin.specifier = SAY("=={}", there->version->text);
    pin.version = there->version;
    pin.group = k_before_commands;
    pin.origin = there->asked;
    return pin;
}

// `images`: keeps the pins of images.
Wheel wheel_of(const Scenario& scenario, const Facts& facts, const Expectation& one,
               std::list<RecipePin>& images) {
    const RecipeFacts& recipe = scenario.recipe;
    Wheel wheel;
    if (one.how != Installation::wheel || !one.cuda || holds_libraries(facts, one)) return wheel;
    wheel.pin = pin_of_wheel(recipe, one);
    if (auto image = wheel.pin ? std::nullopt : pin_of_image(recipe, facts, one))
        wheel.pin = &images.emplace_back(std::move(*image));
    const std::string package = wheel.pin ? requiring_package(*wheel.pin) : "";
    const FrameworkRelease* release = wheel.pin ? release_of_wheel(facts, one, package) : nullptr;
    if (!release) return wheel;
    wheel.origin = release->origin;
    // Up to 2.0, the wheels of PyTorch's own index hold the libraries that those of PyPI require.
    const bool bundles =
        package == "torch" && release->version < *parse_version("2.1") && !one.version->local().empty();
    // Without an extra, the wheels for Windows require neither triton nor NVIDIA's packages.
    const bool only_extras = scenario.system == System::windows;
    for (const RequiredPackage& required : release->required)
        if (!(only_extras && required.extra.empty()) &&
            !(bundles && starts_with(required.package, "nvidia-")) &&
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
    const std::string needed = required.package + required.range;
    const std::string message =
        SAY("{} is pinned beside {}, which requires {}", text_of(first), text_of(*wheel.pin), needed);
    const Composed finding =
        add_no_set(recipe, text_of(first),
                   pins.size() == 1 ? message : SAY("{} (and {} more such pins)", message, pins.size() - 1),
                   findings)
            .fix(pins.size() == 1 ? Fix{FixKind::edit, needed}
                                  : by_hand(SAY("remove these pins: {} requires the releases that fit",
                                                wheel.pin->package)));
    for (const RecipePin* pin : pins)
        finding.found(evidence_of(*pin))
            .expected(pin->package, required_by(wheel, pin->package)->range, wheel.origin);
    finding.found(evidence_of(*wheel.pin));
}

// A later command replaces a library that the wheel requires.
Composed add_replaced(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Level level,
                      Findings& findings) {
    return add(findings, "CC612", level, pin,
               SAY("{} replaces the {} that {} requires", text_of(pin), wanted.text, text_of(*wheel.pin)))
        .found(evidence_of(*wheel.pin))
        .expected(pin.package, wanted.text, wheel.origin)
        .edit(SAY("{}=={}", pin.package, wanted.text));
}

// ... by one of another major, with other file names ...
void add_other_major(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Findings& findings) {
    const std::string& user = wheel.pin->package;
    if (nvidia_component(pin.package).empty())
        add_replaced(wheel, pin, wanted, Level::warning, findings)
            .because(SAY("{} calls functions of the release that it requires, and pip only warns; without "
                         "those calls it works",
                         user))
            .by_hand(SAY("remove this pin, or take a {} that requires this release", user));
    else
        add_replaced(wheel, pin, wanted, Level::error, findings)
            .because(SAY("the libraries of another major release have other names; {} does not find those "
                         "that it was built with",
                         user));
}

// ... or by an older one of the same major.
void add_older(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Findings& findings) {
    add_replaced(wheel, pin, wanted, Level::warning, findings)
        .because(SAY("a later run of pip replaces the library with which {} was built by an older one, and "
                     "only warns; calls of newer functions then fail",
                     wheel.pin->package))
        .by_hand("remove this pin");
}

void judge_later_pin(const Wheel& wheel, const RecipePin& pin, const Version& wanted, Findings& findings) {
    if (wanted.major() != pin.version->major())
        add_other_major(wheel, pin, wanted, findings);
    else if (*pin.version < wanted)
        add_older(wheel, pin, wanted, findings);
}

void judge_pins(const RecipeFacts& recipe, const Wheel& wheel, Findings& findings) {
    std::vector<const RecipePin*> beside;
    for (const RecipePin& pin : recipe.pins) {
        const RequiredPackage* required = required_by(wheel, pin.package);
        if (!required || !pin.by_pip() || pin.no_deps || !pin.unreadable.empty()) continue;
        const std::string range = pin.version ? SAY("=={}", pin.version->text) : pin.specifier;
        if (!excludes(range, required->range)) continue;
        const auto wanted = exactly(required->range);
        if (pin.group == wheel.pin->group)
            beside.push_back(&pin);
        else if (pin.group > wheel.pin->group && pin.version && wanted)
            judge_later_pin(wheel, pin, *wanted, findings);
    }
    if (!beside.empty()) add_pins(recipe, wheel, beside, findings);
}

// A pin beside what the wheel requires of the other CUDA: the package that is installed last wins.
void judge_owners(const RecipeFacts& recipe, const Wheel& wheel, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        if (!pin.by_pip() || !pin.unreadable.empty()) continue;
        for (const RequiredPackage* required : wheel.required) {
            if (!writes_the_same_files(pin, required->package, required->range)) continue;
            add(findings, "CC612", Level::error, pin,
                SAY("{} writes the same files as {}{}, which {} requires", text_of(pin), required->package,
                    required->range, text_of(*wheel.pin)))
                .found(evidence_of(*wheel.pin))
                .expected(required->package, required->range, wheel.origin)
                .because(k_one_folder)
                .edit(required->package + required->range)
                .by_hand(SAY("remove {}", pin.package));
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
            !starts_with(pin.package, "nvidia-") || pin.package.find("-cu1") != npos)
            continue;
        const auto cuda = cuda_of_library(facts, nvidia_component(pin.package), {*pin.version, pin.origin});
        if (!cuda || same_release(*cuda, *release)) continue;
        add_no_set(
            recipe, text_of(pin),
            SAY("{} is of CUDA {}, and {} requires cuda-toolkit{}, which pins that of CUDA {}", text_of(pin),
                cuda->release(), text_of(*wheel.pin), toolkit->range, release->release()),
            findings)
            .found(evidence_of(pin), evidence_of(*wheel.pin))
            .expected(pin.package, SAY("that of CUDA {}", release->release()), wheel.origin)
            .by_hand(SAY("remove this pin: {} installs the release that fits", wheel.pin->package));
    }
}

// pip installs torch and tensorflow[and-cuda] together only if they require the same libraries.
void judge_two(const RecipeFacts& recipe, const Wheel& one, const Wheel& other, Findings& findings) {
    if (one.pin->group != other.pin->group) return;
    for (const RequiredPackage* required : one.required) {
        const RequiredPackage* second = required_by(other, required->package);
        if (!second || !excludes(required->range, second->range)) continue;
        add_no_set(recipe, text_of(*other.pin),
                   SAY("{} and {} require different {}: {} and {}", text_of(*one.pin), text_of(*other.pin),
                       required->package, required->range, second->range),
                   findings)
            .found(evidence_of(*one.pin), evidence_of(*other.pin))
            .expected(required->package, required->range, one.origin)
            .expected(required->package, second->range, other.origin)
            .by_hand("install them into two environments, or releases that require the same");
        return;
    }
}

// conda's torchvision requires one release of its pytorch: 0.9.1 that of 1.8.1, and not 1.8.0. Other channels
// may have compiled it for another one.
void judge_conda_pair(const RecipeFacts& recipe, const Companion& companion, Findings& findings) {
    const CondaTorch here = conda_torch(recipe);
    const RecipePin* pin = conda_pin(recipe, companion.package);
    const auto is_exact = [](const RecipePin* one) {
        return one && one->version && one->version->numbers.size() > 2 && !one->origin.overridable;
    };
    if (!here.own || !is_exact(here.torch) || !is_exact(pin) || pin->group != here.torch->group) return;
    const CompanionWheel* wheel = companion.wheel(*pin->version);
    const Version& torch = *here.torch->version;
    if (!wheel || wheel->of.without_local() == torch.without_local() || !same_release(wheel->of, torch))
        return;
    add(findings, "CC612", here.forge || here.defaults ? Level::warning : Level::error, *pin,
        SAY("{} requires pytorch {}, and {} is beside it", text_of(*pin), wheel->of.without_local(),
            text_of(*here.torch)))
        .found(evidence_of(*here.torch))
        .expected("pytorch", wheel->of.without_local(), companion.origin)
        .because(
            "the channel pytorch has each release for one release of PyTorch; conda finds no set that fits")
        .edit(SAY("pytorch={}", wheel->of.without_local()));
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
        const std::string one = text_of(*chosen), other = text_of(*toolkit);
        add(findings, "CC612", excludes ? Level::error : Level::warning, other,
            excludes ? SAY("{} excludes {}", one, other) : SAY("{} brings another CUDA than {}", one, other))
            .found(evidence_of(*toolkit), evidence_of(*chosen))
            .expected("cudatoolkit", chosen->version->release(), chosen->origin)
            .because(
                excludes
                    ? "cuda-version accepts the toolkit of its own release only; conda finds no set that fits"
                    : "both bring a CUDA runtime, and PyTorch may load the one that it was not built with")
            .by_hand(excludes ? "ask for one release of CUDA" : "delete cudatoolkit");
    }
}

}  // namespace

void judge_requirements(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!is_recipe(scenario)) return;
    // Overrides and sources of uv and poetry.
    const bool open = any_of(scenario.recipe.pins, [](const RecipePin& pin) { return pin.open; });
    if (open && scenario.recipe.kind == "pyproject.toml") return;
    judge_cuda_version(scenario.recipe, findings);
    for (const char* package : {"torchvision", "torchaudio"})
        if (const Companion* companion = companion_of(facts, "torch", package))
            judge_conda_pair(scenario.recipe, *companion, findings);
    std::vector<Wheel> wheels;
    std::list<RecipePin> images;
    for (const Expectation& one : scenario.expectations) {
        Wheel wheel = wheel_of(scenario, facts, one, images);
        if (wheel.required.empty()) continue;
        judge_pins(scenario.recipe, wheel, findings);
        judge_owners(scenario.recipe, wheel, findings);
        judge_toolkit_pins(scenario.recipe, wheel, facts, findings);
        for (const Wheel& before : wheels) judge_two(scenario.recipe, before, wheel, findings);
        wheels.push_back(std::move(wheel));
    }
}

}  // namespace ptxguard
