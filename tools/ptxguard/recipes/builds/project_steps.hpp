// What a file of a built project says about its device code. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `by` names the folder, or is the command that runs in it.
std::optional<FileText> file_in(const ReadFile& files, const std::string& folder, const char* name,
                                const Written& by);

// `only_fixed`: omits what a condition or a user's choice may replace. `overridden`: variables that the
// command sets.
void add_device_code_of(const Recipe& recipe, bool only_fixed, const std::string& stage_name,
                        std::vector<Step>& steps, const std::map<std::string, std::string>& overridden = {});

}  // namespace ptxguard::recipes
