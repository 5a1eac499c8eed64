// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/github_files.hpp"

#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_uses{2000, "uses of the repository's own actions and workflows", "later ones"};
constexpr Limit k_most_own_files{4000, "names of the repository's own actions and workflows", "later ones"};
constexpr Limit k_most_choices{16, "values that a person may choose for inputs", "later ones"};

}  // namespace

std::string runner_of(const std::string& platform) {
    const std::string text = lower(platform);
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    return has("windows") ? "Windows" : has("macos") ? "macOS" : has("ubuntu") || has("linux") ? "Linux" : "";
}

// "on" is true in YAML 1.1.
const Tree& triggers_of(const Tree& root) { return root["on"] ? root["on"] : root["true"]; }

void add_defaults(const Tree& inputs, Inputs& into) {
    for (const auto& [name, input] : inputs.members)
        if (input["default"].is_scalar()) into[name.text] = input["default"].text;
}

void add_given(const Tree& with, const std::string& file, const Scope& scope, Inputs& into) {
    for (const auto& [name, value] : with.members) {
        const Written given = filled(value, file, scope);
        if (given.known && value.is_scalar())
            into[name.text] = given.text;
        else
            into.erase(name.text);
    }
}

OwnFiles::OwnFiles(const ReadFile& files, Recipe& recipe)
    : m_recipe(recipe), m_files(files, recipe, k_most_own_files) {}

const OwnFiles::File* OwnFiles::action(const Written& uses) {
    if (m_recipe.problems.exceeds(k_most_uses, ++m_uses, uses)) return nullptr;
    for (const char* name : {"action.yml", "action.yaml"})
        if (const File* file =
                m_files.at(normal_path(join_path(uses.text, name), System::linux_), uses, false)) {
            add_once(m_recipe.parts, file->name);
            return file;
        }
    return nullptr;
}

const OwnFiles::File* OwnFiles::workflow(const Written& uses) {
    if (m_recipe.problems.exceeds(k_most_uses, ++m_uses, uses)) return nullptr;
    const File* file = m_files.at(normal_path(uses.text, System::linux_), uses, false);
    if (!file) return nullptr;
    const Tree& on = triggers_of(file->root);
    const bool only_called =
        on.text == "workflow_call" || (on.members.size() == 1 && on.find("workflow_call"));
    if (only_called) add_once(m_recipe.parts, file->name);
    return file;
}

std::vector<std::pair<std::string, std::string>> choices_of(const Tree& root, Recipe& recipe,
                                                            const ReadFile& files) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, input] : triggers_of(root)["workflow_dispatch"]["inputs"].members) {
        if (input["type"].text != "choice") continue;
        for (const Tree* option : input["options"].each()) {
            const std::string& text = option->text;
            if (text.find_first_of("0123456789") == npos || text == input["default"].text) continue;
            const Written at = written(*option, recipe.file);
            if (recipe.problems.exceeds(k_most_choices, all.size() + 1, at) ||
                !files.budget().spend_at(at, 1, text.size()))
                return all;
            all.emplace_back(name.text, text);
        }
    }
    return all;
}

}  // namespace ptxguard::recipes
