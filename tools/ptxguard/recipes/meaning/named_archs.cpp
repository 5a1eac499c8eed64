// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/named_archs.hpp"

#include "facts/recipe_tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/builds/cmake_steps.hpp"

namespace ptxguard::recipes {
namespace {

const NamedArchsRow* row_of(const std::string& name, const Version& cuda, const Facts& facts) {
    const NamedArchsRow* newest = nullptr;
    for (const NamedArchsRow& row : recipe_tables(facts).findcuda_archs)
        if (row.name == name && (!row.from || !(cuda < *row.from))) newest = &row;
    return newest;
}

// "8.6", "8.6+PTX": one digit in front of the dot.
bool is_number(const std::string& word) {
    return word.size() >= 3 && is_digit(word[0]) && word[1] == '.' && is_digit(word[2]) &&
           (word.size() == 3 || word[3] == '(');
}

RecipeArchs archs_at(const Written& at) {
    RecipeArchs archs;
    archs.name = k_selects_archs;
    archs.origin = origin_of(at);
    archs.origin.variable = archs.name;
    return archs;
}

}  // namespace

void NamedArchs::take(const Command& command) {
    if (command.words.size() < 2 || command.words[0].text != k_selects_archs) return;
    Written list = command.words.size() > 2 ? command.words[2] : command.words[0];
    if (command.words.size() == 2) list.text = "Auto";
    for (std::size_t i = 3; i < command.words.size(); ++i) {
        list.text += ";" + command.words[i].text;
        list.known = list.known && command.words[i].known;
    }
    if (list.known) m_lists.push_back(std::move(list));
}

void NamedArchs::fill(const Facts& facts, Scenario& scenario) const {
    const Toolkit* toolkit = scenario.build_toolkit();
    const Part* nvcc = toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
    if (!nvcc || !nvcc->version) return;
    for (const Written& list : m_lists) {
        RecipeArchs known = archs_at(list), unknown = archs_at(list);
        std::string text;
        for (const std::string& item : split(list.text, "; \t")) {
            const std::string word =
                item.substr(0, item.find('+', ends_with(item, "+PTX") ? item.size() - 4 : npos));
            const NamedArchsRow* row = row_of(word, *nvcc->version, facts);
            if (row)
                text += joined(row->archs, " ") + " ";
            else if (is_number(word))
                text += word.substr(0, 3) + " ";
            else
                unknown.archs.text += (unknown.archs.text.empty() ? "" : " ") + word;
            // Without a GPU, it is Common: others may build where there is one.
            if (row && row->without_gpu) known.origin.overridable = true;
        }
        const Result<ArchList> read = parse_arch_list(text, ArchDialect::torch);
        if (read && !text.empty()) {
            known.archs = *read;
            known.archs.text = list.text;
            scenario.recipe.arch_lists.push_back(known);
        }
        if (!unknown.archs.text.empty()) scenario.recipe.arch_lists.push_back(unknown);
    }
}

}  // namespace ptxguard::recipes
