// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/jax_packages.hpp"

#include <string>
#include <string_view>

#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/companions.hpp"
#include "recipes/resolution/releases.hpp"

namespace ptxguard::recipes {
namespace {

Known<Version> pinned(const RecipeFacts& recipe, const char* package) {
    const RecipePin* pin = last_pin(recipe, package, false);
    const auto version = pin && pin->version ? parse_version(pin->version->without_local()) : std::nullopt;
    return version ? Known<Version>{*version, pin->origin} : Known<Version>{};
}

// The jax that pip takes beside a pinned jaxlib. Old releases of jax do not require one in their metadata,
// and compare them when they are imported.
Known<Version> jax_beside(const RecipeFacts& recipe, const Known<Version>& jaxlib) {
    const auto find = [&](std::string_view package) {
        return first_where(recipe.installed, [&](const Installed& one) { return one.package == package; });
    };
    const Installed *jax = find("jax"), *beside = find("jaxlib");
    const bool stays = jaxlib && beside && beside->version && !beside->newest &&
                       beside->version->without_local() == jaxlib->text;
    if (!stays || !jax || !jax->version || !jax->newest || !jax->required_by.empty()) return {};
    Origin origin = jax->asked;
    origin.overridable = true;  // it floats
    origin.certainty = Certainty::predicted;
    return {*jax->version, origin};
}

// A pinned plugin beside a pinned jaxlib; pip takes its library with it.
void add_jax_plugin(const Facts& facts, const RecipeFacts& recipe, JaxPackages& packages) {
    for (const char* cuda : {"12", "13"}) {
        const std::string plugin = std::string("jax-cuda") + cuda + "-plugin";
        const Known<Version> version = pinned(recipe, plugin.c_str());
        if (!version) continue;
        packages.plugin = plugin;
        packages.pjrt = std::string("jax-cuda") + cuda + "-pjrt";
        packages.plugin_version = packages.pjrt_version = version;
        packages.has_modules = packages.has_library = true;
        packages.compares = any_of(recipe_tables(facts).compares_plugin_from, [&](const FirstRelease& row) {
            return packages.jaxlib && row.package == "jaxlib" && *row.from <= *packages.jaxlib;
        });
        const std::string extra = std::string("cuda") + cuda;
        const Requirement* required =
            packages.jax ? requirement_on(facts, "jax", *packages.jax, plugin, {extra}) : nullptr;
        packages.requires_it = required && accepts(required->specifier, *version);
    }
}

}  // namespace

// jax accepts a range of jaxlib, up to its own release.
void add_jax_packages(const Facts& facts, const RecipeFacts& recipe, Expectation& expectation) {
    if (expectation.framework != "JAX") return;
    expectation.jax.jax = pinned(recipe, "jax");
    expectation.jax.jaxlib = pinned(recipe, "jaxlib");
    if (!expectation.jax.jax) expectation.jax.jax = jax_beside(recipe, expectation.jax.jaxlib);
    add_jax_plugin(facts, recipe, expectation.jax);
    const FrameworkRelease* release =
        expectation.jax.jax ? facts.framework_release("jax", *expectation.jax.jax) : nullptr;
    if (!release) return;
    for (const RequiredPackage& required : release->required)
        if (required.package == "jaxlib" && starts_with(required.range, ">="))
            if (const auto lowest = parse_version(required.range.substr(2)))
                expectation.jax.lowest_jaxlib = {*lowest, release->origin};
}

bool is_jax_for_cpus(const Facts& facts, const RecipeFacts& recipe) {
    const bool asks = any_of(recipe.pins, [&](const RecipePin& pin) {
        if (pin.package.compare(0, 3, "jax") != 0) return false;
        const bool names_build = pin.version && !pin.version->local().empty();
        return names_build || !pin.extras.empty() || pin.open || pin.by == "conda" || !pin.wheel.empty() ||
               (pin.package != "jax" && pin.package != "jaxlib") || feeds_of(facts, recipe, pin).other;
    });
    return !asks;
}

std::optional<Version> jaxlib_of_extra(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin) {
    const bool of_page = any_of(recipe.indexes, [&](const RecipeIndex& index) {
        return index.group == pin.group && index.url.find("jax_cuda_releases") != npos;
    });
    const auto jax = pin.version ? pin.version.value : taken(recipe, pin.package);
    if (pin.package != "jax" || !of_page || !jax) return std::nullopt;
    std::string build;
    for (const std::string& extra : pin.extras)
        if (extra.find("-cudnn") != npos) build = replace_all(extra, "-", ".");
    for (const JaxExtra& row : recipe_tables(facts).jax_extras)
        if (contains(pin.extras, row.extra) && *row.from <= *jax && *jax <= *row.to) build = row.build;
    return build.empty() ? std::nullopt : parse_version(jax->without_local() + "+" + build);
}

}  // namespace ptxguard::recipes
