// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/image_builds.hpp"

#include "facts/package_names.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/python_here.hpp"

namespace ptxguard::recipes {
namespace {

// Images with packages that no index has.
bool has_own_builds(const RecipeImage& image) {
    const std::string base = file_name(image.name);
    return starts_with_any(image.name, {"nvidia/", "dustynv/"}) && !starts_with(base, "cuda") &&
           !is_one_of(base, {"l4t-base", "l4t-jetpack", "l4t-cuda"});
}

}  // namespace

bool has_old_pip(const RecipeImage& image, const DistributionToolkit* packaged, const RecipeFacts& recipe) {
    if (any_of(recipe.pins, [](const RecipePin& pin) { return pin.package == "pip"; })) return false;
    if (packaged && packaged->python) return *packaged->python <= *parse_version("3.12");
    const auto release = parse_version(split_fields(image.tag, '-').front());
    return image.name == "pytorch/pytorch" && release && *release < *parse_version("2.4");
}

void accept_old_versions(RecipeFacts& recipe) {
    for (RecipePin& pin : recipe.pins) {
        const auto clauses = clauses_of(pin.specifier);
        const bool old = !clauses.empty() && all_of(clauses, [](const Clause& one) {
            return is_one_of(one.op, {"==", "!="}) && any_of(one.version, is_digit);
        });
        if (pin.by != "pip" || pin.unreadable.empty() || pin.ignored || !old) continue;
        pin.unreadable.clear();
        pin.open = true;
    }
}

void keep_own_builds(const RecipeImage& image, const Facts& facts, RecipeFacts& recipe) {
    const bool jetson = is_for_jetson(image);
    for (RecipePin& pin : recipe.pins)  // JetPack has releases of its own: tensorrt==8.6.2
        pin.open = pin.open || (jetson && pin.package == "tensorrt" && pin.by_pip());
    if (!has_own_builds(image)) return;
    for (RecipePin& pin : recipe.pins) {
        if (!pin.version || !pin.by_pip()) continue;
        const std::string build = pin.version->local();
        const auto fault = name_fault(facts, pin.package);
        const bool own_build = !build.empty() && build != "cpu" && !cuda_of_tag(build);
        if (own_build || (fault && fault->fault == NameFault::placeholder)) pin.open = true;
    }
}

}  // namespace ptxguard::recipes
