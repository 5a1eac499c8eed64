// The rows of a matrix of a workflow: every combination of its lists, with `include` and `exclude` as GitHub
// applies them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/tree.hpp"

namespace ptxguard::recipes {

struct MatrixRow {
    std::vector<std::pair<std::string, const Tree*>> values;  // in the order of the file
    const Tree* find(const std::string& name) const;
    std::string text() const;  // "cuda=12.1, python=3.10"
};

constexpr std::size_t k_most_rows = 256;  // GitHub's own limit

// At least one row; an empty one where there is no matrix or where it is computed by an expression. `cut`:
// there were more than k_most_rows.
std::vector<MatrixRow> matrix_rows(const Tree& matrix, bool& cut);

}  // namespace ptxguard::recipes
