// Patterns of "${NAME#PATTERN}", "${NAME/PATTERN/TEXT}" and the like. Takes as many steps as the product of
// both lengths, whatever they contain. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard::recipes {

// "#", "%", "##", "%%": without the shortest or longest start or end that matches.
std::string cut(const std::string& value, std::string_view pattern, bool at_end, bool longest);
// "/", "//": the first or all longest matches replaced.
std::string replaced(const std::string& value, std::string_view pattern, const std::string& by, bool all);

}  // namespace ptxguard::recipes
