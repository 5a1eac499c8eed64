// Steps as lines of text, for tests of the readers: "3:5 nvcc -arch=sm_75 a.cu". A word that others may
// override is written as word~, an unknown one as word?.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

inline std::string shown(const Written& word) {
    return word.text + (word.known ? word.fixed ? "" : "~" : "?");
}
inline std::string place(const Written& word) {
    return std::to_string(word.line) + ":" + std::to_string(word.column);
}

inline std::string line_of(const SetVariable& set) {
    return place(set.value) + " " + set.name + "=" + shown(set.value);
}
inline std::string line_of(const Command& command) {
    std::string text = command.words.empty() ? "" : place(command.words[0]);
    SharedMap<Written> own;
    for (const SetVariable& one : command.variables) {
        text += " " + one.name + "=" + shown(one.value);
        own.set(one.name, {});
    }
    command.exports.each([&](const std::string& name, const Written& value) {
        if (!own.has(name)) text += " " + name + "=" + shown(value);
    });
    for (const Written& word : command.words) text += " " + shown(word);
    return text;
}
inline std::string line_of(const DeviceExtension& extension) {
    return place(extension.at) + " " + shown(extension.at);
}
inline std::string line_of(const CopyFrom& copy) {
    std::string text = place(copy.stage) + " from " + copy.stage.text + ":";
    for (const Written& source : copy.sources) text += " " + shown(source);
    return text + " -> " + shown(copy.destination);
}
inline std::string line_of(const PipInstall& install) {
    std::string text = place(install.whole) + " pip:";
    for (const WrittenRequirement& one : install.requirements)
        text += " " + shown(one.whole) + "@" + place(one.whole);
    if (install.index) text += " index " + shown(install.index);
    for (const Written& extra : install.extra_indexes) text += " extra " + shown(extra);
    return text;
}
inline std::string line_of(const CondaInstall& install) { return place(install.whole) + " conda"; }
inline std::string line_of(const AptInstall& install) { return place(install.whole) + " apt"; }

inline std::string lines_of_steps(const std::vector<Step>& steps);
inline std::string line_of(const InOtherStage& other) {
    return "in " + shown(other.stage->image) + " {\n" + lines_of_steps(other.stage->steps) + "}";
}

inline std::string lines_of_steps(const std::vector<Step>& steps) {
    std::string text;
    for (const Step& step : steps)
        text += std::visit([](const auto& one) { return line_of(one); }, step) + "\n";
    return text;
}

}  // namespace ptxguard::recipes
