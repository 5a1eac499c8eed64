// "{{ name }}" and "${{ name }}": jinja of conda's recipes, expressions of workflows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/base/placed_text.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

using TemplateValue = std::function<std::optional<std::string>(std::string_view expression)>;

// The text with the values of the expressions between `open` and "}}"; one without a value stays as written
// and sets `known` to false. So does a value that makes the text too long: values may be made of values.
inline constexpr Limit k_most_filled{1u << 16, "bytes of values in a text", "later values"};
std::string filled(std::string_view text, std::string_view open, const TemplateValue& value,
                   const Written& place, Problems& problems, bool& known);

// Text for a shell, with the places of the file: the same for each line. An expression without a value
// becomes what `unknown` makes of it.
PlacedText filled_lines(
    const Written& whole, std::string_view open, std::string_view close,
    const std::function<std::optional<std::string>(std::string_view, const Written&)>& value,
    const std::function<std::string(std::string_view)>& unknown, Problems& problems);

}  // namespace ptxguard::recipes
