// YAML files of the repository that a recipe refers to, each read once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "formats/tree.hpp"
#include "recipes/recipe.hpp"

namespace ptxguard::recipes {

class YamlFiles {
public:
    struct File {
        std::string name;
        Tree root;  // of the first document
    };

    // `most`: how many different files are read.
    YamlFiles(const ReadFile& files, Recipe& recipe, std::size_t most) : m_files(files), m_recipe(recipe), m_most(most) {}

    // `path` starts at the repository's root. Null: not there, or not readable. The second is a problem of the
    // recipe, and so is the first where `by`, which refers to the file, is given.
    const File* at(const std::string& path, const Written* by = nullptr);

private:
    const ReadFile& m_files;
    Recipe& m_recipe;
    std::size_t m_most;
    std::map<std::string, std::optional<File>> m_known;
};

}  // namespace ptxguard::recipes
