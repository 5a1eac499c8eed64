// DT_GNU_HASH: a Bloom filter, buckets, and chains of hash values whose lowest bit marks the end. DT_HASH:
// buckets and links. Chains are followed at most to the end of the symbol table, so a damaged one ends.
// SPDX-License-Identifier: Apache-2.0
#include "formats/elf.hpp"

#include "formats/elf_tables.hpp"

namespace ptxguard {
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
