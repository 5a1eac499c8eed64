// Selects the CI system of a file.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/workflow.hpp"

#include "formats/yaml.hpp"

namespace ptxguard::recipes {

constexpr std::size_t k_most_workflow_bytes = 1u << 20;  // twice GitHub's own limit

Recipe read_workflow(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::workflow;
    recipe.file = file;
    if (text.size() > k_most_workflow_bytes) {
        recipe.problems.push_back({{"", file}, "was not read: it is larger than 1 MiB"});
        return recipe;
    }
    const auto documents = read_yaml(text, file);
    if (!documents) {
        recipe.problems.push_back(not_parsed(file, documents.trouble()));
        return recipe;
    }
    for (const Tree& root : *documents) {
        const bool jobs = root["jobs"].is_map();
        if (jobs && (root.find("on") || root.find("true")))
            read_github_workflow(root, recipe, files);
        else if (jobs)
            read_circleci(root, recipe, files);
        else if (root["runs"]["using"])
            read_github_action(root, recipe, files);
        else
            read_gitlab_ci(root, recipe, files);
    }
    return recipe;
}

}  // namespace ptxguard::recipes
