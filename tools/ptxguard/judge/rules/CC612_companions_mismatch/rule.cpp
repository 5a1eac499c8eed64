// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "facts/compared.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework or its companion still runs; if the user named it, or a GPU, that is not enough.
Level level_of(const Conflict& conflict, const Expectation& expectation, const Scenario& scenario) {
    if (conflict.harm == Harm::import) return Level::error;
    if (conflict.builds && conflict.stops_gpu && !expectation.required && !scenario.requires_("framework"))
        return level_of_unused_gpu({conflict.builds->package, conflict.builds->other}, scenario);
    const bool is_meant =
        expectation.required || (conflict.builds && conflict.stops_gpu) || names_a_gpu(scenario);
    if (conflict.harm == Harm::gpu) return is_meant ? Level::error : Level::warning;
    return conflict.harm == Harm::part ? Level::warning : Level::note;
}

constexpr const char* k_over_conda =
    "pip installs its release over conda's, and what conda has chosen for that one stays";

// What a command of pip replaces of conda's, where no pin decides that: the last release of a channel.
const Installed* taken_by_conda(const RecipeFacts& recipe, const RecipePin& conda) {
    for (const Replaced& one : recipe.replaced)
        if (one.before.asked.is_at(conda.origin)) return &one.before;
    return nullptr;
}

// A pinned package of pip that requires another release than conda has installed.
void say_package_over_conda(const RecipeFacts& recipe, const RecipePin& conda, Findings& findings) {
    for (const Replaced& one : recipe.replaced) {
        const Installed& after = one.after;
        if (!one.before.asked.is_at(conda.origin) || after.required_by.empty() || after.newest ||
            after.asked.overridable || !one.before.version ||
            same_release(*one.before.version, *after.version))
            continue;
        add(findings, "CC612", Level::warning, after.required_by,
            SAY("{} of pip replaces {} of conda by {} {}", after.required_by, text_of(conda), after.package,
                after.version->text))
            .found("pip", after.required_by, after.asked)
            .found(evidence_of(conda))
            .expected(after.package, one.before.version->text, conda.origin)
            .because(k_over_conda)
            .by_hand(
                SAY("install {} {} in the first place, with pip only", after.package, after.version->text));
        return;
    }
}

bool is_other_release(const Version& before, const Version& after) {
    for (std::size_t i = 0; i < std::min(before.numbers.size(), std::size_t{3}); ++i)
        if (before.at(i) != after.at(i)) return true;
    return false;
}

// conda installs one release of the framework, and pip overwrites it with another.
void judge_managers(const RecipeFacts& recipe, const Expectation& one, Findings& findings) {
    const RecipePin* conda = conda_pin(recipe, one.package == "torch" ? "pytorch" : one.package);
    const RecipePin* pip = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.version && pin.by_pip() && pin.package == one.package) pip = &pin;
    if (!conda) return;
    if (!pip) return say_package_over_conda(recipe, *conda, findings);
    const Installed* last = conda->version ? nullptr : taken_by_conda(recipe, *conda);
    if (!conda->version && !last) return;
    const Version& before = last ? *last->version : *conda->version;
    if (!is_other_release(before, *pip->version)) return;
    add(findings, "CC612", Level::warning, *pip,
        last ? SAY("{} of pip replaces {} of conda, which is {} at most", text_of(*pip), text_of(*conda),
                   before.text)
             : SAY("{} of pip replaces {} of conda", text_of(*pip), text_of(*conda)))
        .found(evidence_of(*conda))
        .expected(one.package, before.text, conda->origin)
        .because(k_over_conda)
        .by_hand("ask for it in one place");
}

std::string with_cuda_of_pypi(const Expectation& one) {
    return one.cuda ? SAY("pip installs another release over it, with the CUDA of PyPI's build ({})",
                          one.cuda->release())
                    : "pip installs another release over it, with the CUDA of PyPI's build";
}

// Another release for the same CUDA, and with it all that the image has for the old one.
bool is_replaced_as_a_whole(const RecipeFacts& recipe, const Expectation& one) {
    return recipe.kept_of_image.empty() && one.cuda && recipe.image.cuda &&
           same_release(*one.cuda, *recipe.image.cuda);
}

// pip replaces the framework of the image, because a range excludes its release (an exact pin is
// intentional) ...
void judge_replaced_in_image(const RecipeFacts& recipe, const Expectation& one, const Disagreement& range,
                             Findings& findings) {
    const RecipeImage& image = recipe.image;
    add(findings, "CC612", is_replaced_as_a_whole(recipe, one) ? Level::note : Level::warning, range.used,
        SAY("{} replaces {} {} of {}", range.used, range.what, range.other, name_of(image)))
        .found("pip", range.used, range.used_origin)
        .found("image", name_of(image), range.other_origin)
        .expected(one.package, range.other, range.other_origin)
        .because(with_cuda_of_pypi(one))
        .by_hand("widen the range, or use an image with a release that it accepts");
}

// ... or the one installed by an earlier command, because a package requires another release.
void judge_replaced_pin(const RecipeFacts& recipe, const Expectation& one, const Disagreement& range,
                        Findings& findings) {
    // CC614 reports the index that has no effect then.
    if (any_of(recipe.replaced, [&](const Replaced& other) {
            return other.after.asked.is_at(range.used_origin) && index_replaced(recipe, other);
        }))
        return;
    const auto before = parse_version(range.other);
    const auto chosen = before ? cuda_of_tag(before->local()) : std::nullopt;
    const bool other_cuda = chosen && one.cuda && !same_release(*chosen, *one.cuda);
    add(findings, "CC612", other_cuda ? Level::warning : Level::note, range.used,
        SAY("{} replaces {} {}", range.used, range.what, range.other))
        .found("pip", range.used, range.used_origin)
        .found("pip", SAY("{}=={}", one.package, range.other), range.other_origin)
        .expected(one.package, range.other, range.other_origin)
        .because(with_cuda_of_pypi(one))
        .by_hand("pin the release that the package requires, with its index");
}

// The command that would replace it ends with an error.
bool is_refused(const RecipeFacts& recipe, const Origin& place) {
    return any_of(recipe.refused, [&](const RefusedPin& one) {
        return one.why == Refusal::no_set && one.origin.is_at(place);
    });
}

void judge_replaced(const RecipeFacts& recipe, const Expectation& one, Findings& findings) {
    const Origin& from = recipe.image.origin;
    for (const Disagreement& range : one.disagreements)
        if (is_refused(recipe, range.used_origin))
            continue;
        else if (from.line && range.other_origin.line == from.line && range.other_origin.path == from.path)
            judge_replaced_in_image(recipe, one, range, findings);
        else
            judge_replaced_pin(recipe, one, range, findings);
}

// NVIDIA's images contain their own PyTorch, which a pinned one replaces.
void judge_own_build(const Scenario& scenario, Findings& findings) {
    const RecipeImage& image = scenario.recipe.image;
    const bool replaced = any_of(scenario.recipe.replaced, [](const Replaced& one) {
        return one.before.package == "torch" && one.before.of_image;
    });
    if (!is_recipe(scenario) || image.name != "nvidia/pytorch" || !replaced) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.package != "torch" || !pin.by_pip() || !pin.version || pin.no_deps) continue;
        add(findings, "CC612", Level::note, pin,
            SAY("{} replaces NVIDIA's own PyTorch of {}", text_of(pin), name_of(image)))
            .found(evidence_of(image))
            .because("what the image has compiled for its own PyTorch does not load with another one")
            .by_hand("keep the image's PyTorch, or start from an image without one");
        return;
    }
}

const RecipePin* pin_of(const RecipeFacts& recipe, const std::string& package) {
    const RecipePin* found = nullptr;
    for (const RecipePin& pin : recipe.pins)
        if (pin.package == package && pin.by_pip()) found = &pin;
    return found;
}

void say_compared(const ComparedPackages& pair, const ComparedRow& row, Findings& findings) {
    const std::string own = SAY("{} {}", pair.package, pair.version->text),
                      of = SAY("{} {}", pair.of, pair.of_version->text);
    const std::string wanted = pair.of_version->without_local();
    add(findings, "CC612", Level::error, own, SAY("{} is not of the release of {}", own, of))
        .of_package(pair.package)
        .found("package", own, named_place(pair.version.origin))
        .found("beside", of, named_place(pair.of_version.origin))
        .expected(pair.package, wanted, row.origin)
        .because(row.effect)
        .by_hand(SAY("install both of one release: {}=={}, or {}=={}", pair.package, wanted, pair.of,
                     pair.version->without_local()));
}

void judge_pair(const ComparedRow& row, const ComparedPackages& pair, Findings& findings) {
    if (pair.package != row.package || pair.of != row.of || !pair.off_by.empty()) return;
    if (!pair.version || !pair.of_version || !row.covers(*pair.of_version)) return;
    if (refuses(row, *pair.version, *pair.of_version)) say_compared(pair, row, findings);
}

// The installed packages of a machine, the pins of a recipe.
void judge_compared(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const ComparedRow& row : compared_rows(facts)) {
        for (const ComparedPackages& pair : scenario.python.compared) judge_pair(row, pair, findings);
        const RecipePin* own = pin_of(scenario.recipe, row.package);
        const RecipePin* of = pin_of(scenario.recipe, row.of);
        if (!own || !of || !own->version || !of->version) continue;
        judge_pair(row, {row.package, row.of, {*own->version, own->origin}, {*of->version, of->origin}, ""},
                   findings);
    }
}

// Modules of the package that need NVIDIA's libraries which nothing brings: those of another CUDA.
void add_lacking_modules(const Scenario& scenario, const Conflict& conflict, const Composed& finding) {
    for (const NativeModule& module : scenario.modules) {
        const bool is_its =
            !module.package.empty() &&
            (conflict.package == module.package || starts_with(conflict.package, SAY("{} ", module.package)));
        if (!is_its || module.missing.empty() || module.missing.front().library.empty()) continue;
        finding->because +=
            SAY("; {} needs {}, which nothing brings", file_of(module.path), names_of(module.missing));
        for (const LoadedFile& library : module.missing) finding.found(missing_evidence(library));
        return;
    }
}

void judge_conflicts(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                     Findings& findings) {
    if (is_recipe(scenario) && never_released(expectation)) return;
    const std::vector<Conflict> conflicts = package_conflicts(expectation, facts);
    for (std::size_t i = 0; i < conflicts.size(); ++i) {
        const Conflict& conflict = conflicts[i];
        Composed finding = add(findings, "CC612", level_of(conflict, expectation, scenario),
                               expectation.path.empty() ? conflict.package
                                                        : SAY("{}, {}", conflict.package, expectation.path),
                               SAY("{} {}", conflict.package, conflict.message))
                               .about(id_of_conflict(scenario, expectation, i))
                               .about(scenario, expectation)
                               .found("package", conflict.package, named_place(conflict.package_origin))
                               .because(conflict.effect);
        add_lacking_modules(scenario, conflict, finding);
        if (!conflict.other.empty())
            finding.found("beside", conflict.other, named_place(conflict.other_origin));
        if (!conflict.wanted.empty())
            finding.expected(conflict.package.substr(0, conflict.package.find(' ')), conflict.wanted, {});
        // The cuDNN that is loaded instead is of another release, and of another CUDA.
        if (conflict.lost == "cudnn") finding.of_package(expectation.package);
        const Fix shared =
            conflict.lost.empty() ? Fix{} : lost_files_fix(scenario, expectation, conflict.lost);
        if (shared.kind == FixKind::manual && !shared.text.empty())
            finding.fix(shared);
        else if (is_recipe(scenario) && !conflict.pin.empty())
            finding.edit(conflict.pin);
        else if (conflict.builds)
            keep_one(scenario, facts, *conflict.builds, finding);
        else if (!conflict.fix.text.empty())
            finding.fix(conflict.fix);
    }
}

// pip warns about such a package when it installs it, and installs it.
void judge_unmet(const Scenario& scenario, Findings& findings) {
    for (const UnmetRequirement& one : scenario.python.unmet) {
        if (!one.version || !one.other_version) continue;
        const std::string own = SAY("{} {}", one.package, one.version->text),
                          other = SAY("{} {}", one.other, one.other_version->text);
        const bool other_cuda = !starts_with(one.wanted, one.other);
        Composed finding =
            add(findings, "CC612", Level::warning, SAY("{}, {}", own, one.other),
                SAY("{} requires {}, and {} is installed", own, one.wanted, other))
                .of_package(one.package)
                .found("package", own, named_place(one.version.origin))
                .found("beside", other, named_place(one.other_version.origin))
                .expected("package", one.wanted, named_place(one.version.origin))
                .because("it is built against another one: importing it, or its first call, may fail");
        finding.fix(other_cuda ? Fix{FixKind::command, SAY("{}{} && {}'{}'", k_pip_uninstall, one.other,
                                                           k_pip_install, one.wanted)}
                               : pip_fix(SAY("'{}=={}' {}", one.other, one.other_version->without_local(),
                                             one.package)));
    }
}

// A library that is not the one of its package: half an update, or copied over. Once for all frameworks.
void judge_exchanged(const Scenario& scenario, Findings& findings) {
    std::vector<std::string> said;
    const auto is_shared = [&](const LoadedFile& library) {
        return any_of(scenario.expectations, [&](const auto& one) {
            return any_of(one.shared_files, [&](const SharedFile& file) {
                return ends_with(*library.taken, SAY("/{}", file.file));
            });
        });
    };
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries) {
            if (!library.recorded || !library.version || !library.taken || is_shared(library)) continue;
            if (starts_with(library.library, "cudnn")) continue;  // CC303 compares its parts
            if (contains(said, *library.taken)) continue;
            said.push_back(*library.taken);
            const std::string package = SAY("{} {}", library.recorder, library.recorded->text);
            const std::string file = file_of(*library.taken);
            add(findings, "CC612", Level::warning, *library.taken,
                SAY("{} is of release {}, and its package is {}", file, library.version->text, package))
                .of_package(library.recorder)
                .found("library", SAY("{} {}", file, library.version->text), library.version.origin)
                .found("package", package, named_place(library.recorded.origin))
                .expected(file, library.recorded->text, library.recorded.origin)
                .because(
                    "its RECORD lists the file with another size: an update stopped halfway, or another "
                    "installer has written the file; pip believes the record and replaces nothing")
                .fix(pip_again_fix(SAY("'{}=={}'", library.recorder, library.recorded->text)));
        }
}

// The framework itself, half updated.
void judge_record(const Expectation& one, const Facts& facts, Findings& findings) {
    for (const Disagreement& other : one.disagreements) {
        if (other.what != k_record) continue;
        const std::string files = SAY("{} {}", one.package, other.used),
                          record = SAY("{} {}", one.package, other.other);
        Composed finding =
            add(findings, "CC612", Level::error, SAY("{}, {}", one.package, one.path),
                SAY("the files in {} are of {}, and the record is of {}", one.path, files, record))
                .of_package(one.package)
                .found("files", files, other.used_origin)
                .found("record", record, named_place(other.other_origin))
                .expected("files", record, other.other_origin)
                .because(
                    "an update stopped halfway or another installer has written the files: files of two "
                    "releases may be mixed, and pip takes what the record says for installed");
        const auto version = parse_version(other.other);
        const FrameworkRelease* release = version ? facts.framework_release(one.package, *version) : nullptr;
        Fix again = pip_again_fix(SAY("'{}=={}'", one.package, other.other));
        if (release) {
            again.step = build_fix(one, *release, version->local(), facts).step;
            if (again.step) again.text = k_pip_install_again + pip_words(*again.step, facts);
        }
        finding.fix(again);
    }
}

// Modules that need the libraries of another CUDA than the framework's.
void judge_modules_of_other_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault != ModuleFault::other_cuda) continue;
        const Expectation* framework = broken.framework;
        std::string message =
            SAY("{} needs {}, which nothing brings", broken.name(), names_of(broken.missing()));
        if (framework && framework->cuda)
            message += SAY("; {} is built for CUDA {}", broken.framework_name(), framework->cuda->release());
        else if (framework && framework->cpu_only.value.value_or(false))
            message += SAY("; {} is built without CUDA", broken.framework_name());
        add_broken(broken, "CC612", message, facts, findings).fix(fixes_of(scenario, broken, facts));
    }
}

}  // namespace

Origin named_place(const Origin& origin) {
    Origin place = origin;
    if (place.text.empty()) place.text = place.path;
    return place;
}

PTXGUARD_RULE(CC612) {
    judge_built_for(scenario, facts, findings);
    judge_own_build(scenario, findings);
    for (const Expectation& expectation : scenario.expectations) {
        if (is_recipe(scenario)) {
            judge_replaced(scenario.recipe, expectation, findings);
            judge_managers(scenario.recipe, expectation, findings);
        } else {
            judge_record(expectation, facts, findings);
        }
        judge_conflicts(scenario, facts, expectation, findings);
    }
    judge_overlaid(scenario, facts, findings);
    judge_unmet(scenario, findings);
    judge_exchanged(scenario, findings);
    judge_compared(scenario, facts, findings);
    judge_requirements(scenario, facts, findings);
    if (is_recipe(scenario)) judge_same_files(scenario, facts, findings);
    if (is_recipe(scenario)) judge_resolution(scenario, facts, findings);
    judge_numpy(scenario.recipe, facts, findings);
    judge_modules_of_other_cuda(scenario, facts, findings);
}

}  // namespace ptxguard
