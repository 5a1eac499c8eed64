// nvcc.profile: the file beside nvcc that tells it where cicc, headers, libdevice and libraries are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/scenario.hpp"

namespace ptxguard {

struct NvccProfile {
    bool found = false;
    std::map<std::string, std::string> variables;  // expanded

    std::string get(const std::string& name) const;
    std::vector<std::string> program_folders(System system) const;  // put before PATH by nvcc
    std::vector<std::string> include_folders() const;               // -I and -isystem, in nvcc's order
    std::vector<std::string> library_folders() const;               // -L, without stubs
};

// `defined` holds what nvcc defines before it reads: _HERE_, _TARGET_DIR_ ... Lines: NAME = text, NAME +=
// text (put in front), NAME =+ text (put behind), NAME ?= text; $(NAME) is replaced. Anything else is passed
// over.
NvccProfile parse_profile(std::string_view text, std::map<std::string, std::string> defined);

// Values of FLAG in a text of quoted and plain words: -I"/a b" "-I/c" -isystem /d.
std::vector<std::string> flag_values(std::string_view text, std::string_view flag);

}  // namespace ptxguard
