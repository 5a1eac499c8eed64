// Releases of conda-forge without a build for the CUDA that the environment selects.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "facts/conda_forge.hpp"
#include "facts/pypi.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC603_framework_build_missing/parts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_of_forge(const RecipeFacts& recipe, const RecipePin& pin) {
    const auto channels = indexes_of(recipe, pin);
    const auto names = [](const char* name) {
        return [name](const RecipeIndex* channel) { return channel->url.find(name) != npos; };
    };
    return pin.by == "conda" && any_of(channels, names("conda-forge")) &&
           none_of(channels, names("pytorch")) && none_of(channels, names("defaults")) &&
           none_of(channels, names("/"));
}

// The release that a pin names, or the newest below its upper bound: 11.7 of "<=11.7", any of 11 of "<12".
std::optional<Version> newest_of(const RecipePin& pin) {
    if (pin.version) return pin.version.value;
    for (const Clause& clause : clauses_of(pin.specifier)) {
        const auto bound = parse_version(clause.version);
        if (!bound || (clause.op != "<=" && clause.op != "<")) continue;
        if (clause.op == "<=") return bound->numbers.size() > 1 ? bound : std::nullopt;
        if (bound->minor() == 0 && bound->major() > 0)
            return parse_version(std::to_string(bound->major() - 1) + ".99");
    }
    return std::nullopt;
}

// What selects the CUDA of an environment: a release of one of these.
const RecipePin* selector_of(const RecipeFacts& recipe, const RecipePin& pin) {
    for (const char* package : {"cuda-version", "cudatoolkit"}) {
        const RecipePin* one = conda_pin(recipe, package);
        const auto newest = one && one->group == pin.group ? newest_of(*one) : std::nullopt;
        if (newest && newest->major() > 10) return one;
    }
    return nullptr;
}

// Of a range, an older one may fit too.
bool has_build(const ForgeBuilds& builds, const RecipePin& selector) {
    return builds.has_build_for(*newest_of(selector)) ||
           (!selector.version &&
            any_of(builds.cudas, [&](const Version& cuda) { return accepts(selector.specifier, cuda); }));
}

// The package that decides the build: pytorch of pytorch-gpu.
std::string package_of(const RecipePin& pin) {
    return ends_with(pin.package, "-gpu") ? pin.package.substr(0, pin.package.size() - 4) : pin.package;
}

// Another package binds the release of one that is not pinned.
bool is_bound(const RecipeFacts& recipe, const Facts& facts, const std::string& package,
              const Version& newest) {
    const RecipePin* python = conda_pin(recipe, "python");
    const PypiRow* row = pypi_row(facts, package == "pytorch" ? "torch" : package, newest);
    if (python && !python->specifier.empty() &&
        (!row || !python->version || !fits_python(*row, python->version->release())))
        return true;
    return any_of(recipe.pins, [](const RecipePin& one) {
        const bool companion =
            starts_with(one.package, "torch") || one.package == "jax" || one.package == "keras";
        return one.by == "conda" && companion && !one.specifier.empty();
    });
}

// The release that conda takes of it, and its builds; null if that is not known.
const ForgeBuilds* builds_of(const RecipeFacts& recipe, const Facts& facts, const RecipePin& pin) {
    const std::string package = package_of(pin);
    if (pin.version)
        return pin.version->numbers.size() < 2 ? nullptr : forge_builds(facts, package, *pin.version);
    // pytorch-gpu goes back to a release that has one.
    const ForgeBuilds* newest = package == pin.package ? newest_forge_builds(facts, package) : nullptr;
    const bool free =
        newest && accepts(pin.specifier, *newest->to) && !is_bound(recipe, facts, package, *newest->to);
    return free ? newest : nullptr;
}

std::string named(const std::vector<Version>& cudas) {
    std::vector<std::string> all;
    for (const Version& cuda : cudas) all.push_back(cuda.release());
    return joined(all, ", ");
}

}  // namespace

void judge_forge(const RecipeFacts& recipe, const Facts& facts, Findings& findings) {
    for (const RecipePin& pin : recipe.pins) {
        const bool open = pin.build.empty() && is_of_forge(recipe, pin);
        const RecipePin* selector = open ? selector_of(recipe, pin) : nullptr;
        const ForgeBuilds* builds = selector ? builds_of(recipe, facts, pin) : nullptr;
        if (!builds || has_build(*builds, *selector)) continue;
        const bool gpu = package_of(pin) != pin.package;
        const std::string wanted = selector->version ? selector->version->release() : selector->specifier,
                          exists = named(builds->cudas);
        add(findings, "CC603", gpu ? Level::error : Level::warning, pin,
            pin.version
                ? SAY("conda-forge has no build of {} for CUDA {}; it has {}", text_of(pin), wanted, exists)
                : SAY("{} is not pinned: of {}, the newest, conda-forge has no build for CUDA {}; it has {}",
                      pin.package, builds->to->text, wanted, exists))
            .found(evidence_of(*selector))
            .expected(selector->package, exists, builds->origin)
            .because(gpu ? "a build requires the CUDA that compiled it or a newer one of its major; conda "
                           "finds no set of packages that fits"
                         : "a build requires the CUDA that compiled it or a newer one of its major; conda "
                           "takes the build for CPUs")
            .by_hand(SAY("cuda-version={}, or a release of {} with a build for CUDA {}",
                         replace_all(exists, ", ", " or "), pin.package, wanted));
    }
}

}  // namespace ptxguard
