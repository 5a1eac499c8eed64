// `#define NAME value` lines of a C header; conditions are not followed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace ptxguard
