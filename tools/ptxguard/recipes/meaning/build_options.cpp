// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/build_options.hpp"

#include <algorithm>

#include "facts/recipe_tables.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/resolution/sources.hpp"

namespace ptxguard::recipes {
namespace {

// "-DNAME=ON", "NAME=1"
bool turns_on(std::string_view word, const std::string& option) {
    if (starts_with(word, "-D")) word.remove_prefix(2);
    if (!starts_with(word, option)) return false;
    const std::size_t equals = word.find('=');
    const std::string_view between =
        word.substr(option.size(), std::min(equals, word.size()) - option.size());
    return equals != npos && (between.empty() || between[0] == ':') && is_on(word.substr(equals + 1));
}

void add(const BuildOption& row, const std::string& built, bool pinned, const Written& at,
         RecipeFacts& recipe) {
    UnreadOption one;
    // make itself has gone, whatever its option is; each run of it ends in the same way.
    const bool no_make = row.tool == "make" && row.stops;
    one.option = no_make ? "make" : row.option;
    one.built = built;
    one.instead = row.instead;
    one.stops = row.stops;
    one.pinned = pinned;
    one.origin = origin_of(at);
    one.row = row.origin;
    if (no_make && any_of(recipe.unread_options, [&](const UnreadOption& other) {
            return other.option == one.option && other.built == one.built;
        }))
        return;
    recipe.unread_options.push_back(std::move(one));
}

// The word or variable of the command that turns the option on; null if none.
const Written* place_of(const Command& command, const std::string& option, bool variables) {
    for (const Written& word : command.words)
        if (word.known && turns_on(word.text, option)) return &word;
    if (!variables) return nullptr;
    for (const SetVariable& one : command.variables)
        if (one.name == option && is_on(one.value.text)) return &one.value;
    const Written* exported = command.exports.find(option);
    return exported && is_on(exported->text) ? exported : nullptr;
}

bool is_one_of_repositories(const BuildOption& row, const std::string& url) {
    const auto& all = row.repositories;
    return contains(all, repository_of(url)) && is_default_branch(ref_of(url));
}

}  // namespace

void add_unread_options(const Command& command, const Facts& facts, RecipeFacts& recipe) {
    if (command.repository.empty()) return;
    const bool make = program_name(command.words.front().text) == "make";
    for (const BuildOption& row : recipe_tables(facts).build_options) {
        if ((row.tool == "make" && !make) || !is_one_of_repositories(row, command.repository)) continue;
        if (const Written* at = place_of(command, row.option, make))
            add(row, "the default branch of " + row.program, false, *at, recipe);
    }
}

namespace {

// The release of the row's package that does not read the option.
void add_unread(const BuildOption& row, const WrittenRequirement& requirement, const Written& at,
                RecipeFacts& recipe) {
    const std::string& url = requirement.url.text;
    if (!url.empty() && is_one_of_repositories(row, url))
        add(row, "the default branch of " + row.program, false, at, recipe);
    if (requirement.name != row.package || !url.empty() || row.package.empty()) return;
    const auto pinned = requirement.pinned();
    const bool unread = pinned ? (row.unread_to && *pinned <= *row.unread_to) ||
                                     (row.unread_from && *pinned >= *row.unread_from)
                               : requirement.specifier.empty() && row.unread_from;
    if (unread) add(row, row.package + (pinned ? " " + pinned->text : ""), pinned.has_value(), at, recipe);
}

}  // namespace

void add_unread_options(const PipInstall& step, const Facts& facts, RecipeFacts& recipe) {
    // An index may have wheels, for which no option counts.
    if (!step.cmake_args.known || step.index || !step.extra_indexes.empty()) return;
    const std::vector<std::string> words = split(step.cmake_args.text, " \t");
    for (const BuildOption& row : recipe_tables(facts).build_options) {
        if (none_of(words, [&](const std::string& word) { return turns_on(word, row.option); })) continue;
        for (const WrittenRequirement& requirement : step.requirements)
            add_unread(row, requirement, step.cmake_args, recipe);
    }
}

}  // namespace ptxguard::recipes
