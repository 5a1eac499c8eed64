// "{{ name }}" and "${{ name }}": jinja of conda's recipes, expressions of workflows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptxguard::recipes {

using TemplateValue = std::function<std::optional<std::string>(std::string_view expression)>;

// The text with the values of the expressions between `open` and "}}"; one without a value stays as written
// and sets `known` to false.
std::string filled(std::string_view text, std::string_view open, const TemplateValue& value, bool& known);

}  // namespace ptxguard::recipes
