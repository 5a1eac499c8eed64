// Names of variables: case-sensitive on Linux, case-insensitive on Windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/system.hpp"

namespace ptxguard {

std::optional<std::string> variable(const std::map<std::string, std::string>& environment,
                                    const std::string& name, System system);
// Replaces the variable regardless of its case; nullopt removes it.
void set_variable(std::map<std::string, std::string>& environment, const std::string& name,
                  const std::optional<std::string>& value, System system);
// %NAME% replaced from `environment`, also inside the replacements; an unknown name stays as written, and so
// does a whole text that would get longer than a variable can be.
std::string expand_variables(const std::string& text, const std::map<std::string, std::string>& environment);

}  // namespace ptxguard
