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

// The limits for host compilers in CUDA's crt/host_config.h, from its preprocessor lines.

struct HostConfig {
    std::optional<int> gcc_max, clang_max;            // newest accepted major
    std::optional<int> msvc_ver_min, msvc_ver_below;  // lowest _MSC_VER; first refused one
    bool empty() const { return !gcc_max && !clang_max && !msvc_ver_min && !msvc_ver_below; }
};

// Only the conditions before "unsupported GNU version", "unsupported clang version" and "unsupported
// Microsoft Visual Studio version" count: the header has others, for compilers of single vendors.
HostConfig read_host_config(std::string_view text);

}  // namespace ptxguard
