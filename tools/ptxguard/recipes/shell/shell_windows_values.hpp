// Values in the texts of cmd and PowerShell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// A value that follows from texts and variables: 'cu' + ($cuda -replace '\.', ''), $v.Replace('.', ''),
// "cu{0}" -f $v, $v.Split('.')[0]. Not known where one of its parts is not.
struct PowerShellValue {
    std::string text;
    bool known = true, fixed = true;
    std::size_t end = 0;  // behind it
};
struct PowerShellVariable {
    // The variable of that name, without "env:"; nothing if it is not set.
    std::function<std::optional<PowerShellValue>(std::string_view name)> named;
    // The text of a file; nothing if it is not known.
    std::function<std::optional<PowerShellValue>(const std::string& path)> file = {};

    std::optional<PowerShellValue> operator()(std::string_view name) const { return named(name); }
};
// Nothing if it is another expression or a command, or not known.
std::optional<PowerShellValue> powershell_value(std::string_view text, std::size_t begin,
                                                const PowerShellVariable& variable);
// param([string]$Cuda = "12.4"): the defaults, which others override. Nothing if no such block is at `begin`.
struct PowerShellParameters {
    struct Default {
        std::string name;
        std::size_t begin;
        PowerShellValue value;
    };
    struct Choice {
        std::string name;
        std::vector<std::pair<std::size_t, std::string>> values;  // with their places
    };
    std::vector<std::string> names;  // of all
    std::vector<Default> defaults;
    std::vector<Choice> choices;  // [ValidateSet("11.8", "12.4")]
    std::size_t end = 0;          // behind it
};
std::optional<PowerShellParameters> powershell_parameters(std::string_view text, std::size_t begin,
                                                          const PowerShellVariable& variable);

// "%NAME%", "%NAME:part%" of cmd; "$NAME", "${NAME}", "$env:NAME", "${env:NAME}" of PowerShell.
struct WindowsReference {
    std::string_view name, part;
    std::size_t behind = 0;
};
std::optional<WindowsReference> windows_reference(std::string_view text, std::size_t at, bool powershell);

}  // namespace ptxguard::recipes
