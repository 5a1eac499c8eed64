// The arithmetic of `$(( ))`, `(( ))` and CMake's math(). Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "recipes/shell/shell_variables.hpp"

namespace ptxguard::recipes {

// Nothing: a name in it has no known number, or it assigns. `fixed` becomes false where such a value may be
// overridden.
std::optional<long> arithmetic(std::string_view text, const Variables& variables, bool& fixed);

}  // namespace ptxguard::recipes
