// Poetry's version constraints ("^2.1", "~2.1", "2.1.0", "2.1.*", "*") in PEP 440 notation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard::recipes {

// For alternatives ("^1 || ^2"): from the lowest to the highest that any of them allows, or "" if there is no
// such range.
std::string poetry_specifier(std::string_view text);

}  // namespace ptxguard::recipes
