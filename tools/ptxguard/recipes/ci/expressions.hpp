// Expressions of GitHub's workflows, "${{ matrix.cuda }}", as far as the file determines them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/truth.hpp"
#include "recipes/base/placed_text.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/ci/matrix.hpp"

namespace ptxguard::recipes {

struct Scope {
    explicit Scope(Problems& problems_) : problems(problems_) {}

    Problems& problems;  // gets the expressions that are not evaluated
    const MatrixRow* row = nullptr;
    SharedMap<std::string> variables;           // env
    std::map<std::string, std::string> inputs;  // defaults of inputs
    // Of earlier steps and jobs: "steps.ID.outputs.NAME", "needs.JOB.outputs.NAME".
    std::map<std::string, std::string> outputs;
    std::map<std::string, std::string> loop;  // "x", "x.cuda" of Azure's `each x`
    std::string runner;                       // "Linux", "Windows", "macOS"; empty = unknown
};

// "matrix.cuda", "env.X || 'y'", "'text'"; nothing for values that only a run determines. `at`: where it is
// written.
std::optional<std::string> value_of(std::string_view expression, const Scope& scope, const Written& at);
// An `if:`: comparisons joined by && and ||.
Truth condition(std::string_view expression, const Scope& scope, const Written& at);

// The value with its expressions replaced; `known` is false if one has no value.
Written filled(const Tree& value, const std::string& file, const Scope& scope);
// Text for a shell; an expression without a value becomes a variable without a value.
PlacedText script(const Tree& value, const std::string& file, const Scope& scope);

}  // namespace ptxguard::recipes
