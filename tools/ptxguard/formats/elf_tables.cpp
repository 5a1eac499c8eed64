// The tables are chained by offsets that only point forward, so a chain ends at the end of the file at the
// latest; a limit on all steps bounds chains that advance one byte at a time.
// SPDX-License-Identifier: Apache-2.0
#include "formats/elf_tables.hpp"

#include <algorithm>

#include "formats/window.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_dynamic_row = 16, k_max_dynamic_rows = 1u << 16;
constexpr std::size_t k_max_version_rows = 1u << 15;  // symbols refer to them with 15 bits
constexpr std::size_t k_need_row = 16, k_need_name_row = 16, k_define_row = 20;
constexpr std::uint16_t k_weak_version = 2;

// The versions that are needed from one library.
bool read_need_names(Window& window, std::uint64_t at, std::uint32_t library, std::uint16_t count,
                     std::vector<VersionRow>& rows) {
    for (; count > 0; --count) {
        const char* row = window.at(at, k_need_name_row);
        if (!row || rows.size() >= k_max_version_rows) return false;
        rows.push_back({load_u32(row + 8), library, static_cast<std::uint16_t>(load_u16(row + 6) & 0x7fff),
                        true, (load_u16(row + 4) & k_weak_version) != 0});
        const std::uint32_t next = load_u32(row + 12);
        if (next == 0) break;
        at += next;
    }
    return true;
}

bool read_needs(Window& window, std::uint64_t at, std::vector<VersionRow>& rows) {
    for (std::size_t step = 0; step < k_max_version_rows; ++step) {
        const char* row = window.at(at, k_need_row);
        if (!row || load_u16(row) != 1) return false;
        const std::uint32_t next = load_u32(row + 12);
        if (!read_need_names(window, at + load_u32(row + 8), load_u32(row + 4), load_u16(row + 2), rows))
            return false;
        if (next == 0) return true;
        at += next;
    }
    return false;
}

bool read_definitions(Window& window, std::uint64_t at, std::vector<VersionRow>& rows) {
    while (rows.size() < k_max_version_rows) {
        const char* row = window.at(at, k_define_row);
        if (!row || load_u16(row) != 1) return false;
        const std::uint32_t name = load_u32(row + 12), next = load_u32(row + 16);
        VersionRow found;
        found.index = static_cast<std::uint16_t>(load_u16(row + 4) & 0x7fff);
        const char* text =
            window.at(at + name, 8);  // the first is its name, the others those that it replaces
        if (!text) return false;
        found.name = load_u32(text);
        rows.push_back(found);
        if (next == 0) return true;
        at += next;
    }
    return false;
}

}  // namespace

Result<std::vector<DynamicEntry>> read_dynamic_entries(const Source& source, const ElfFile& file) {
    std::vector<DynamicEntry> entries;
    const auto segment = std::find_if(file.segments.begin(), file.segments.end(),
                                      [](const ElfSegment& s) { return s.type == k_pt_dynamic; });
    if (segment == file.segments.end()) return entries;
    const auto offset = file.offset_of(segment->address);
    if (!offset) return damaged_table("holds no dynamic segment where its headers say");
    const std::uint64_t count =
        std::min<std::uint64_t>(segment->memory_size / k_dynamic_row, k_max_dynamic_rows);
    Window window(source);
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* row = window.at(*offset + i * k_dynamic_row, k_dynamic_row);
        if (!row) return damaged_table("ends within its dynamic segment");
        const DynamicEntry entry{load_u64(row), load_u64(row + 8)};
        if (entry.tag == 0) return entries;
        entries.push_back(entry);
    }
    if (count == k_max_dynamic_rows) return damaged_table("has a dynamic segment without end");
    return entries;
}

std::optional<std::uint64_t> value_of(const std::vector<DynamicEntry>& entries, std::uint64_t tag) {
    const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                    [&](const DynamicEntry& entry) { return entry.tag == tag; });
    return found == entries.rend() ? std::nullopt : std::optional<std::uint64_t>(found->value);
}

std::optional<DynamicStrings> dynamic_strings(const Source& source, const ElfFile& file,
                                              const std::vector<DynamicEntry>& entries) {
    const auto address = value_of(entries, k_dt_strtab);
    const auto offset = address ? file.offset_of(*address) : std::nullopt;
    if (!offset || *offset >= source.size) return std::nullopt;
    const std::uint64_t left = source.size - *offset;
    return DynamicStrings{*offset, std::min(left, value_of(entries, k_dt_strsz).value_or(left))};
}

Result<std::vector<VersionRow>> read_version_rows(const Source& source, const ElfFile& file,
                                                  const std::vector<DynamicEntry>& entries) {
    std::vector<VersionRow> rows;
    Window window(source);
    if (const auto address = value_of(entries, k_dt_verneed)) {
        const auto offset = file.offset_of(*address);
        if (!offset || !read_needs(window, *offset, rows))
            return damaged_table("has a damaged table of needed versions");
    }
    if (const auto address = value_of(entries, k_dt_verdef)) {
        const auto offset = file.offset_of(*address);
        if (!offset || !read_definitions(window, *offset, rows))
            return damaged_table("has a damaged table of its versions");
    }
    return rows;
}

}  // namespace ptxguard
