// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/azure_level.hpp"

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

void add_parameter(const std::string& name, const Tree& value, AzureLevel& into) {
    if (value.is_scalar())
        into.parameters[name] = value.text;
    else if (value)
        into.objects[name] = &value;
}

}  // namespace

void add_defaults(const Tree& parameters, AzureLevel& into) {
    for (const auto& [name, value] : parameters.members) add_parameter(name.text, value, into);
    for (const Tree& one : parameters.items) add_parameter(one["name"].text, one["default"], into);
}

const Tree* object_in(const std::string& text, const AzureLevel& level) {
    std::string_view name = trimmed(text);
    if (starts_with(name, "${{") && ends_with(name, "}}")) name = trimmed(name.substr(3, name.size() - 5));
    if (!starts_with(name, "parameters.")) return nullptr;
    const auto found = level.objects.find(std::string(name.substr(11)));
    return found == level.objects.end() ? nullptr : found->second;
}

std::optional<std::vector<AzureLevel>> rounds_of(const std::string& name, const AzureLevel& level) {
    const std::vector<std::string> words = split(name, " {}$");
    if (words.size() != 4 || words[0] != "each" || words[2] != "in") return std::nullopt;
    const Tree* list = object_in(words[3], level);
    constexpr std::size_t k_all_rounds = 64;  // those of longer lists are not read one by one
    if (!list || !list->is_list() || list->items.size() > k_all_rounds) return std::nullopt;
    std::vector<AzureLevel> rounds;
    for (const Tree& item : list->items) {
        AzureLevel& round = rounds.emplace_back(level);
        if (item.is_scalar()) round.loop[words[1]] = item.text;
        for (const auto& [member, value] : item.members)
            if (value.is_scalar()) round.loop[words[1] + "." + member.text] = value.text;
    }
    return rounds;
}

}  // namespace ptxguard::recipes
