// [tool.poetry.dependencies] and its groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/tree.hpp"
#include "recipes/base/recipe.hpp"

namespace ptxguard::recipes {

struct PoetryDependency {
    WrittenRequirement requirement;
    std::string source;     // name of a [[tool.poetry.source]]
    bool optional = false;  // only with an extra that lists it
};
// `table`: NAME = "^2.1", NAME = {version = ..., source = ...}, NAME = [{...}, {...}]; without "python".
std::vector<PoetryDependency> read_poetry_dependencies(const Tree& table, const std::string& file);

// The source that an entry of the table gives a requirement of [project], with these extras; empty = PyPI.
std::string poetry_source(const Tree& entry, const WrittenRequirement& requirement,
                          const std::vector<std::string>& extras, const std::string& file);

// Requires-Python of the package that is built from a pyproject.toml.
Written required_python(const Tree& root, const std::string& file);

bool is_primary_source(const Tree& source);
// Whether only packages that name the source come from it. A supplemental one is also searched for what no
// other source has: local versions, as PyPI has none.
bool is_named_source(const Tree& source, const Tree& dependencies);

}  // namespace ptxguard::recipes
