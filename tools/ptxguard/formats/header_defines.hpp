// `#define NAME value` lines of a C header; conditions are not followed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

struct HeaderDefine {
    std::string name;
    std::string value;  // without comment, without the quotes around a string
    int line = 0;
};

std::vector<HeaderDefine> read_header_defines(std::string_view text);

// The first number that NAME is defined as.
std::optional<int> defined_number(std::string_view text, std::string_view name);

}  // namespace ptxguard
