// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pipfile.hpp"

#include <map>

#include "formats/toml.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/installers/poetry_dependencies.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_pipfile_bytes{16u << 20, "bytes of a Pipfile", "the file"};

Recipe recipe_of(const std::string& file) {
    Recipe recipe;
    recipe.kind = RecipeKind::pipfile;
    recipe.file = file;
    return recipe;
}

// `tables`: of packages by name; `sources`: a list of {name, url}.
PipInstall install_of(const Tree& root, std::initializer_list<const char*> tables, const Tree& sources,
                      const std::string& file) {
    PipInstall install;
    install.tool = "pip";
    install.whole = {"", file};
    std::map<std::string, Written> urls;
    for (const Tree* source : sources.each()) {
        urls[(*source)["name"].text] = written((*source)["url"], file);
        if (!install.index) install.index = written((*source)["url"], file);
    }
    for (const char* table : tables)
        for (PoetryDependency& dependency : read_poetry_dependencies(root[table], file)) {
            const auto source = urls.find(dependency.source);
            if (source != urls.end()) dependency.requirement.index = source->second;
            install.requirements.push_back(std::move(dependency.requirement));
        }
    return install;
}

}  // namespace

Recipe read_pipfile(const std::string& file, std::string_view text) {
    Recipe recipe = recipe_of(file);
    const auto root = read_toml(text, file, k_most_pipfile_bytes);
    if (!root) {
        recipe.problems.push_back(not_parsed(file, root.trouble()));
        return recipe;
    }
    Stage stage;
    stage.python = (*root)["requires"]["python_version"].text;
    stage.steps.push_back(install_of(*root, {"packages", "dev-packages"}, (*root)["source"], file));
    recipe.stages.push_back(std::move(stage));
    return recipe;
}

Recipe read_pipfile_lock(const std::string& file, std::string_view text) {
    Recipe recipe = recipe_of(file);
    const std::vector<Tree> documents = yaml_of(text, recipe);
    if (documents.empty()) return recipe;
    const Tree& root = documents.front();
    Stage stage;
    stage.python = root["_meta"]["requires"]["python_version"].text;
    stage.steps.push_back(install_of(root, {"default", "develop"}, root["_meta"]["sources"], file));
    recipe.stages.push_back(std::move(stage));
    return recipe;
}

}  // namespace ptxguard::recipes
