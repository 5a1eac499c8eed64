// Strings in a file's constants that look like shared libraries: what it may dlopen. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/elf.hpp"

namespace ptxguard {

// Complete strings of .rodata such as "libnvrtc.so.12", each once, in file order.
std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file);

}  // namespace ptxguard
