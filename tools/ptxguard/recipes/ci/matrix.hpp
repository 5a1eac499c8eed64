// The rows of a workflow matrix: every combination of its lists, with `include` and `exclude` applied like
// GitHub.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct MatrixRow {
    std::vector<std::pair<std::string, const Tree*>> values;  // in file order
    bool open = false;                                        // an expression includes other values
    const Tree* find(const std::string& name) const;
    std::string text() const;  // "cuda=12.1, python=3.10"
};

// At least one row; an empty one without a matrix or if an expression computes it.
std::vector<MatrixRow> matrix_rows(const Tree& matrix, const Limit& most, const std::string& file,
                                   Problems& problems);

}  // namespace ptxguard::recipes
