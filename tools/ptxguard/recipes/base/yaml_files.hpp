// YAML: a recipe's own text, and the files of the repository that it refers to, each read once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// The documents of its own text; none, and a problem, if it cannot be parsed.
std::vector<Tree> yaml_of(std::string_view text, Recipe& recipe);

class YamlFiles {
public:
    struct File {
        std::string name;
        Tree root;  // of the first document
    };

    // `most`: different files, also missing ones.
    YamlFiles(const ReadFile& files, Recipe& recipe, const Limit& most)
        : m_files(files), m_recipe(recipe), m_most(most) {}

    // `path` starts at the repository's root; `by` refers to it. Null: missing or unreadable. An unreadable
    // file is a problem of the recipe, and so is a missing one if it is `needed`.
    const File* at(const std::string& path, const Written& by, bool needed);

private:
    const ReadFile& m_files;
    Recipe& m_recipe;
    const Limit& m_most;
    std::map<std::string, std::optional<File>> m_known;
};

}  // namespace ptxguard::recipes
