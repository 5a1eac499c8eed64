// Poetry's version constraints ("^2.1", "~2.1", "2.1.0", "2.1.*", "*") in the words of PEP 440.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard::recipes {

// Of alternatives ("^1 || ^2"): from the lowest to the highest that any of them allows, or "" where that
// cannot be said.
std::string poetry_specifier(std::string_view text);

}  // namespace ptxguard::recipes
