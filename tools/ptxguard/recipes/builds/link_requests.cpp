// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/link_requests.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

// "nvToolsExt" of "CUDA::nvToolsExt" and "-lnvToolsExt"; empty: none of the toolkit's.
std::string part_of(const std::string& word) {
    if (starts_with(word, "CUDA::")) return word.substr(6);
    const std::string name = starts_with(word, "-l") ? word.substr(2) : "";
    return starts_with_any(name, {"nv", "cu", "npp"}) ? name : "";
}

bool is_of_cmake(const Command& command) {
    return command.words.size() == 3 && command.words[0].text == k_of_cmake;
}

bool finds_toolkit(const Command& command) {
    return command.words.size() > 1 && command.words[0].text == "find_package" &&
           command.words[1].text == "CUDAToolkit";
}

}  // namespace

bool is_part(const std::string& word) { return !part_of(word).empty(); }

void add_parts(const Command& command, RecipeFacts& recipe) {
    if (command.words.empty()) return;
    if (command.words[0].text == "add_library" && command.words.size() > 1) {
        const std::string own = part_of(command.words[1].text);
        erase_if(recipe.parts, [&](const PartRequest& one) { return one.part == own; });
        if (!own.empty()) recipe.own_parts.push_back(own);
        return;
    }
    const auto add = [&](const std::string& part, const Written& by, bool of_cmake) {
        const bool had = any_of(recipe.parts, [&](const PartRequest& one) { return one.part == part; });
        if (!had && by.known && !contains(recipe.own_parts, part))
            recipe.parts.push_back({part, by.text, of_cmake, origin_of(by)});
    };
    if (is_of_cmake(command)) return add(command.words[1].text, command.words[2], true);
    if (finds_toolkit(command)) return add("CUDAToolkit", command.words[1], true);
    for (const Written& word : command.words)
        if (const std::string part = part_of(word.text); !part.empty())
            add(part, word, starts_with(word.text, "CUDA::"));
}

Command needed_of_cmake(const std::string& part, const Written& by) {
    Command needed;
    needed.words = {by, by, by};
    needed.words[0].text = k_of_cmake;
    needed.words[1].text = part;
    return needed;
}

std::optional<Command> with_parts(const Command& command) {
    if (command.words.empty()) return std::nullopt;
    if (is_of_cmake(command)) return command;
    Command linked;
    linked.words.push_back(command.words[0]);
    for (std::size_t i = 1; i < command.words.size(); ++i)
        if (is_part(command.words[i].text) || finds_toolkit(command))
            linked.words.push_back(command.words[i]);
    return linked.words.size() > 1 ? std::optional(std::move(linked)) : std::nullopt;
}

}  // namespace ptxguard::recipes
