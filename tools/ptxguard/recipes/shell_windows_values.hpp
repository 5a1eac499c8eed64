// Values in the texts of cmd and PowerShell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptxguard::recipes {

// The value of cmd's "%NAME:part%": "~0,2" and "~-1" are positions, ".=-" replaces. Nothing for another form.
std::optional<std::string> part_of_value(const std::string& value, std::string_view part);

// Behind the ")" of PowerShell's "(Join-Path $a 'b')"; npos if it does not end in its line.
std::size_t end_of_call(std::string_view text, std::size_t open);

// A table or list of PowerShell that names all its values, as JSON: @{ 'os' = @('a', "b"); n = 1 }.
struct PowerShellLiteral {
    std::string json;
    std::size_t end = 0;  // behind it
};
std::optional<PowerShellLiteral> powershell_literal(std::string_view text, std::size_t begin);

}  // namespace ptxguard::recipes
