// What every room asks of a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard {

bool ends_with(std::string_view text, std::string_view end);
bool starts_with(std::string_view text, std::string_view start);
std::string lower(std::string_view text);  // ASCII only

}  // namespace ptxguard
