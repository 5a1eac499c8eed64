// Finds recipes by their names, and reads them. Does not follow links to folders or search what .gitignore
// excludes; opens no other files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "recipes/base/allowed_files.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

std::optional<RecipeKind> recipe_kind(std::string_view path);
// By its name or, of a YAML file, by what stands in it; `read` gives its text.
std::optional<RecipeKind> recipe_kind(std::string_view path,
                                      const std::function<Result<std::string>()>& read);

struct FoundRecipe {
    std::string path;
    RecipeKind kind = RecipeKind::dockerfile;
};
// Whether the user excludes it.
using Excluded = std::function<bool(const std::string& path, bool is_folder)>;
struct Search {
    Excluded excluded = {};
    std::vector<FoundRecipe> found;
    std::vector<Trouble> troubles;  // folders that could not be listed, limits
};
// `path` is a folder.
void find_recipes(const Host& host, const std::string& path, Search& search);

// Reads the file with the reader for its kind. `files` reads files that it refers to, by paths from the
// working folder; a file that is `outside` is a problem of the recipe, whatever its reader does without it.
using WhyOutside = std::function<std::optional<Outside>(const std::string& path)>;
Recipe read_recipe(const FoundRecipe& found, std::string_view text, const ReadFile& files,
                   const WhyOutside& outside = {});

}  // namespace ptxguard::recipes
