// SPDX-License-Identifier: Apache-2.0
#include "recipes/build_settings.hpp"

#include "formats/toml.hpp"
#include "model/text.hpp"
#include "recipes/compiling.hpp"
#include "recipes/requirements.hpp"
#include "recipes/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_pyproject_bytes{1u << 20, "bytes of a pyproject.toml", "the file"};

void add(const std::string& name, const Tree& value, const std::string& file, std::vector<Step>& steps) {
    if (is_arch_variable(name) && value.is_scalar()) steps.push_back(SetVariable{name, written(value, file)});
}

// cmake.define.CMAKE_CUDA_ARCHITECTURES = "80;90", cmake.args = ["-DCMAKE_CUDA_ARCHITECTURES=80;90"]
void add_cmake(const Tree& pyproject, const std::string& file, std::vector<Step>& steps) {
    const Tree& cmake = pyproject["tool"]["scikit-build"]["cmake"];
    for (const auto& [name, value] : cmake["define"].members) add(name.text, value, file, steps);
    for (const Tree* argument : cmake["args"].each()) {
        const std::size_t equals = argument->text.find('=');
        if (!starts_with(argument->text, "-D") || equals == npos) continue;
        const std::string name = argument->text.substr(2, equals - 2);
        Tree value = *argument;
        value.text.erase(0, equals + 1);
        add(name.substr(0, name.find(':')), value, file, steps);
    }
}

}  // namespace

Result<Tree> tree_of_pyproject(std::string_view text, const std::string& file) {
    return read_toml(text, file, k_most_pyproject_bytes);
}

void add_build_requirements(const Tree& pyproject, Recipe& recipe) {
    const Tree& requires_ = pyproject["build-system"]["requires"];
    PipInstall build;
    build.tool = "pip";
    build.whole = written(requires_, recipe.file);
    for (const Tree* requirement : requires_.each())
        if (requirement->is_scalar())
            build.requirements.push_back(read_requirement(written(*requirement, recipe.file)));
    if (build.requirements.empty()) return;
    Stage stage;
    stage.name = "build-system";
    stage.steps.push_back(std::move(build));
    stage.last = false;
    recipe.stages.push_back(std::move(stage));
}

void add_build_settings(const Tree& pyproject, Recipe& recipe) {
    Stage stage;
    stage.name = "build";
    add_cmake(pyproject, recipe.file, stage.steps);
    const Tree& wheels = pyproject["tool"]["cibuildwheel"];
    for (const Tree* table : {&wheels, &wheels["linux"], &wheels["windows"]})
        for (const auto& [name, value] : (*table)["environment"].members)
            add(name.text, value, recipe.file, stage.steps);
    if (!stage.steps.empty()) recipe.stages.push_back(std::move(stage));
}

std::vector<Step> cmake_settings_of(const std::string& file, std::string_view text) {
    std::vector<Step> steps;
    const auto root = tree_of_pyproject(text, file);
    if (root) add_cmake(*root, file, steps);
    return steps;
}

}  // namespace ptxguard::recipes
