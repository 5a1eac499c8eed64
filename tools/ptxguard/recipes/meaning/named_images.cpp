// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/toolkit_requests.hpp"

namespace ptxguard::recipes {
namespace {

bool runs_images(const std::string& program) {
    return is_one_of(program, {"docker", "podman", "nerdctl", "buildah", "nvidia-docker", "singularity",
                               "apptainer", "enroot", "skopeo", "crane", "kubectl"});
}

}  // namespace

bool names_image(const std::string& text) {
    return text.find("nvidia/cuda:") != npos || text.find("pytorch/pytorch:") != npos;
}

void NamedImages::take(const Written& value, const Facts& facts, RecipeFacts& recipe) {
    if (!value.known || !names_image(value.text)) return;
    const std::size_t mark = std::min(value.text.find("nvidia/cuda:"), value.text.find("pytorch/pytorch:"));
    const std::string ends = " \t\n\"',;";
    const std::size_t before = value.text.find_last_of(ends + "=", mark);
    const std::size_t begin = before == npos ? 0 : before + 1;
    Written image = value;
    image.text = value.text.substr(begin, value.text.find_first_of(ends, begin) - begin);
    const std::size_t scheme = image.text.find("://");  // docker://nvidia/cuda:...
    if (scheme != npos) image.text.erase(0, scheme + 3);
    if (image.text.find_first_of("$*<{") != npos) return;
    RecipeImage named = content_of(image, facts).image;
    if (m_seen.insert(named.name + ":" + named.tag).second) recipe.named_images.push_back(std::move(named));
}

void NamedImages::take(const Command& command, const Facts& facts, RecipeFacts& recipe) {
    if (command.words.empty() || !runs_images(program_name(command.words.front().text))) return;
    for (const Written& word : command.words) take(word, facts, recipe);
}

}  // namespace ptxguard::recipes
