// GitHub's workflows and actions, pipelines of Azure, .gitlab-ci.yml, .travis.yml and CircleCI's config.yml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats/tree.hpp"
#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

// One stage for each job and row of its matrix. The file's members determine the CI system. `files` reads
// from the repository's root.
Recipe read_workflow(const std::string& file, std::string_view text, const ReadFile& files);

// Inner functions of the room, one for each format.
void read_github_workflow(const Tree& root, Recipe& recipe, const ReadFile& files);
// action.yml of a composite action.
void read_github_action(const Tree& root, Recipe& recipe, const ReadFile& files);
void read_gitlab_ci(const Tree& root, Recipe& recipe, const ReadFile& files);
bool is_azure_pipeline(const Tree& root);
void read_azure_pipeline(const Tree& root, Recipe& recipe, const ReadFile& files);
void read_circleci(const Tree& root, Recipe& recipe, const ReadFile& files);
bool is_travis(const Tree& root);
void read_travis(const Tree& root, Recipe& recipe, const ReadFile& files);

}  // namespace ptxguard::recipes
