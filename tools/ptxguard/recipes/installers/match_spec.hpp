// conda's notation for a package: "pytorch=2.1=*cuda12*", "conda-forge::pytorch >=2.1,<3",
// "pytorch[version='2.1.*',build=*cuda*]".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// `version` is "2.1.*" for "=2.1", "2.1.0" for "==2.1.0", otherwise as written without blanks.
CondaSpec read_match_spec(const Written& text);
// A value in single or double quotes, without blanks around it.
std::string without_quotes(std::string_view text);

}  // namespace ptxguard::recipes
