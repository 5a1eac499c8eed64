// Finds one exported symbol of an ELF file through its hash table in a few small reads, however many there
// are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/elf.hpp"

namespace ptxguard {

struct ElfPlace {
    std::uint64_t offset = 0, size = 0;  // in the file; the size is the one in the symbol
};
// Where the content of a defined symbol is (the first of that name, whatever its version); nothing if there
// is none or its content is not in the file.
std::optional<ElfPlace> find_elf_symbol(const Source& source, const ElfFile& file, std::string_view name);

}  // namespace ptxguard
