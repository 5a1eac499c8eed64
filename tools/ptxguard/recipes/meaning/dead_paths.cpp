// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/dead_paths.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/toolkits.hpp"
#include "recipes/meaning/unseen_installs.hpp"
#include "recipes/meaning/variables.hpp"

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

// Of a package that only adds NVIDIA's repository: cuda-repo-ubuntu1804_10.1.105-1_amd64.deb.
bool adds_repository(const std::string& word) { return word.find("cuda-repo-") != npos; }

// `open`: cuda without a version may be any release.
bool may_bring(const Step& step, const Version& release, bool open) {
    if (const auto* command = std::get_if<Command>(&step))
        return runs_script(*command) || any_of(command->words, [&](const Written& word) {
                   if (!word.known) return true;
                   const bool names_only = adds_repository(word.text) ||
                                           (&word == &command->words[0] && starts_with(word.text, k_folder));
                   return names_release(word.text, release) && (open || !names_only);
               });
    const auto* install = std::get_if<AptInstall>(&step);
    return install ? any_of(install->packages,
                            [&](const AptPackage& package) {
                                return !package.whole.known || names_release(package.name, release) ||
                                       names_release(package.version, release) ||
                                       (open && is_one_of(package.name, {"cuda", "cuda-toolkit"}));
                            })
                   : std::holds_alternative<CopyFrom>(step);
}

}  // namespace

bool names_cuda_folder(const SetVariable& variable) {
    return is_one_of(variable.name, {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"}) &&
           variable.value.text.find(k_folder) != npos;
}

namespace {

auto selected_folder(const SetVariable& variable) {
    const bool selects =
        selects_toolkit(variable.name) && variable.value.known && starts_with(variable.value.text, k_folder);
    return selects ? release_folder(variable.value.text) : std::nullopt;
}

// Which releases are not there.
struct ReleasesHere {
    const Environments::Steps& steps;
    const RecipeImage& image;
    const Known<Version>& newest;

    // Of the image, if its tag names it in full.
    const Version* of_image() const {
        return image.cuda && image.cuda->numbers.size() > 1 ? &*image.cuda : nullptr;
    }
    const Version& here() const { return newest ? *newest : *image.cuda; }
    bool is_dead(const Version& release) const {
        // A release that is newer than all known ones may be the newest by now.
        if (same_release(release, here()) || (newest && here() < release)) return false;
        if (of_image() && same_release(release, *of_image())) return false;
        return none_of(steps, [&](const Step* step) { return may_bring(*step, release, !newest); });
    }
};

// The first folder of the list that is not there.
std::optional<EnvironmentEntry> dead_entry(const SetVariable& variable, const ReleasesHere& releases) {
    int position = 0;
    for (const std::string& folder : split_fields(variable.value.text, ':')) {
        ++position;
        const auto named = starts_with(folder, k_folder) ? release_folder(folder) : std::nullopt;
        if (!named || folder.find('$') != npos || !releases.is_dead(named->release)) continue;
        EnvironmentEntry entry;
        entry.variable = variable.name;
        entry.value = folder;
        entry.position = position;
        entry.problem = PathProblem::missing;
        entry.nearest = k_folder + releases.here().release() + folder.substr(named->root.size());
        entry.origin = origin_of(variable.value);
        entry.origin.variable = variable.name;
        return entry;
    }
    return std::nullopt;
}

}  // namespace

void add_dead_paths(const Environments::Steps& steps, const Known<Version>& newest, Scenario& scenario) {
    const ReleasesHere releases{steps, scenario.recipe.image, newest};
    if (!newest && !(releases.of_image() && scenario.recipe.image.name == "nvidia/cuda")) return;
    for (const Step* step : steps) {
        const auto* variable = std::get_if<SetVariable>(step);
        if (!variable) continue;
        // CUDA_HOME=/usr/local/cuda-10.1 beside `apt-get install cuda`.
        const auto selected =
            newest && scenario.selectors.empty() ? selected_folder(*variable) : std::nullopt;
        if (selected && releases.is_dead(selected->release))
            scenario.selectors.push_back(missing_selector(*variable, releases.here()));
        if (!names_cuda_folder(*variable) || !variable->value.fixed) continue;
        if (auto entry = dead_entry(*variable, releases)) {
            scenario.entries.push_back(std::move(*entry));
            return;  // one for the image
        }
    }
}

}  // namespace ptxguard::recipes
