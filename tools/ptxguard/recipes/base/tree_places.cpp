// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/tree_places.hpp"

namespace ptxguard::recipes {

Written written(const Tree& value, const std::string& file) {
    return {value.text, file, value.line, value.column};
}

Written shell_text(const Tree& value, const std::string& file) {
    Written result = written(value, file);
    if (!value.lines.empty()) result.text = value.lines;
    return result;
}

}  // namespace ptxguard::recipes
