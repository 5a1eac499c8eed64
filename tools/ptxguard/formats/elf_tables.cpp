// The tables are chained by offsets that only point forward, so a chain ends at the end of the file at the
// latest; a limit on all steps bounds chains that advance one byte at a time.
// SPDX-License-Identifier: Apache-2.0
#include "formats/elf_tables.hpp"

#include <algorithm>

#include "formats/elf.hpp"
#include "formats/window.hpp"
#include "model/ranges.hpp"

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

// What ld.so reads before it maps anything else. Strings are read one by one: the strings of a large
// library are 20 MB.

namespace {

constexpr std::size_t k_max_path = 4096;
constexpr std::size_t k_max_text = 1u << 16;
constexpr std::size_t k_max_all_texts = 4u << 20;  // of one file; many names may share one long string
constexpr std::uint64_t k_no_default_folders = 0x800;

class Texts {
public:
    Texts(const Source& source, DynamicStrings strings)
        : m_part(part_of(source, strings.offset, strings.size)), m_window(m_part) {}

    std::optional<std::string> at(std::uint64_t place) {
        auto text = m_window.text(place, k_max_text);
        if (!text || text->size() + 32 > m_left) return std::nullopt;
        m_left -= text->size() + 32;
        return text;
    }

private:
    const Source m_part;
    Window m_window;
    std::size_t m_left = k_max_all_texts;
};

bool add_entry(const DynamicEntry& entry, Texts& texts, ElfDynamic& dynamic) {
    if (entry.tag == k_dt_flags_1) dynamic.no_default_folders = (entry.value & k_no_default_folders) != 0;
    if (entry.tag != k_dt_needed && entry.tag != k_dt_soname && entry.tag != k_dt_rpath &&
        entry.tag != k_dt_runpath)
        return true;
    auto text = texts.at(entry.value);
    if (!text) return false;
    if (entry.tag == k_dt_needed) dynamic.needed.push_back(std::move(*text));
    if (entry.tag == k_dt_soname) dynamic.soname = std::move(*text);
    if (entry.tag == k_dt_rpath) dynamic.rpath = std::move(*text);
    if (entry.tag == k_dt_runpath) dynamic.runpath = std::move(*text);
    return true;
}

bool add_version(const VersionRow& row, Texts& texts, ElfDynamic& dynamic) {
    auto name = texts.at(row.name);
    if (!name) return false;
    if (!row.needed) {
        dynamic.defined_versions.push_back(std::move(*name));
        return true;
    }
    auto library = texts.at(row.file);
    if (!library) return false;
    dynamic.needed_versions.push_back({std::move(*library), std::move(*name), row.weak});
    return true;
}

// False: a string is outside the table.
bool read_texts(const Source& source, const ElfFile& file, const std::vector<DynamicEntry>& entries,
                const std::vector<VersionRow>& versions, ElfDynamic& dynamic) {
    Texts texts(source, dynamic_strings(source, file, entries).value_or(DynamicStrings{}));
    return all_of(entries, [&](const DynamicEntry& entry) { return add_entry(entry, texts, dynamic); }) &&
           all_of(versions, [&](const VersionRow& row) { return add_version(row, texts, dynamic); });
}

}  // namespace

Result<ElfDynamic> read_elf_dynamic(const Source& source, const ElfFile& file) {
    ElfDynamic dynamic;
    const auto is = [](std::uint32_t type) { return [type](const ElfSegment& s) { return s.type == type; }; };
    dynamic.is_dynamic = any_of(file.segments, is(k_pt_dynamic));
    const auto interpreter = std::find_if(file.segments.begin(), file.segments.end(), is(k_pt_interp));
    if (interpreter != file.segments.end()) {
        const Source part = part_of(source, interpreter->offset, interpreter->file_size);
        auto text = Window(part, 64).text(0, k_max_path);
        if (!text) return Trouble{{}, "names no interpreter where its headers say", {}};
        dynamic.interpreter = std::move(*text);
    }
    const auto entries = read_dynamic_entries(source, file);
    if (!entries) return entries.trouble();
    const auto versions = read_version_rows(source, file, *entries);
    if (!versions) return versions.trouble();
    if (!read_texts(source, file, *entries, *versions, dynamic))
        return Trouble{{}, "has names outside its table of names", {}};
    return dynamic;
}

Result<ElfDynamic> read_elf_dynamic(const Source& source) {
    const auto file = read_elf(source);
    return file ? read_elf_dynamic(source, *file) : Result<ElfDynamic>(file.trouble());
}

// DT_GNU_HASH: a Bloom filter, buckets, and chains of hash values whose lowest bit marks the end. DT_HASH:
// buckets and links. Chains are followed at most to the end of the symbol table, so a damaged one ends.

namespace {

constexpr std::uint32_t k_max_steps = 4096;  // of one chain; real ones have a handful

std::uint32_t gnu_hash(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
}

std::uint32_t system_v_hash(std::string_view name) {
    std::uint32_t hash = 0;
    for (const char c : name) {
        hash = (hash << 4) + static_cast<unsigned char>(c);
        hash ^= (hash & 0xf0000000u) >> 24;
        hash &= 0x0fffffffu;
    }
    return hash;
}

class Lookup {
public:
    Lookup(const Source& source, const ElfFile& file) : m_source(source), m_file(file) {}

    std::optional<ElfPlace> find(std::string_view name) {
        auto entries = read_dynamic_entries(m_source, m_file);
        if (!entries) return std::nullopt;
        m_symbols = offset_of(*entries, k_dt_symtab);
        const auto strings = dynamic_strings(m_source, m_file, *entries);
        if (!m_symbols || !strings) return std::nullopt;
        m_strings = *strings;
        if (const auto table = offset_of(*entries, k_dt_gnu_hash)) return by_gnu_hash(*table, name);
        if (const auto table = offset_of(*entries, k_dt_hash)) return by_hash(*table, name);
        return std::nullopt;
    }

private:
    std::optional<std::uint64_t> offset_of(const std::vector<DynamicEntry>& entries,
                                           std::uint64_t tag) const {
        const auto address = value_of(entries, tag);
        return address ? m_file.offset_of(*address) : std::nullopt;
    }
    std::optional<std::uint32_t> number_at(std::uint64_t offset) const {
        char bytes[4];
        if (!read_exactly(m_source, offset, bytes, sizeof bytes)) return std::nullopt;
        return load_u32(bytes);
    }

    std::optional<ElfPlace> by_gnu_hash(std::uint64_t table, std::string_view name) const {
        char head[16];
        if (!read_exactly(m_source, table, head, sizeof head)) return std::nullopt;
        const std::uint64_t buckets = load_u32(head), first = load_u32(head + 4), words = load_u32(head + 8);
        if (buckets == 0) return std::nullopt;
        const std::uint32_t hash = gnu_hash(name);
        const std::uint64_t buckets_at = table + sizeof head + words * 8,
                            chains_at = buckets_at + buckets * 4;
        const auto start = number_at(buckets_at + hash % buckets * 4);
        if (!start || *start < first) return std::nullopt;
        for (std::uint64_t symbol = *start; symbol < *start + std::uint64_t{k_max_steps}; ++symbol) {
            const auto link = number_at(chains_at + (symbol - first) * 4);
            if (!link) return std::nullopt;
            if ((*link | 1u) == (hash | 1u))
                if (const auto place = symbol_if_named(symbol, name)) return place;
            if ((*link & 1u) != 0) return std::nullopt;
        }
        return std::nullopt;
    }

    std::optional<ElfPlace> by_hash(std::uint64_t table, std::string_view name) const {
        const auto buckets = number_at(table), links = number_at(table + 4);
        if (!buckets || !links || *buckets == 0) return std::nullopt;
        auto symbol = number_at(table + 8 + system_v_hash(name) % *buckets * std::uint64_t{4});
        for (std::uint32_t step = 0; symbol && *symbol != 0 && *symbol < *links && step < k_max_steps;
             ++step) {
            if (const auto place = symbol_if_named(*symbol, name)) return place;
            symbol = number_at(table + 8 + (std::uint64_t{*buckets} + *symbol) * 4);
        }
        return std::nullopt;
    }

    std::optional<ElfPlace> symbol_if_named(std::uint64_t index, std::string_view name) const {
        char row[k_symbol_row];
        if (!read_exactly(m_source, *m_symbols + index * k_symbol_row, row, sizeof row)) return std::nullopt;
        const std::uint64_t text = load_u32(row);
        if (text >= m_strings.size || name.size() + 1 > m_strings.size - text || load_u16(row + 6) == 0)
            return std::nullopt;
        const auto found = read_bytes(m_source, m_strings.offset + text, name.size() + 1);
        if (found.size() != name.size() + 1 || found.back() != '\0' ||
            found.compare(0, name.size(), name) != 0)
            return std::nullopt;
        const auto offset = m_file.offset_of(load_u64(row + 8));
        if (!offset) return std::nullopt;
        return ElfPlace{*offset, load_u64(row + 16)};
    }

    const Source& m_source;
    const ElfFile& m_file;
    std::optional<std::uint64_t> m_symbols;
    DynamicStrings m_strings;
};

}  // namespace

std::optional<ElfPlace> find_elf_symbol(const Source& source, const ElfFile& file, std::string_view name) {
    return Lookup(source, file).find(name);
}

}  // namespace ptxguard
