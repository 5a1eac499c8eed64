// nvcc.profile: the file next to nvcc with the places of cicc, headers, libdevice and libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "model/finding.hpp"
#include "model/system.hpp"

namespace ptxguard {

struct NvccProfile {
    bool found = false;
    std::map<std::string, std::string> variables;  // expanded

    std::string get(const std::string& name) const;
    std::vector<std::string> program_folders(System system) const;  // prepended to PATH by nvcc
    std::vector<std::string> include_folders() const;               // -I and -isystem, in nvcc's order
    std::vector<std::string> library_folders() const;               // -L, without stubs
};

// `defined` contains what nvcc defines first: _HERE_, _TARGET_DIR_ ... Lines: NAME = text, NAME += text
// (prepend), NAME =+ text (append), NAME ?= text; $(NAME) is replaced. Anything else is skipped.
NvccProfile parse_profile(std::string_view text, std::map<std::string, std::string> defined);

// Values of FLAG in a string of quoted and plain words: -I"/a b" "-I/c" -isystem /d.
std::vector<std::string> flag_values(std::string_view text, std::string_view flag);

// Where an environment variable was probably set: start files of shells, loaded module files, scripts of
// environments.

// The line that contains `variable` followed by `value`: its whole value or one entry of it. If a file has
// several, the last, which is effective; nothing if no line was found (another program set it), and on
// Windows.
std::optional<Location> where_set(const Host& host, const std::string& variable, const std::string& value);

}  // namespace ptxguard
