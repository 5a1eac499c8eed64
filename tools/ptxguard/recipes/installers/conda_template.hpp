// The jinja of conda's YAML files: {% set x = "1" %}, {{ x }}, and the selectors "# [linux]" at the end of
// lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

// Stands for a value that cannot be computed, U+FFFD: valid in plain YAML text, and not in package names or
// versions.
inline constexpr std::string_view k_unknown_value = "\xEF\xBF\xBD";

// The text as YAML with the same number of lines: lines only for Windows or macOS are blank, all branches of
// {% if %} are kept. A value or selector that cannot be computed leaves a mark; see marked().
std::string render_conda(std::string_view text, const std::string& file, Problems& problems);
// Removes the marks: `known` is false for a value that could not be computed, `fixed` for a selector.
Written marked(Written value);
// The value of an expression of a recipe: a variable, compiler('cuda') as "compiler_cuda",
// pin_compatible('x') as "x", filters on them; nothing for others.
std::optional<std::string> conda_value(std::string_view expression,
                                       const std::function<const std::string*(std::string_view)>& variable);

}  // namespace ptxguard::recipes
