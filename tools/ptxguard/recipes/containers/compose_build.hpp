// What compose files and devcontainer.json have in common: settings, and `build`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/containers/dockerfile.hpp"
#include "recipes/shell/shell_variables.hpp"

namespace ptxguard::recipes {

// "NAME: value" or a list of "NAME=value".
template <class Each>
void each_pair(const Tree& values, const Each& each) {
    for (const auto& [name, value] : values.members)
        if (value.is_scalar()) each(name.text, value);
    for (const Tree& item : values.items) {
        const std::size_t equals = item.text.find('=');
        if (equals == std::string::npos) continue;
        Tree value = item;
        value.text = item.text.substr(equals + 1);
        value.column += static_cast<int>(equals) + 1;
        each(item.text.substr(0, equals), value);
    }
}

// The stages of the Dockerfile in `build`: "context", or {context, dockerfile, args, target}. `own_file`: the
// file that contains `build`.
bool add_build(const Tree& build, const BuildArguments& arguments, const Variables& variables,
               const std::string& own_file, const std::string& own_folder, const ReadFile& files,
               Recipe& recipe, std::size_t& bytes);

}  // namespace ptxguard::recipes
