// The text of `$( )` where programs that only change text decide it, or the system does: text_programs.hpp,
// lsb_release -rs, a file, and the folder of a script.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "recipes/shell/shell_expand.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {

// `inner`: between "$(" and ")". Nothing: it is not known.
std::optional<Written> output_of_pipeline(const PlacedText& text, Range inner, const Variables& variables,
                                          Problems& problems, const OutputSource* source = nullptr);

// What `lsb_release -rs` prints: the release in the name of Ubuntu's image or runner, "ubuntu-22.04". Others
// set nothing.
void set_release_of_system(const Written& name, Variables& variables);

}  // namespace ptxguard::recipes
