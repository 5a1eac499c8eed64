// SPDX-License-Identifier: Apache-2.0
#include "recipes/dead_paths.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/compiling.hpp"
#include "recipes/images.hpp"
#include "recipes/unseen_installs.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_folder = "/usr/local/cuda-";

// "11.7", "11-7", "11_7": an installer, a package, an archive.
bool names_release(const std::string& text, const Version& release) {
    for (const char sign : {'.', '-', '_'})
        if (text.find(std::to_string(release.major()) + sign + std::to_string(release.minor())) != npos)
            return true;
    return false;
}

bool may_bring(const Step& step, const Version& release) {
    if (const auto* command = std::get_if<Command>(&step))
        return runs_script(*command) || any_of(command->words, [&](const Written& word) {
                   return !word.known || names_release(word.text, release);
               });
    const auto* install = std::get_if<AptInstall>(&step);
    return install ? any_of(install->packages,
                            [&](const AptPackage& package) {
                                return !package.whole.known || names_release(package.name, release) ||
                                       names_release(package.version, release) ||
                                       is_one_of(package.name, {"cuda", "cuda-toolkit"});
                            })
                   : std::holds_alternative<CopyFrom>(step);
}

}  // namespace

bool names_cuda_folder(const SetVariable& variable) {
    return is_one_of(variable.name, {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"}) &&
           variable.value.text.find(k_folder) != npos;
}

void add_dead_paths(const Environments::Steps& steps, Scenario& scenario) {
    const RecipeImage& image = scenario.recipe.image;
    const bool known = image.cuda && image.cuda->numbers.size() > 1 && image.name == "nvidia/cuda";
    for (const Step* step : steps) {
        const auto* variable = std::get_if<SetVariable>(step);
        if (!known || !variable || !names_cuda_folder(*variable) || !variable->value.fixed) continue;
        int position = 0;
        for (const std::string& folder : split_fields(variable->value.text, ':')) {
            ++position;
            const auto named = starts_with(folder, k_folder) ? release_folder(folder) : std::nullopt;
            if (!named || folder.find('$') != npos || same_release(named->release, *image.cuda)) continue;
            if (any_of(steps, [&](const Step* other) { return may_bring(*other, named->release); })) continue;
            EnvironmentEntry entry;
            entry.variable = variable->name;
            entry.value = folder;
            entry.position = position;
            entry.problem = PathProblem::missing;
            entry.nearest = k_folder + image.cuda->release() + folder.substr(named->root.size());
            entry.origin = origin_of(variable->value);
            entry.origin.variable = variable->name;
            scenario.entries.push_back(std::move(entry));
            return;  // one for the image
        }
    }
}

}  // namespace ptxguard::recipes
