// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/build_settings.hpp"

#include "formats/toml.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_pyproject_bytes{1u << 20, "bytes of a pyproject.toml", "the file"};

void add(const std::string& name, const Tree& value, const std::string& file, std::vector<Step>& steps) {
    if (is_arch_variable(name) && value.is_scalar()) steps.push_back(SetVariable{name, written(value, file)});
}

// cmake.define.USE_CUDA = "ON", cmake.args = ["-DUSE_CUDA=ON"]; py-build-cmake calls definitions options.
std::vector<std::pair<std::string, Tree>> definitions_of(const Tree& pyproject) {
    const Tree& tools = pyproject["tool"];
    std::vector<std::pair<std::string, Tree>> all;
    for (const auto& [cmake, table] : {std::pair(&tools["scikit-build"]["cmake"], "define"),
                                       std::pair(&tools["py-build-cmake"]["cmake"], "options")}) {
        for (const auto& [name, value] : (*cmake)[table].members) all.emplace_back(name.text, value);
        for (const Tree* argument : (*cmake)["args"].each()) {
            const auto defined = cmake_definition(argument->text);
            if (!defined) continue;
            Tree value = *argument;
            value.text = defined->second;
            all.emplace_back(defined->first, std::move(value));
        }
    }
    return all;
}

void add_cmake(const Tree& pyproject, const std::string& file, std::vector<Step>& steps) {
    for (const auto& [name, value] : definitions_of(pyproject)) add(name, value, file, steps);
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

BuildTorch build_torch_of(const std::string& file, std::string_view text) {
    const auto root = tree_of_pyproject(text, file);
    if (!root) return BuildTorch::unknown;
    const Tree& table = (*root)["build-system"];
    if (!table["requires"] || table["backend-path"]) return BuildTorch::unknown;
    if (!starts_with(table["build-backend"].text, "setuptools") && table["build-backend"])
        return BuildTorch::unknown;
    for (const Tree* item : table["requires"].each()) {
        const WrittenRequirement one = read_requirement(written(*item, file));
        if (one.name != "torch") continue;
        if (exact_version(one.specifier)) return BuildTorch::pinned;
        const bool open = all_of(clauses_of(one.specifier), [](const Clause& clause) {
            return clause.op == ">=" || clause.op == ">" || clause.op == "!=";
        });
        return open && one.marker.empty() ? BuildTorch::newest : BuildTorch::unknown;
    }
    return BuildTorch::none;
}

std::map<std::string, std::string> cmake_definitions_of(const Tree& pyproject) {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : definitions_of(pyproject))
        if (value.is_scalar()) values[name] = value.text;
    return values;
}

std::vector<Step> cmake_settings_of(const std::string& file, std::string_view text) {
    std::vector<Step> steps;
    const auto root = tree_of_pyproject(text, file);
    if (root) add_cmake(*root, file, steps);
    return steps;
}

}  // namespace ptxguard::recipes
