// Short ways to write the commands and files of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "recipes/shell/interpret.hpp"

namespace ptxguard::recipes {

inline Command command_of(const std::vector<std::string>& words) {
    Command command;
    int column = 5;
    for (const std::string& word : words) {
        command.words.push_back({word, "Dockerfile", 3, column});
        column += static_cast<int>(word.size()) + 1;
    }
    return command;
}

using Files = std::map<std::string, std::string>;
inline ReadFile reader_of(const Files& files) {
    return [files](const std::string& path, const Written&) -> std::optional<FileText> {
        const auto found = files.find(path);
        if (found == files.end()) return std::nullopt;
        return FileText{path, found->second};
    };
}

// For tests that look only at the steps.
inline std::vector<Step> steps_of(const Command& command, const Files& files = {}) {
    Problems problems;
    return interpret(command, reader_of(files), Inherited(problems));
}

// The only step of a command.
template <class Kind>
Kind only(const std::vector<std::string>& words, const Files& files = {}) {
    const auto steps = steps_of(command_of(words), files);
    REQUIRE(steps.size() == 1);
    REQUIRE(std::holds_alternative<Kind>(steps.front()));
    return std::get<Kind>(steps.front());
}

inline const Stage& stage_named(const Recipe& recipe, const std::string& name) {
    const auto found = std::find_if(recipe.stages.begin(), recipe.stages.end(),
                                    [&](const Stage& one) { return one.name == name; });
    REQUIRE_MESSAGE(found != recipe.stages.end(), name);
    return *found;
}

// Steps of one kind.
template <class Kind>
std::vector<Kind> all(const Stage& one) {
    std::vector<Kind> result;
    for (const Step& step : one.steps)
        if (const auto* wanted = std::get_if<Kind>(&step)) result.push_back(*wanted);
    return result;
}

}  // namespace ptxguard::recipes
