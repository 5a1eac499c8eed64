// The value of "$NAME" and "${NAME...}".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recipes/shell/shell_expand.hpp"

namespace ptxguard::recipes {

struct Parameter {
    Written value;
    bool missing = false;                         // an argument that is not given
    bool several = false;                         // "${NAME[@]}", "$@"
    const std::vector<Written>* items = nullptr;  // of an array, or its keys
};
// `range` starts with the "$". An unknown value is the text as written.
Parameter parameter_at(const PlacedText& text, Range range, const Variables& variables, Problems& problems,
                       const ExpandRules& rules);

}  // namespace ptxguard::recipes
