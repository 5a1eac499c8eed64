// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/conda_builds.hpp"

#include "expect/cuda_names.hpp"
#include "facts/pypi.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/variants.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/resolution/companions.hpp"

namespace ptxguard::recipes {
namespace {

std::string known_channel(const std::string& url) {
    for (const char* one : {"conda-forge", "pytorch", "defaults", "anaconda", "main"})
        if (url.find(one) != npos) return one;
    return "";
}

// Of the channels that have frameworks, the first one, if it does not name its own.
std::string channel_of(const RecipeFacts& recipe, const RecipePin& pin) {
    if (!pin.channel.empty()) return known_channel(pin.channel);
    for (const RecipeIndex& channel : recipe.indexes) {
        const std::string known = channel.group == pin.group ? known_channel(channel.url) : "";
        if (!known.empty()) return known;
    }
    return "";
}

// conda's pytorch in any release and build.
bool floats(const RecipePin& pin) {
    return pin.by == "conda" && pin.package == "pytorch" && pin.specifier.empty() && pin.build.empty();
}

// A word that decides the build or the driver: "*cuda*", __cuda, pytorch-gpu. pytorch-cuda decides between
// the builds of its own channel only.
bool decides(const RecipePin& one) {
    return one.package == "__cuda" || ends_with(one.package, "-gpu") || one.build.find("cuda") != npos ||
           one.build.find("gpu") != npos;
}

}  // namespace

// What selects the CUDA of conda's PyTorch: its build, pytorch-cuda, cuda-version, and cudatoolkit before
// 1.13.
Known<Version> cuda_of_conda(const RecipeFacts& recipe, const RecipePin& torch) {
    if (const auto cuda = torch.cuda_of_build()) return {*cuda, torch.origin};
    for (const char* name : {"pytorch-cuda", "cuda-version", "cudatoolkit"}) {
        const RecipePin* pin = last_pin(recipe, name, true);
        const bool counts =
            std::string(name) != "cudatoolkit" || !torch.version || *torch.version < *parse_version("1.13");
        if (pin && pin->version && counts && plausible(*pin->version)) return pin->version;
    }
    return {};
}

std::vector<Version> builds_of_channel(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin) {
    std::vector<Version> all;
    if (!floats(pin) || channel_of(recipe, pin) != "pytorch") return all;
    const auto end = recipe_tables(facts).last_in_channel("pytorch", "pytorch");
    if (!end) return all;
    std::string range = "<=" + end->text, build;
    for (const RecipePin& one : recipe.pins) {
        if (one.by != "conda" || one.group != pin.group || !one.version) continue;
        if (is_one_of(one.package, {"torchvision", "torchaudio"})) return {};  // they decide
        if (one.package == "cudatoolkit") range = "<1.13";
        if (is_one_of(one.package, {"pytorch-cuda", "cudatoolkit"})) build = tag_of_cuda(*one.version);
    }
    for (const Version& version : facts.framework_releases("torch"))
        if (accepts(range, version) &&
            (build.empty() || published_build(facts, "torch", version, build) == Published::yes))
            all.push_back(version);
    return all;
}

Known<Version> last_of_channel(const Facts& facts, const RecipeFacts& recipe, const std::string& python,
                               const RecipePin& pin) {
    Known<Version> last;
    for (const Version& version : builds_of_channel(facts, recipe, pin)) {
        const PypiRow* row = pypi_row(facts, "torch", version);
        if (row && fits_python(*row, python)) last = {version, row->origin};
    }
    return last;
}

bool is_solved_for_cpus(const Facts& facts, const RecipeFacts& recipe, const RecipePin& pin) {
    const bool no_driver = recipe.kind == to_string(RecipeKind::dockerfile) ||
                           recipe.kind == to_string(RecipeKind::definition_file) ||
                           recipe.kind == to_string(RecipeKind::pixi_manifest) ||
                           recipe.kind == to_string(RecipeKind::pyproject);  // pixi's tables in it
    if (!no_driver || channel_of(recipe, pin) != "conda-forge") return false;
    const auto& rows = recipe_tables(facts).conda_needs_driver;
    const bool needs = any_of(rows, [&](const FirstRelease& row) {
        return row.package == pin.package && (!pin.version || !(*pin.version < *row.from));
    });
    return needs && none_of(recipe.pins, [&](const RecipePin& one) {
               return one.by == "conda" && one.group == pin.group && decides(one);
           });
}

}  // namespace ptxguard::recipes
