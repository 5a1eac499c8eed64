// The reader for each kind of recipe.
// SPDX-License-Identifier: Apache-2.0
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/compose.hpp"
#include "recipes/conda_environment.hpp"
#include "recipes/conda_recipe.hpp"
#include "recipes/definition_file.hpp"
#include "recipes/dockerfile.hpp"
#include "recipes/find.hpp"
#include "recipes/locks.hpp"
#include "recipes/pipfile.hpp"
#include "recipes/pixi.hpp"
#include "recipes/pyproject.hpp"
#include "recipes/requirements.hpp"
#include "recipes/scripts.hpp"
#include "recipes/workflow.hpp"

namespace ptxguard::recipes {
namespace {

Recipe read_one(const FoundRecipe& found, std::string_view text, const ReadFile& files) {
    const std::string& file = found.path;
    switch (found.kind) {
        case RecipeKind::dockerfile:
            return read_dockerfile(file, text, files);
        case RecipeKind::definition_file:
            return read_definition_file(file, text, files);
        case RecipeKind::requirements:
            return read_requirements_recipe(file, text, files);
        case RecipeKind::pyproject:
            return read_pyproject(file, text, files);
        case RecipeKind::pipfile:
            return lower(file_name(file)) == "pipfile.lock" ? read_pipfile_lock(file, text)
                                                            : read_pipfile(file, text);
        case RecipeKind::conda_environment:
            return read_conda_environment(file, text, files);
        case RecipeKind::pixi_manifest:
            return read_pixi_manifest(file, text, files);
        case RecipeKind::lock_file:
            if (lower(file_name(file)) == "pixi.lock") return read_pixi_lock(file, text);
            return ends_with(file, ".yml") || ends_with(file, ".yaml")
                       ? read_conda_environment(file, text, files)
                       : read_lock_file(file, text);
        case RecipeKind::shell_script:
        case RecipeKind::slurm_script:
            return read_script(found.kind, file, text, files);
        case RecipeKind::makefile:
            return read_makefile(file, text, files);
        case RecipeKind::setup_script:
            return read_setup_script(file, text);
        case RecipeKind::cmake_lists:
            return read_cmake_lists(file, text);
        case RecipeKind::cmake_presets:
            return read_cmake_presets(file, text);
        case RecipeKind::conda_recipe:
            return read_conda_recipe(file, text, files);
        case RecipeKind::workflow:
            return read_workflow(file, text, files);
        case RecipeKind::compose:
            return read_compose(file, text, files);
        case RecipeKind::devcontainer:
            return read_devcontainer(file, text, files);
    }
    return {};
}

// The base folder for paths in the file: its own folder; for files that CI systems and editors keep in a
// special folder, the folder above.
std::string folder_of(const FoundRecipe& found) {
    std::string folder = parent_path(found.path);
    // Actions run in the repository's root.
    const std::size_t github = ("/" + found.path).rfind("/.github/");
    if (found.kind == RecipeKind::workflow && github != std::string::npos)
        return found.path.substr(0, github ? github - 1 : 0);
    const auto leave = [&](const char* name) {
        if (file_name(folder) == name) folder = parent_path(folder);
    };
    if (found.kind == RecipeKind::workflow) leave("workflows"), leave(".github"), leave(".circleci");
    if (found.kind == RecipeKind::devcontainer) leave(".devcontainer");
    return folder;
}

// "docker" and "../pyproject.toml" give "pyproject.toml": a file has one name for all references.
std::string path_from(std::string folder, std::string path) {
    while (starts_with(path, "../") && !folder.empty() && folder != "/" && file_name(folder) != "." &&
           file_name(folder) != "..") {
        folder = parent_path(folder);
        path.erase(0, 3);
    }
    return folder.empty() ? path : join_path(folder, path);
}

}  // namespace

Recipe read_recipe(const FoundRecipe& found, std::string_view text, const ReadFile& files) {
    const std::string folder = folder_of(found);
    // The context of docker/Dockerfile is often a folder above.
    const bool may_be_above = found.kind == RecipeKind::dockerfile && !is_absolute(folder, System::linux_) &&
                              !is_absolute(folder, System::windows) && !starts_with(folder, "..");
    return read_one(found, text, [&](const std::string& path) {
        std::string from = folder;
        auto file = files(path_from(from, path));
        while (!file && may_be_above && !from.empty() && from != ".") {
            from = parent_path(from);
            file = files(path_from(from, path));
        }
        return file;
    });
}

}  // namespace ptxguard::recipes
