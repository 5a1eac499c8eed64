// Variables and options by which builds name architectures, and how each writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/arch.hpp"

namespace ptxguard::recipes {

// A list in the form of its dialect.
struct ArchSetting {
    std::string text;
    ArchDialect dialect = ArchDialect::cmake;
};

// Names of variables of the environment that builds read, in the order of their names.
const std::vector<std::string_view>& arch_variables();
// Only torch's builder and its CMake files read it.
bool is_read_by_torch(std::string_view name);
std::optional<ArchSetting> arch_variable(std::string_view name, const std::string& value);
// An option of CMake: -DNAME=VALUE.
std::optional<ArchSetting> arch_option(std::string_view name, const std::string& value);

}  // namespace ptxguard::recipes
