// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/source_parts.hpp"

#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/resolution/sources.hpp"

namespace ptxguard::recipes {
namespace {

// 4.8.0 of ".../opencv/opencv/archive/refs/tags/4.8.0.zip".
std::optional<Version> release_of_archive(const std::string& url, const std::string& repository) {
    const std::string start = "github.com/" + repository + "/archive/";
    const std::size_t at = url.find(start);
    if (at == npos) return std::nullopt;
    std::string name = url.substr(at + start.size());
    for (const char* folder : {"refs/tags/", "v"})
        if (starts_with(name, folder)) name.erase(0, std::string(folder).size());
    for (const char* ending : {".zip", ".tar.gz"})
        if (ends_with(name, ending))
            return parse_version(name.substr(0, name.size() - std::string(ending).size()));
    return std::nullopt;
}

bool is_cloned(const Command& command, const std::string& repository) {
    const std::string& url = command.repository;
    return url.find("/" + repository + "@") != npos || url.find("/" + repository + ".git@") != npos;
}

// -DWITH_CUDA=ON, -D WITH_CUDA=1
bool turns_on(const Command& command, const std::string& option) {
    return any_of(command.words, [&](const Written& word) {
        std::string_view text = word.text;
        if (starts_with(text, "-D")) text.remove_prefix(2);
        const std::size_t equals = text.find('=');
        return word.known && equals != npos && text.substr(0, text.find_first_of(":=")) == option &&
               is_on(text.substr(equals + 1));
    });
}

bool covers(const SourcePart& row, const Version& release) {
    return (!row.from || *row.from <= release) && release <= *row.to;
}

}  // namespace

void SourceParts::take(const Command& command, const Facts& facts, RecipeFacts& recipe) {
    const bool cmake = !command.words.empty() && program_name(command.words[0].text) == "cmake";
    for (const SourcePart& row : recipe_tables(facts).source_parts) {
        for (const Written& word : command.words)
            if (const auto release =
                    word.known ? release_of_archive(word.text, row.repository) : std::nullopt)
                m_archives.insert_or_assign(row.repository, *release);
        if (!cmake || none_of(row.options, [&](const auto& one) { return turns_on(command, one); })) continue;
        const auto archive = m_archives.find(row.repository);
        std::optional<Version> release;
        if (is_cloned(command, row.repository))
            release = parse_version(ref_of(command.repository));
        else if (command.repository.empty() && archive != m_archives.end())
            release = archive->second;
        if (!release || !covers(row, *release)) continue;
        const bool had = any_of(recipe.parts, [&](const PartRequest& one) { return one.part == row.part; });
        if (!had)
            recipe.parts.push_back(
                {row.part, row.program + " " + release->text, false, origin_of(command.words[0])});
    }
}

}  // namespace ptxguard::recipes
