// CMakePresets.json: its CUDA settings.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/link_requests.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_preset{100, "presets that inherit each other", "further ones"};
constexpr Limit k_most_preset_values{100000, "values of presets", "later ones"};

// Settings of configure presets, including inherited ones: of several parents the first one wins.
class Presets {
public:
    Presets(const std::vector<const Tree*>& all, Recipe& recipe) : m_recipe(recipe) {
        for (const Tree* preset : all) m_by_name[(*preset)["name"].text] = preset;
    }

    using Values = std::map<std::pair<std::string, std::string>, Written>;  // by group and name

    // Each preset is read once: a hundred that each inherit all previous ones need only a few lines of text.
    const Values& of(const Tree& preset, std::size_t depth = 0) {
        const auto [known, is_new] = m_known.emplace(&preset, Values());
        const auto at = [&] { return written(preset, m_recipe.file); };
        if (!is_new || m_recipe.problems.exceeds(k_deepest_preset, depth, at) ||
            m_recipe.problems.exceeds(k_most_preset_values, m_size, at))
            return known->second;
        Values values;
        const std::vector<const Tree*> parents = preset["inherits"].each();
        for (auto name = parents.rbegin(); name != parents.rend(); ++name) {
            const auto parent = m_by_name.find((*name)->text);
            if (parent == m_by_name.end()) continue;
            for (const auto& [key, value] : of(*parent->second, depth + 1)) values[key] = value;
        }
        for (const char* group : {"environment", "cacheVariables"})
            for (const auto& [name, member] : preset[group].members) {
                const Tree& value = member.is_map() ? member["value"] : member;
                Written& one = values[{group, name.text}] = written(value, m_recipe.file);
                one.known = value.text.find('$') == npos;
                if (!value.quoted) one.text.clear();  // null removes a parent's value
            }
        m_size += values.size();
        return known->second = std::move(values);
    }

private:
    Recipe& m_recipe;
    std::map<std::string, const Tree*> m_by_name;
    std::map<const Tree*, Values> m_known;
    std::size_t m_size = 0;
};

// The CMake that reads the file: by its version, and by what it names itself.
std::vector<Step> needed_for(const Tree& presets, const std::string& file) {
    std::vector<Step> steps;
    Written version = written(presets["version"], file);
    if (version && all_digits(version.text)) {
        Written by = version;
        by.text = "\"version\": " + version.text;
        steps.push_back(needed_of_cmake("presets of version " + version.text, by));
    }
    const Tree& minimum = presets["cmakeMinimumRequired"];
    if (minimum["major"].text.empty()) return steps;
    Written release = written(minimum["major"], file);
    for (const char* part : {"minor", "patch"}) {
        const std::string& number = minimum[part].text;
        release.text += "." + (number.empty() ? "0" : number);
    }
    steps.push_back(SetVariable{k_minimum_cmake, std::move(release)});
    return steps;
}

}  // namespace

Recipe read_cmake_presets(const std::string& file, std::string_view text) {
    Recipe recipe;
    recipe.kind = RecipeKind::cmake_presets;
    recipe.file = file;
    const std::vector<Tree> documents = yaml_of(text, recipe);
    if (documents.empty()) return recipe;
    const std::vector<const Tree*> all = documents.front()["configurePresets"].each();
    Presets presets(all, recipe);
    const std::vector<Step> needed = needed_for(documents.front(), file);
    for (const Tree* preset : all) {
        if ((*preset)["hidden"].truth()) continue;
        Stage stage;
        stage.name = "preset " + (*preset)["name"].text;
        stage.steps = needed;
        for (const auto& [key, value] : presets.of(*preset))
            if (value) stage.steps.push_back(SetVariable{key.second, value});
        recipe.stages.push_back(std::move(stage));
    }
    return recipe;
}

}  // namespace ptxguard::recipes
