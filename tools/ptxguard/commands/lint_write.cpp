// SPDX-License-Identifier: Apache-2.0
#include "commands/lint_write.hpp"

#include <utility>

#include "host/host.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"
#include "recipes/find/gitignore.hpp"

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

namespace {

bool is_named(const recipes::GitIgnore& patterns, const std::string& file, bool is_folder) {
    for (std::size_t slash = file.find('/'); slash != std::string::npos; slash = file.find('/', slash + 1))
        if (patterns.excludes(file.substr(0, slash), true)) return true;
    return patterns.excludes(file, is_folder);
}

}  // namespace

std::optional<FileSuppression> parse_file_suppression(const std::string& text) {
    // A pattern may contain ':' and '=': uses the first colon that "CODE=reason" follows.
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
        std::size_t end = colon + 1;
        while (end < text.size() && is_word_character(text[end])) ++end;
        const std::string reason = end < text.size() && text[end] == '=' ? trim(text.substr(end + 1)) : "";
        if (colon > 0 && end > colon + 1 && !reason.empty())
            return FileSuppression{text.substr(0, colon), text.substr(colon + 1, end - colon - 1), reason};
    }
    return std::nullopt;
}

std::function<bool(const std::string&, bool)> files_named(const std::vector<std::string>& given,
                                                          const Origin& origin) {
    const auto machine = real_host();
    const auto here = machine->real_path(".");
    const System system = machine->system();
    const std::string start = here ? *here : "";
    std::string base = origin.kind == OriginKind::file
                           ? normal_path(join_path(start, parent_path(origin.path)), system)
                           : start;
    if (base != "/") base += "/";
    recipes::GitIgnore patterns;
    for (const std::string& pattern : given) patterns.add("", pattern);
    return [=](const std::string& path, bool is_folder) {
        const std::string file = normal_path(join_path(start, path), system);
        return starts_with(file, base) && is_named(patterns, file.substr(base.size()), is_folder);
    };
}

Suppression suppression_of(const FileSuppression& given, const Origin& origin) {
    Suppression one{given.code, given.reason, origin, {}};
    one.covers = [is_named = files_named({given.pattern}, origin)](const Location& place) {
        return is_named(place.file, false);
    };
    return one;
}

}  // namespace ptxguard
