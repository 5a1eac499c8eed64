// Tables of the dynamic segment that several parsers need. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/elf.hpp"

namespace ptxguard {

constexpr std::uint64_t k_dt_needed = 1, k_dt_pltrelsz = 2, k_dt_hash = 4, k_dt_strtab = 5, k_dt_symtab = 6;
constexpr std::uint64_t k_dt_rela = 7, k_dt_relasz = 8, k_dt_strsz = 10, k_dt_soname = 14, k_dt_rpath = 15;
constexpr std::uint64_t k_dt_jmprel = 23, k_dt_runpath = 29, k_dt_gnu_hash = 0x6ffffef5,
                        k_dt_versym = 0x6ffffff0;
constexpr std::uint64_t k_dt_flags_1 = 0x6ffffffb, k_dt_verdef = 0x6ffffffc, k_dt_verneed = 0x6ffffffe;
constexpr std::uint32_t k_pt_dynamic = 2, k_pt_interp = 3;
constexpr std::size_t k_symbol_row = 24;

inline Trouble damaged_table(const char* what) { return {{}, what, {}}; }

struct DynamicEntry {
    std::uint64_t tag = 0, value = 0;
};
// Up to DT_NULL, in file order; empty if there is no dynamic segment.
Result<std::vector<DynamicEntry>> read_dynamic_entries(const Source& source, const ElfFile& file);
// The last one wins, as in the loader.
std::optional<std::uint64_t> value_of(const std::vector<DynamicEntry>& entries, std::uint64_t tag);

// Where in the file the dynamic strings are, truncated at its end.
struct DynamicStrings {
    std::uint64_t offset = 0, size = 0;
};
std::optional<DynamicStrings> dynamic_strings(const Source& source, const ElfFile& file,
                                              const std::vector<DynamicEntry>& entries);

// One row of the version tables. Strings are offsets in the dynamic strings.
struct VersionRow {
    std::uint32_t name = 0;
    std::uint32_t file = 0;   // of a needed one
    std::uint16_t index = 0;  // symbols refer to it by this
    bool needed = false, weak = false;
};
// First the needed versions, then the defined ones, including the library's own name (VER_FLG_BASE).
Result<std::vector<VersionRow>> read_version_rows(const Source& source, const ElfFile& file,
                                                  const std::vector<DynamicEntry>& entries);

}  // namespace ptxguard
