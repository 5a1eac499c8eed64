// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/yaml_files.hpp"

#include <utility>

#include "formats/yaml.hpp"

namespace ptxguard::recipes {

std::vector<Tree> yaml_of(std::string_view text, Recipe& recipe) {
    auto documents = read_yaml(text, recipe.file);
    if (documents) return std::move(*documents);
    recipe.problems.push_back(not_parsed(recipe.file, documents.trouble()));
    return {};
}

const YamlFiles::File* YamlFiles::at(const std::string& path, const Written& by, bool needed) {
    const auto [found, fresh] = m_known.try_emplace(path);
    if (!fresh) return found->second ? &*found->second : nullptr;
    if (m_recipe.problems.exceeds(m_most, m_known.size(), by)) return nullptr;
    const auto text = m_files ? m_files(path, by) : std::nullopt;
    if (!text) {
        if (needed) m_recipe.problems.push_back(not_in_repository(by));
        return nullptr;
    }
    auto documents = read_yaml(text->text, text->file);
    if (!documents)
        m_recipe.problems.push_back(not_parsed(text->file, documents.trouble()));
    else if (!documents->empty())
        found->second = File{text->file, std::move(documents->front())};
    return found->second ? &*found->second : nullptr;
}

}  // namespace ptxguard::recipes
