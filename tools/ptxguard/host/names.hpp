// Names of variables: exact on Linux, without regard to case on Windows. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/scenario.hpp"

namespace ptxguard {

std::optional<std::string> variable(const std::map<std::string, std::string>& environment,
                                    const std::string& name, System system);
// Replaces the variable whatever its case; nullopt removes it.
void set_variable(std::map<std::string, std::string>& environment, const std::string& name,
                  const std::optional<std::string>& value, System system);
// %NAME% replaced from `environment`, also inside the replacements; a name that is not there stays as
// written, and so does all of a text that would get longer than a variable can be.
std::string expand_variables(const std::string& text, const std::map<std::string, std::string>& environment);

}  // namespace ptxguard
