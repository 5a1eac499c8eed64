// Recipes of any size: for each thing that a recipe of some kind may repeat, one that repeats it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptxguard::tests {

using Files = std::map<std::string, std::string>;  // text by path

struct LintInput {
    const char* name;
    std::size_t count;  // that is read in some milliseconds
    std::function<Files(std::size_t count)> make;
    bool fix = false;  // with --fix
};
std::vector<LintInput> lint_inputs();

}  // namespace ptxguard::tests
