// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_write.hpp"

#include <utility>

#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {

Result<std::string> writable_path(const recipes::AllowedFiles& files, const std::string& file) {
    if (const auto outside = files.outside(file)) return Trouble{file, outside->why, ""};
    const std::string path = files.host().native_path(real_or_same(files.host(), file));
    if (const auto trouble = own::why_not_replaceable(path))
        return Trouble{file, trouble->what, trouble->cause};
    return path;
}

void RecipeWriter::refuse(const std::string& file, const Trouble& trouble) {
    m_refused.push_back({file, trouble.what, trouble.cause});
}

void RecipeWriter::prepare(const NewRecipe& recipe) {
    const auto path = writable_path(m_files, recipe.file);
    if (!path) return refuse(recipe.file, path.trouble());
    const auto [place, is_new] = m_targets.try_emplace(*path);
    Target& target = place->second;
    if (!is_new && target.after != recipe.after) {
        const std::string& other = target.names.front();
        return refuse(recipe.file, {"", "is not changed",
                                    "it is the same file as " + other + ", which changes otherwise"});
    }
    target.names.push_back(recipe.file);
    if (!is_new) return;
    target.after = recipe.after;
    auto text = own::NewText::beside(*path, recipe.before, recipe.after);
    if (!text) return refuse(recipe.file, text.trouble());
    target.text.emplace(std::move(*text));
}

std::vector<Trouble> RecipeWriter::finish() {
    const bool none = !m_refused.empty();
    for (auto& [path, target] : m_targets) {
        if (!target.text) continue;
        std::optional<Trouble> trouble;
        if (none)
            trouble =
                Trouble{path, "is not changed", "all files are changed or none, and another one cannot be"};
        else
            trouble = target.text->put();
        if (!trouble) continue;
        for (const std::string& name : target.names) refuse(name, *trouble);
    }
    return std::move(m_refused);
}

void remove_leftovers(const recipes::AllowedFiles& files, const std::set<std::string>& recipes) {
    std::set<std::string> folders;
    for (const std::string& file : recipes)
        folders.insert(parent_path(files.host().native_path(real_or_same(files.host(), file))));
    for (const std::string& folder : folders) own::remove_new_texts(folder);
}

}  // namespace ptxguard
