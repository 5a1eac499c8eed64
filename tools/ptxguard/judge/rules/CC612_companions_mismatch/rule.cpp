// CC612 companions_mismatch: packages of one framework are of releases that do not work together, or
// overwrite each other's files.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "facts/compared.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Without a GPU a framework still runs; if the user named it, or a GPU, that is not enough.
Level level_of(const Conflict& conflict, const Expectation& expectation, const Scenario& scenario) {
    if (conflict.harm == Harm::import) return Level::error;
    const bool is_meant = expectation.required || (conflict.stops_gpu && names_a_gpu(scenario));
    if (conflict.harm == Harm::gpu) return is_meant ? Level::error : Level::warning;
    return conflict.harm == Harm::part ? Level::warning : Level::note;
}

// conda installs one release of the framework, and pip overwrites it with another.
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
        Finding& finding = add(findings, "CC612", Level::warning, after.required_by,
                               after.required_by + " of pip replaces " + text_of(conda) + " of conda by " +
                                   after.package + " " + after.version->text);
        finding.found = {{"pip", after.required_by, after.asked}, evidence_of(conda)};
        finding.expected = {{after.package, one.before.version->text, conda.origin}};
        finding.because =
            "pip installs its release over conda's, and what conda has chosen for that one stays";
        finding.fix = {{FixKind::manual, "install " + after.package + " " + after.version->text +
                                             " in the first place, with pip only"}};
        return;
    }
}

void judge_managers(const Scenario& scenario, const Expectation& one, Findings& findings) {
    const RecipePin *conda = nullptr, *pip = nullptr;
    for (const RecipePin& pin : scenario.recipe.pins) {
        if (pin.by == "conda" &&
            (pin.package == one.package || (one.package == "torch" && pin.package == "pytorch")))
            conda = &pin;
        if (pin.version && pin.by_pip() && pin.package == one.package) pip = &pin;
    }
    if (conda && !pip) return say_package_over_conda(scenario.recipe, *conda, findings);
    if (!conda || !pip) return;
    const Installed* last = conda->version ? nullptr : taken_by_conda(scenario.recipe, *conda);
    if (!conda->version && !last) return;
    const Version &before = last ? *last->version : *conda->version, &after = *pip->version;
    for (std::size_t i = 0; i < std::min(before.numbers.size(), std::size_t{3}); ++i)
        if (before.at(i) != after.at(i)) {
            Finding& finding = add(findings, "CC612", Level::warning, text_of(*pip),
                                   text_of(*pip) + " of pip replaces " + text_of(*conda) + " of conda" +
                                       (last ? ", which is " + before.text + " at most" : ""));
            finding.found = {evidence_of(*pip), evidence_of(*conda)};
            finding.expected = {{one.package, before.text, conda->origin}};
            finding.because =
                "pip installs its release over conda's, and what conda has chosen for that one stays";
            finding.fix = {{FixKind::manual, "ask for it in one place"}};
            return;
        }
}

// pip replaces the framework of the image, because a range excludes its release (an exact pin is
// intentional), or the one installed by an earlier command, because a package requires another release.
void judge_replaced(const Scenario& scenario, const Expectation& one, Findings& findings) {
    if (!is_recipe(scenario)) return;
    for (const Disagreement& range : one.disagreements) {
        const RecipeImage& image = scenario.recipe.image;
        const Origin &place = range.other_origin, &from = image.origin;
        const bool of_image = from.line && place.line == from.line && place.path == from.path;
        // CC614 reports the index that has no effect then.
        const bool said = any_of(scenario.recipe.replaced, [&](const Replaced& other) {
            return other.after.asked.is_at(range.used_origin) && index_replaced(scenario.recipe, other);
        });
        if (said && !of_image) continue;
        const auto before = parse_version(range.other);
        const auto chosen = before ? cuda_of_tag(before->local()) : std::nullopt;
        const bool other_cuda = chosen && one.cuda && !same_release(*chosen, *one.cuda);
        const std::string where_from = of_image ? " of " + name_of(image) : "";
        Finding& finding =
            add(findings, "CC612", of_image || other_cuda ? Level::warning : Level::note, range.used,
                range.used + " replaces " + range.what + " " + range.other + where_from);
        finding.found = {{"pip", range.used, range.used_origin},
                         {of_image ? "image" : "pip",
                          of_image ? name_of(image) : one.package + "==" + range.other, range.other_origin}};
        finding.expected = {{one.package, range.other, range.other_origin}};
        finding.because = "pip installs another release over it, with the CUDA of PyPI's build";
        if (one.cuda) finding.because += " (" + one.cuda->release() + ")";
        finding.fix = {
            {FixKind::manual, of_image ? "widen the range, or use an image with a release that it accepts"
                                       : "pin the release that the package requires, with its index"}};
    }
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
        Finding& finding = add(findings, "CC612", Level::note, text_of(pin),
                               text_of(pin) + " replaces NVIDIA's own PyTorch of " + name_of(image));
        finding.found = {evidence_of(pin), evidence_of(image)};
        finding.because = "what the image has compiled for its own PyTorch does not load with another one";
        finding.fix = {{FixKind::manual, "keep the image's PyTorch, or start from an image without one"}};
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
    const std::string own = pair.package + " " + pair.version->text,
                      of = pair.of + " " + pair.of_version->text;
    const std::string wanted = pair.of_version->without_local();
    Finding& finding = add(findings, "CC612", Level::error, own, own + " is not of the release of " + of);
    finding.package = pair.package;
    finding.found = {{"package", own, named_place(pair.version.origin)},
                     {"beside", of, named_place(pair.of_version.origin)}};
    finding.expected = {{pair.package, wanted, row.origin}};
    finding.because = row.effect;
    finding.fix = {{FixKind::manual, "install both of one release: " + pair.package + "==" + wanted +
                                         ", or " + pair.of + "==" + pair.version->without_local()}};
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

void judge_conflicts(const Scenario& scenario, const Facts& facts, const Expectation& expectation,
                     Findings& findings) {
    if (is_recipe(scenario) && never_released(expectation)) return;
    for (const Conflict& conflict : package_conflicts(expectation, facts)) {
        Finding& finding = add(findings, "CC612", level_of(conflict, expectation, scenario),
                               conflict.package + (expectation.path.empty() ? "" : ", " + expectation.path),
                               conflict.package + " " + conflict.message);
        finding.found.push_back({"package", conflict.package, named_place(conflict.package_origin)});
        if (!conflict.other.empty())
            finding.found.push_back({"beside", conflict.other, named_place(conflict.other_origin)});
        if (!conflict.wanted.empty())
            finding.expected.push_back(
                {conflict.package.substr(0, conflict.package.find(' ')), conflict.wanted, {}});
        finding.because = conflict.effect;
        const Fix shared =
            conflict.lost.empty() ? Fix{} : lost_files_fix(scenario, expectation, conflict.lost);
        if (shared.kind == FixKind::manual && !shared.text.empty())
            finding.fix.push_back(shared);
        else if (is_recipe(scenario) && !conflict.pin.empty())
            finding.fix.push_back({FixKind::edit, conflict.pin});
        else if (!conflict.fix.text.empty())
            finding.fix.push_back(conflict.fix);
    }
}

// pip warns about such a package when it installs it, and installs it.
void judge_unmet(const Scenario& scenario, Findings& findings) {
    for (const UnmetRequirement& one : scenario.python.unmet) {
        if (!one.version || !one.other_version) continue;
        const std::string own = one.package + " " + one.version->text,
                          other = one.other + " " + one.other_version->text;
        const bool other_cuda = one.wanted.compare(0, one.other.size(), one.other) != 0;
        Finding& finding = add(findings, "CC612", Level::warning, own + ", " + one.other,
                               own + " requires " + one.wanted + ", and " + other + " is installed");
        finding.package = one.package;
        finding.found = {{"package", own, named_place(one.version.origin)},
                         {"beside", other, named_place(one.other_version.origin)}};
        finding.expected = {{"package", one.wanted, named_place(one.version.origin)}};
        finding.because = "it is built against another one: importing it, or its first call, may fail";
        const std::string here = one.other + "==" + one.other_version->without_local();
        finding.fix = {{FixKind::command, other_cuda ? k_pip_uninstall + one.other + " && " + k_pip_install +
                                                           "'" + one.wanted + "'"
                                                     : k_pip_install + "'" + here + "' " + one.package}};
    }
}

// A library that is not the one of its package: half an update, or copied over. Once for all frameworks.
void judge_exchanged(const Scenario& scenario, Findings& findings) {
    std::vector<std::string> said;
    const auto is_shared = [&](const LoadedFile& library) {
        return any_of(scenario.expectations, [&](const auto& one) {
            return any_of(one.shared_files,
                          [&](const SharedFile& file) { return ends_with(*library.taken, "/" + file.file); });
        });
    };
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries) {
            if (!library.recorded || !library.version || !library.taken || is_shared(library)) continue;
            if (starts_with(library.library, "cudnn")) continue;  // CC303 compares its parts
            if (contains(said, *library.taken)) continue;
            said.push_back(*library.taken);
            const std::string package = library.recorder + " " + library.recorded->text;
            const std::string file = file_of(*library.taken);
            Finding& finding =
                add(findings, "CC612", Level::warning, *library.taken,
                    file + " is of release " + library.version->text + ", and its package is " + package);
            finding.package = library.recorder;
            finding.found = {{"library", file + " " + library.version->text, library.version.origin},
                             {"package", package, named_place(library.recorded.origin)}};
            finding.expected = {{file, library.recorded->text, library.recorded.origin}};
            finding.because =
                "its RECORD lists the file with another size: an update stopped halfway, or another "
                "installer has written the file; pip believes the record and replaces nothing";
            finding.fix = {{FixKind::command, k_pip_install_again + "'" + library.recorder +
                                                  "==" + library.recorded->text + "'"}};
        }
}

// The framework itself, half updated.
void judge_record(const Expectation& one, const Facts& facts, Findings& findings) {
    for (const Disagreement& other : one.disagreements) {
        if (other.what != k_record) continue;
        const std::string files = one.package + " " + other.used, record = one.package + " " + other.other;
        Finding& finding =
            add(findings, "CC612", Level::error, one.package + ", " + one.path,
                "the files in " + one.path + " are of " + files + ", and the record is of " + record);
        finding.package = one.package;
        finding.found = {{"files", files, other.used_origin},
                         {"record", record, named_place(other.other_origin)}};
        finding.expected = {{"files", record, other.other_origin}};
        finding.because =
            "an update stopped halfway or another installer has written the files: files of two releases may "
            "be mixed, and pip takes what the record says for installed";
        const auto version = parse_version(other.other);
        const FrameworkRelease* release = version ? facts.framework_release(one.package, *version) : nullptr;
        Fix again{FixKind::command, k_pip_install_again + "'" + one.package + "==" + other.other + "'"};
        if (release) {
            again.step = build_fix(one, *release, version->local(), facts).step;
            if (again.step) again.text = k_pip_install_again + pip_words(*again.step, facts);
        }
        finding.fix = {again};
    }
}

// Modules that need the libraries of another CUDA than the framework's.
void judge_modules_of_other_cuda(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const BrokenPackage& broken : broken_packages(scenario, facts)) {
        if (broken.fault != ModuleFault::other_cuda) continue;
        const LoadedFile& library = broken.first().missing.front();
        const Expectation* framework = broken.framework;
        std::string message = broken.name() + " needs " + library.name + ", which nothing brings";
        if (framework && framework->cuda)
            message += "; " + broken.framework_name() + " is built for CUDA " + framework->cuda->release();
        else if (framework && framework->cpu_only.value.value_or(false))
            message += "; " + broken.framework_name() + " is built without CUDA";
        add_broken(broken, "CC612", message, facts, findings);
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
        if (is_recipe(scenario))
            judge_replaced(scenario, expectation, findings);
        else
            judge_record(expectation, facts, findings);
        if (is_recipe(scenario)) judge_managers(scenario, expectation, findings);
        judge_conflicts(scenario, facts, expectation, findings);
    }
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
