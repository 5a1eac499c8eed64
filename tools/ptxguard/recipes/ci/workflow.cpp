// Selects the CI system of a file.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/workflow.hpp"

#include "recipes/base/yaml_files.hpp"

namespace ptxguard::recipes {

constexpr Limit k_most_workflow_bytes{1u << 20, "bytes of a workflow", "the file"};  // twice GitHub's own

Recipe read_workflow(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::workflow;
    recipe.file = file;
    if (recipe.problems.exceeds(k_most_workflow_bytes, text.size(), Written{"", file})) return recipe;
    for (const Tree& root : yaml_of(text, recipe)) {
        const bool jobs = root["jobs"].is_map();
        if (jobs && (root.find("on") || root.find("true")))
            read_github_workflow(root, recipe, files);
        else if (is_azure_pipeline(root))
            read_azure_pipeline(root, recipe, files);
        else if (is_travis(root))
            read_travis(root, recipe, files);
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
