// Definition files of Apptainer and Singularity: Bootstrap and From, %files, %post, %environment. Nothing is
// run or downloaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// A file without a line "Bootstrap:" is another kind of *.def file, and has no stage.
Recipe read_definition_file(const std::string& file, std::string_view text, const ReadFile& files);

}  // namespace ptxguard::recipes
