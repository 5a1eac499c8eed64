// What the first bytes and the dynamic section of a native module show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

// What a file contains that matters before it is loaded.
struct ModuleHead {
    bool read = false;  // a shared library, complete as far as its headers show
    std::uint16_t machine = 0;
    std::vector<std::string> needed;  // DT_NEEDED
};
ModuleHead module_head(const Host& host, const std::string& path);
// "x86_64"; empty = no ELF file, or a machine without a name.
std::string machine_of_file(const Host& host, const std::string& path);
// Whether it has the section of nvcc's code.
bool holds_device_code(const Host& host, const std::string& path);
bool defines(const Host& host, const std::string& path, const std::string& symbol);

}  // namespace ptxguard
