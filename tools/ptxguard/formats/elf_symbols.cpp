// Symbols as ld.so sees them. Their number is not stored; it follows from the hash tables that the loader
// searches. Tables are read as a whole and names stay in the buffer; a library of 100,000 symbols needs four
// reads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "formats/elf.hpp"
#include "formats/elf_tables.hpp"
#include "formats/window.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_relocation_row = 24;
constexpr std::uint64_t k_max_symbols = 1u << 22, k_max_buckets = 1u << 22, k_max_strings = 256u << 20;
constexpr std::uint64_t k_max_relocations = 1u << 24;
constexpr std::uint32_t k_sht_dynsym = 11;
constexpr std::uint16_t k_shn_undef = 0, k_shn_abs = 0xfff1;
constexpr std::uint8_t k_bind_weak = 2, k_bind_local = 0, k_section = 3, k_file = 4, k_tls = 6;
// A table's strings may share endings, so the names together can be longer than the table, but not by much.
constexpr std::uint64_t k_names_to_table = 16;

constexpr const char* k_outside = "has names outside its table of names";

// A table at an address of the loaded file; nothing if it is outside the file.
std::optional<std::string> read_table(const Source& source, std::uint64_t offset, std::uint64_t size) {
    if (offset > source.size || size > source.size - offset) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!bytes.empty() && !read_exactly(source, offset, &bytes[0], bytes.size())) return std::nullopt;
    return bytes;
}

struct Tables {
    const Source& source;
    const ElfFile& file;
    const std::vector<DynamicEntry>& entries;

    std::optional<std::uint64_t> offset(std::uint64_t tag) const {
        const auto address = value_of(entries, tag);
        return address ? file.offset_of(*address) : std::nullopt;
    }
};

// DT_HASH has a chain link for every symbol.
std::optional<std::uint64_t> count_by_hash(const Tables& tables) {
    const auto at = tables.offset(k_dt_hash);
    char head[8];
    if (!at || !read_exactly(tables.source, *at, head, sizeof head)) return std::nullopt;
    const std::uint64_t buckets = load_u32(head), links = load_u32(head + 4);
    const std::uint64_t left = (tables.source.size - *at - sizeof head) / 4;
    if (buckets > left || links > left - buckets) return std::nullopt;
    return links;
}

// DT_GNU_HASH: the highest chain, followed to its end mark. Nothing if it has no symbol: undefined symbols
// are not in it.
std::optional<std::uint64_t> count_by_gnu_hash(const Tables& tables) {
    const auto at = tables.offset(k_dt_gnu_hash);
    char head[16];
    if (!at || !read_exactly(tables.source, *at, head, sizeof head)) return std::nullopt;
    const std::uint64_t buckets = load_u32(head), first = load_u32(head + 4), words = load_u32(head + 8);
    if (buckets > k_max_buckets) return std::nullopt;
    const std::uint64_t buckets_at = *at + sizeof head + words * 8, chains_at = buckets_at + buckets * 4;
    const auto table = read_table(tables.source, buckets_at, buckets * 4);
    if (!table) return std::nullopt;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < table->size(); i += 4)
        last = std::max<std::uint64_t>(last, load_u32(&(*table)[i]));
    if (last < first || last == 0) return std::nullopt;
    Window window(tables.source);
    for (; last < k_max_symbols; ++last) {
        const char* link = window.at(chains_at + (last - first) * 4, 4);
        if (!link) return std::nullopt;
        if ((load_u32(link) & 1) != 0) return last + 1;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> count_by_section(const Tables& tables) {
    const auto at = tables.offset(k_dt_symtab);
    for (const ElfSection& section : tables.file.sections)
        if (section.type == k_sht_dynsym && at == section.offset) return section.size / k_symbol_row;
    return std::nullopt;
}

// Symbols without a relocation are not needed.
std::optional<std::uint64_t> count_by_relocations(const Tables& tables) {
    std::uint64_t count = 0;
    for (const auto& [tag, size_tag] :
         {std::pair{k_dt_rela, k_dt_relasz}, std::pair{k_dt_jmprel, k_dt_pltrelsz}}) {
        const auto at = tables.offset(tag);
        if (!at) continue;
        const std::uint64_t rows = value_of(tables.entries, size_tag).value_or(0) / k_relocation_row;
        if (rows > k_max_relocations) return std::nullopt;
        Window window(tables.source, 1u << 16);
        for (std::uint64_t i = 0; i < rows; ++i) {
            const char* row = window.at(*at + i * k_relocation_row, k_relocation_row);
            if (!row) return std::nullopt;
            const std::uint64_t symbol = load_u64(row + 8) >> 32;
            if (symbol != 0) count = std::max(count, symbol + 1);
        }
    }
    return count;
}

std::optional<std::uint64_t> count_symbols(const Tables& tables) {
    auto count = count_by_hash(tables);
    if (!count) count = count_by_gnu_hash(tables);
    if (!count) count = count_by_section(tables);
    if (!count) count = count_by_relocations(tables);
    return count;
}

// Starting with symbol `first`. Empty if the file has none, or not all of them.
std::string gnu_hashes(const Tables& tables, std::uint64_t count, std::size_t& first_hash) {
    const auto at = tables.offset(k_dt_gnu_hash);
    char head[16];
    if (!at || !read_exactly(tables.source, *at, head, sizeof head)) return {};
    const std::uint64_t buckets = load_u32(head), first = load_u32(head + 4), words = load_u32(head + 8);
    if (buckets > k_max_buckets || first >= count) return {};
    const auto chains =
        read_table(tables.source, *at + sizeof head + words * 8 + buckets * 4, (count - first) * 4);
    first_hash = static_cast<std::size_t>(first);
    return chains ? *chains : std::string();
}

using NamedVersions = std::vector<std::pair<std::string_view, std::string_view>>;  // name, library

// Looks strings up in the string table, with a limit on the total number of bytes read.
class Names {
public:
    explicit Names(std::string_view strings)
        : m_strings(strings), m_left(strings.size() * k_names_to_table + (1u << 20)) {}

    std::optional<std::string_view> at(std::size_t place) {
        if (place >= m_strings.size()) return std::nullopt;
        const char* begin = m_strings.data() + place;
        const std::size_t limit =
            static_cast<std::size_t>(std::min<std::uint64_t>(m_strings.size() - place, m_left));
        const void* end = limit == 0 ? nullptr : std::memchr(begin, '\0', limit);
        if (!end) return std::nullopt;
        const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
        m_left -= length;
        return std::string_view(begin, length);
    }

private:
    std::string_view m_strings;
    std::uint64_t m_left;
};

bool name_versions(const std::vector<VersionRow>& rows, Names& names, NamedVersions& versions) {
    for (const VersionRow& row : rows) {
        if (row.index < 2) continue;  // 0 is local, 1 the library itself
        const auto name = names.at(row.name);
        const auto file = row.needed ? names.at(row.file) : std::string_view();
        if (!name || !file) return false;
        if (versions.size() <= row.index) versions.resize(row.index + std::size_t{1});
        versions[row.index] = {*name, *file};
    }
    return true;
}

enum class Kind { undefined, defined, neither };
Kind kind_of(const char* row) {
    const std::uint8_t info = static_cast<std::uint8_t>(row[4]), type = info & 0xf;
    const std::uint16_t section = load_u16(row + 6);
    if (info >> 4 == k_bind_local || type == k_section || type == k_file) return Kind::neither;
    if (section == k_shn_undef) return Kind::undefined;
    const int visibility = row[5] & 3;
    if (visibility == 1 || visibility == 2) return Kind::neither;  // internal, hidden
    if (load_u64(row + 8) == 0 && section != k_shn_abs && type != k_tls) return Kind::neither;
    return Kind::defined;
}

ElfSymbol describe(const ElfSymbolRows& table, std::size_t number, std::string_view name, Kind kind) {
    ElfSymbol symbol;
    symbol.name = name;
    symbol.weak = static_cast<std::uint8_t>(table.rows[number * k_symbol_row + 4]) >> 4 == k_bind_weak;
    if (table.row_versions.empty()) return symbol;
    const std::uint16_t version = load_u16(&table.row_versions[number * 2]);
    const std::size_t index = version & 0x7fff;
    if (index < table.versions.size()) {
        symbol.version = table.versions[index].first;
        if (kind == Kind::undefined) symbol.version_file = table.versions[index].second;
    }
    return symbol;
}

bool may_be_looked_for(const ElfSymbolRows& table, std::size_t number, const NameSieve* looked_for) {
    if (!looked_for || number < table.first_hash) return true;
    const std::size_t at = (number - table.first_hash) * 4;
    return at + 4 > table.hashes.size() || looked_for->may_hold(load_u32(&table.hashes[at]));
}

// False: a name is outside the table.
bool collect(const ElfSymbolRows& table, Names& names, Kind wanted, const NameSieve* looked_for,
             std::vector<ElfSymbol>& symbols) {
    for (std::size_t i = 1; i * k_symbol_row < table.rows.size(); ++i) {
        const char* row = table.rows.data() + i * k_symbol_row;
        if (kind_of(row) != wanted || !may_be_looked_for(table, i, looked_for)) continue;
        const auto name = names.at(load_u32(row));
        if (!name) return false;
        symbols.push_back(describe(table, i, *name, wanted));
    }
    return true;
}

void reserve_room(const std::string& rows, Kind wanted, std::vector<ElfSymbol>& symbols) {
    std::size_t count = 0;
    for (std::size_t at = k_symbol_row; at < rows.size(); at += k_symbol_row)
        count += kind_of(&rows[at]) == wanted;
    symbols.reserve(count);
}

// Always on the heap, so that views into it survive a move.
std::optional<Trouble> read_strings(const Tables& tables, std::string& strings) {
    constexpr std::size_t k_never_in_place = 256;
    const auto place = dynamic_strings(tables.source, tables.file, tables.entries);
    if (!place || place->size > k_max_strings) return damaged_table("has no readable table of names");
    strings.reserve(std::max<std::size_t>(static_cast<std::size_t>(place->size), k_never_in_place));
    strings.resize(static_cast<std::size_t>(place->size));
    if (!strings.empty() && !read_exactly(tables.source, place->offset, &strings[0], strings.size()))
        return damaged_table("ends within its table of names");
    return std::nullopt;
}

}  // namespace

Result<ElfSymbols> read_elf_symbols(const Source& source, const ElfFile& file) {
    ElfSymbols symbols;
    const auto entries = read_dynamic_entries(source, file);
    if (!entries) return entries.trouble();
    if (!value_of(*entries, k_dt_symtab)) return symbols;
    const Tables tables{source, file, *entries};
    const auto at = tables.offset(k_dt_symtab);
    const auto count = count_symbols(tables);
    if (!at || !count || *count > k_max_symbols) return damaged_table("does not say how many symbols it has");
    if (*count <= 1) return symbols;
    auto rows = read_table(source, *at, *count * k_symbol_row);
    if (!rows) return damaged_table("ends within its symbols");
    std::optional<std::string> row_versions = std::string();
    if (const auto versions_at = tables.offset(k_dt_versym))
        row_versions = read_table(source, *versions_at, *count * 2);
    if (!row_versions) return damaged_table("ends within the versions of its symbols");
    const auto version_rows = read_version_rows(source, file, *entries);
    if (!version_rows) return version_rows.trouble();
    if (auto trouble = read_strings(tables, symbols.strings)) return *trouble;

    Names names(symbols.strings);
    ElfSymbolRows table{std::move(*rows), std::move(*row_versions), {}, 0, {}};
    reserve_room(table.rows, Kind::undefined, symbols.undefined);
    if (!name_versions(*version_rows, names, table.versions) ||
        !collect(table, names, Kind::undefined, nullptr, symbols.undefined))
        return damaged_table(k_outside);
    table.hashes = gnu_hashes(tables, *count, table.first_hash);
    symbols.rest = std::move(table);
    return symbols;
}

std::uint32_t NameSieve::hash_of(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
}

std::optional<Trouble> add_defined(ElfSymbols& symbols, const NameSieve* looked_for) {
    Names names(symbols.strings);
    if (!looked_for) reserve_room(symbols.rest.rows, Kind::defined, symbols.defined);
    if (!collect(symbols.rest, names, Kind::defined, looked_for, symbols.defined))
        return damaged_table(k_outside);
    return std::nullopt;
}

}  // namespace ptxguard
