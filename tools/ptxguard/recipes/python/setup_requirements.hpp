// What a setup.py or setup.cfg requires: the values that setup() gets, and where the code leaves one open,
// the string literals of its text. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipes/base/placed_text.hpp"
#include "recipes/python/python_follower.hpp"

namespace ptxguard::recipes {

struct SetupRequirements {
    std::vector<WrittenRequirement> always;
    std::vector<std::pair<std::string, std::vector<WrittenRequirement>>> extras;  // none is empty
};
// What a run of the code passes to setup().
struct SetupCall {
    std::optional<PythonValue> install_requires, extras_require;
    void note(const PythonCall& call, const PythonRun& run);
};
SetupRequirements requirements_of_script(const PlacedText& text, const SetupCall& call);
// The same of a setup.py whose code nobody has followed yet.
SetupRequirements requirements_of_script(const FileText& file, const ReadFile& files);
SetupRequirements requirements_of_cfg(const PlacedText& text);

}  // namespace ptxguard::recipes
