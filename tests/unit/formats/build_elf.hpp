// Small 64-bit ELF files made by code, so that a test shows which field is odd. Addresses differ from
// offsets: a reader that confuses them finds nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace built {

inline void put(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t width) {
    if (bytes.size() < at + width) bytes.resize(at + width, '\0');
    for (std::size_t i = 0; i < width; ++i, value >>= 8) bytes[at + i] = static_cast<char>(value);
}
inline void add(std::string& bytes, std::uint64_t value, std::size_t width) {
    put(bytes, bytes.size(), value, width);
}

struct Elf {
    struct NeededVersion {
        std::string file, version;
        std::uint16_t index = 2;
        bool weak = false;
    };
    struct DefinedVersion {
        std::string name;
        std::uint16_t index = 1, flags = 0;
    };
    struct Symbol {
        std::string name;
        std::uint16_t section = 0;  // 0 = undefined
        std::uint16_t version = 1;  // as in .gnu.version
        std::uint8_t info = 0x12;   // global function
        std::uint8_t other = 0;
        std::uint64_t value = 0x100;
    };

    std::uint16_t type = 3, machine = 62;
    std::string interpreter, soname;
    std::vector<std::string> needed;
    std::optional<std::string> rpath, runpath;
    std::uint64_t flags_1 = 0;
    std::vector<NeededVersion> needed_versions;  // those of one file are adjacent
    std::vector<DefinedVersion> defined_versions;
    std::vector<Symbol> symbols;           // undefined ones first, as linkers do
    std::vector<std::uint32_t> relocated;  // indices of symbols, as .rela.plt names them
    std::optional<std::uint32_t> stack =
        6;  // flags of PT_GNU_STACK: readable and writable; none = no segment
    bool sysv_hash = true, gnu_hash = false, section_headers = true, dynamic = true;
    std::vector<std::pair<std::string, std::string>> sections;  // name, bytes
    std::map<std::string, std::size_t> at;                      // where the parts are, after build()

    std::string build();

private:
    static constexpr std::uint64_t k_base = 0x400000;  // address of offset 0
    std::string m_bytes, m_strings{std::string(1, '\0')};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_tags;

    std::uint64_t text(const std::string& word) {
        const std::size_t found = m_strings.find(word + '\0');
        if (found != std::string::npos) return found;
        m_strings += word + '\0';
        return m_strings.size() - word.size() - 1;
    }
    void lay(const std::string& name, const std::string& bytes, std::uint64_t tag = 0) {
        m_bytes.resize((m_bytes.size() + 7) / 8 * 8, '\0');
        at[name] = m_bytes.size();
        if (tag != 0) m_tags.emplace_back(tag, k_base + m_bytes.size());
        m_bytes += bytes;
    }
    std::string symbol_table(), needs(), definitions(), gnu_table();
    void lay_dynamic();
    void lay_sections();
    void lay_headers(std::size_t end_of_load);
};

inline std::string Elf::symbol_table() {
    std::string table(24, '\0');
    for (const Symbol& symbol : symbols) {
        add(table, text(symbol.name), 4);
        add(table, symbol.info, 1);
        add(table, symbol.other, 1);
        add(table, symbol.section, 2);
        add(table, symbol.section == 0 ? 0 : symbol.value, 8);
        add(table, 8, 8);
    }
    return table;
}

inline std::string Elf::needs() {
    std::string table;
    for (std::size_t i = 0; i < needed_versions.size();) {
        std::size_t end = i;
        while (end < needed_versions.size() && needed_versions[end].file == needed_versions[i].file) ++end;
        add(table, 1, 2);
        add(table, end - i, 2);
        add(table, text(needed_versions[i].file), 4);
        add(table, 16, 4);
        add(table, end == needed_versions.size() ? 0 : 16 + (end - i) * 16, 4);
        for (; i < end; ++i) {
            add(table, 0, 4);
            add(table, needed_versions[i].weak ? 2 : 0, 2);
            add(table, needed_versions[i].index, 2);
            add(table, text(needed_versions[i].version), 4);
            add(table, i + 1 == end ? 0 : 16, 4);
        }
    }
    return table;
}

inline std::string Elf::definitions() {
    std::string table;
    for (const DefinedVersion& version : defined_versions) {
        add(table, 1, 2);
        add(table, version.flags, 2);
        add(table, version.index, 2);
        add(table, 1, 2);
        add(table, 0, 4);
        add(table, 20, 4);
        add(table, &version == &defined_versions.back() ? 0 : 28, 4);
        add(table, text(version.name), 4);
        add(table, 0, 4);
    }
    return table;
}

// One bucket, so that the order of the symbols is kept.
inline std::string Elf::gnu_table() {
    std::size_t first = 1;
    while (first <= symbols.size() && symbols[first - 1].section == 0) ++first;
    const bool none = first > symbols.size();
    std::string table;
    add(table, 1, 4);
    add(table, none ? 1 : first, 4);
    add(table, 1, 4);
    add(table, 0, 4);
    add(table, ~std::uint64_t{0}, 8);
    add(table, none ? 0 : first, 4);
    for (std::size_t i = first; i <= symbols.size(); ++i) {
        std::uint32_t hash = 5381;
        for (const char c : symbols[i - 1].name) hash = hash * 33 + static_cast<unsigned char>(c);
        add(table, (hash & ~1u) | (i == symbols.size() ? 1 : 0), 4);
    }
    return table;
}

inline void Elf::lay_dynamic() {
    for (const std::string& name : needed) m_tags.emplace_back(1, text(name));
    if (!soname.empty()) m_tags.emplace_back(14, text(soname));
    if (rpath) m_tags.emplace_back(15, text(*rpath));
    if (runpath) m_tags.emplace_back(29, text(*runpath));
    if (flags_1 != 0) m_tags.emplace_back(0x6ffffffb, flags_1);
    if (!symbols.empty()) {
        lay("dynsym", symbol_table(), 6);
        std::string versions(2, '\0');
        for (const Symbol& symbol : symbols) add(versions, symbol.version, 2);
        if (!needed_versions.empty() || !defined_versions.empty()) lay("versym", versions, 0x6ffffff0);
        if (gnu_hash) lay("gnu_hash", gnu_table(), 0x6ffffef5);
        std::string hash;
        add(hash, 1, 4);
        add(hash, symbols.size() + 1, 4);
        hash.resize(hash.size() + 4 * (symbols.size() + 2), '\0');
        if (sysv_hash) lay("hash", hash, 4);
    }
    if (!relocated.empty()) {
        std::string rows;
        for (const std::uint32_t symbol : relocated) {
            add(rows, k_base, 8);
            add(rows, std::uint64_t{symbol} << 32 | 7, 8);
            add(rows, 0, 8);
        }
        lay("rela", rows, 23);
        m_tags.emplace_back(2, rows.size());
    }
    if (!needed_versions.empty()) {
        lay("verneed", needs(), 0x6ffffffe);
        m_tags.emplace_back(0x6fffffff, 1);
    }
    if (!defined_versions.empty()) {
        lay("verdef", definitions(), 0x6ffffffc);
        m_tags.emplace_back(0x6ffffffd, defined_versions.size());
    }
    lay("dynstr", m_strings, 5);
    m_tags.emplace_back(10, m_strings.size());
    std::string table;
    for (const auto& [tag, value] : m_tags) {
        add(table, tag, 8);
        add(table, value, 8);
    }
    table.resize(table.size() + 16, '\0');
    lay("dynamic", table);
    at["dynamic_end"] = m_bytes.size();
}

inline void Elf::lay_sections() {
    std::string names(1, '\0'), rows(64, '\0');
    const auto row = [&](const std::string& name, std::uint32_t kind, std::size_t begin, std::size_t size) {
        const std::size_t start = rows.size();
        put(rows, start, names.size(), 4);
        put(rows, start + 4, kind, 4);
        put(rows, start + 16, k_base + begin, 8);
        put(rows, start + 24, begin, 8);
        put(rows, start + 32, size, 8);
        put(rows, start + 56, 0, 8);
        names += name + '\0';
    };
    for (const auto& [name, bytes] : sections) row(name, 1, at[name], bytes.size());
    if (at.count("dynsym") != 0) row(".dynsym", 11, at["dynsym"], 24 * (symbols.size() + 1));
    if (at.count("dynstr") != 0) row(".dynstr", 3, at["dynstr"], m_strings.size());
    const std::string own = ".shstrtab";
    const std::size_t size = names.size() + own.size() + 1;
    m_bytes.resize((m_bytes.size() + 7) / 8 * 8, '\0');
    row(own, 3, m_bytes.size(), size);
    lay("shstrtab", names);
    lay("shdr", rows);
}

inline void Elf::lay_headers(std::size_t end_of_load) {
    std::string head = "\177ELF\x02\x01\x01";
    head.resize(16, '\0');
    add(head, type, 2);
    add(head, machine, 2);
    add(head, 1, 4);
    add(head, 0, 8);
    const std::size_t others = dynamic ? (interpreter.empty() ? 2 : 3) : 0;
    const std::size_t segments = others + (dynamic && stack ? 1 : 0);
    add(head, segments == 0 ? 0 : 64, 8);
    add(head, section_headers ? at["shdr"] : 0, 8);
    add(head, 0, 4);
    const std::size_t rows = section_headers ? (m_bytes.size() - at["shdr"]) / 64 : 0;
    for (const std::size_t value :
         {std::size_t{64}, std::size_t{56}, segments, std::size_t{64}, rows, rows == 0 ? 0 : rows - 1})
        add(head, value, 2);
    m_bytes.replace(0, 64, head);
    const auto segment = [&](std::size_t i, std::uint32_t kind, std::size_t begin, std::size_t size) {
        const std::size_t start = 64 + i * 56;
        put(m_bytes, start, kind, 4);
        put(m_bytes, start + 4, 4, 4);
        put(m_bytes, start + 8, begin, 8);
        put(m_bytes, start + 16, k_base + begin, 8);
        put(m_bytes, start + 24, k_base + begin, 8);
        put(m_bytes, start + 32, size, 8);
        put(m_bytes, start + 40, size, 8);
        put(m_bytes, start + 48, 8, 8);
    };
    if (segments > 0) segment(0, 1, 0, end_of_load);
    if (segments > 0) segment(1, 2, at["dynamic"], at["dynamic_end"] - at["dynamic"]);
    if (others > 2) segment(2, 3, at["interp"], interpreter.size() + 1);
    if (segments > others) {
        segment(others, 0x6474e551, 0, 0);
        put(m_bytes, 64 + others * 56 + 4, *stack, 4);
    }
}

inline std::string Elf::build() {
    m_bytes.assign(64 + (dynamic ? 4 * 56 : 0), '\0');
    if (!interpreter.empty()) lay("interp", interpreter + '\0');
    if (dynamic) lay_dynamic();
    for (const auto& [name, bytes] : sections) lay(name, bytes);
    const std::size_t end_of_load = m_bytes.size();
    if (section_headers) lay_sections();
    lay_headers(end_of_load);
    return m_bytes;
}

}  // namespace built
