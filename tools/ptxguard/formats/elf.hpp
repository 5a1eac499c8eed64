// 64-bit little-endian ELF files: sections, what the dynamic loader reads, symbols. Every offset is checked;
// a malformed file gives an error, never a crash. Does not access a file system, so the caller sets the
// subject of each Trouble.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

constexpr std::uint16_t k_em_386 = 3, k_em_x86_64 = 62, k_em_aarch64 = 183, k_em_cuda = 190;
constexpr std::uint32_t k_sht_nobits = 8;

struct ElfSection {
    std::string name;  // at most 255 bytes
    std::uint32_t type = 0, link = 0, info = 0;
    std::uint64_t flags = 0, address = 0, offset = 0, size = 0, entry_size = 0;
};
struct ElfSegment {
    std::uint32_t type = 0, flags = 0;
    std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
};

struct ElfFile {
    std::uint16_t type = 0, machine = 0;
    std::uint32_t version = 0, flags = 0;
    std::vector<ElfSection>
        sections;  // empty if the headers were stripped; as written, may be outside the file
    std::vector<ElfSegment> segments;
    std::string
        trouble;  // "ends before its section headers do"; what could be read is kept. Empty = complete

    const ElfSection* section(std::string_view name) const;  // the first of that name; null = none
    // File offset of an address of the loaded file.
    std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
    // End of the loadable segments in the file; 0 = it has none.
    std::uint64_t end_of_load() const;
    // By PT_GNU_STACK, or on x86-64 by not having it, as the loader reads it.
    bool requests_executable_stack() const;
};

bool is_elf(std::string_view head);  // the first four bytes
// Class and machine of any ELF file, including 32-bit and big-endian ones: "x86_64", "aarch64", "x86", "arm",
// "ppc64le", "cuda"; empty if it is not an ELF file or the machine is not listed.
std::string elf_machine(std::string_view head);
Result<ElfFile> read_elf(const Source& source);
Result<ElfFile> read_elf_segments(const Source& source);  // without sections

// From the dynamic segment, as the loader reads it; sections are not used.
struct ElfNeededVersion {
    std::string file;     // "libc.so.6"
    std::string version;  // "GLIBC_2.34"
    bool weak = false;
};
struct ElfDynamic {
    std::string interpreter;  // of a program; empty = a library
    std::string soname;
    std::vector<std::string> needed;            // in file order
    std::optional<std::string> rpath, runpath;  // as written; rpath is ignored if runpath exists
    bool no_default_folders = false;            // DF_1_NODEFLIB
    bool is_dynamic = false;                    // false: a static program or an object file
    std::vector<ElfNeededVersion> needed_versions;
    std::vector<std::string> defined_versions;  // "libcublas.so.12"
};
Result<ElfDynamic> read_elf_dynamic(const Source& source, const ElfFile& file);
Result<ElfDynamic> read_elf_dynamic(const Source& source);  // if nothing else of the file is needed

// Dynamic symbols, for `ldd -r` without running anything.
struct ElfSymbol {
    std::string_view name;          // into ElfSymbols::strings
    std::string_view version;       // "GLIBC_2.34", "libcublas.so.12"; empty = none
    std::string_view version_file;  // for an undefined one: the library of that version
    bool weak = false;
};
// The buffers of the defined symbols.
struct ElfSymbolRows {
    std::string rows, row_versions;  // of the symbol table and DT_VERSYM, as in the file
    std::string hashes;              // chains of DT_GNU_HASH, starting at symbol `first_hash`; may be empty
    std::size_t first_hash = 0;
    std::vector<std::pair<std::string_view, std::string_view>> versions;  // by index: name, library
};
struct ElfSymbols {
    std::string strings;  // owns all strings
    std::vector<ElfSymbol> undefined, defined;
    ElfSymbolRows rest;
    ElfSymbols() = default;
    ElfSymbols(const ElfSymbols&) = delete;
    ElfSymbols& operator=(const ElfSymbols&) = delete;
    ElfSymbols(ElfSymbols&&) = default;
    ElfSymbols& operator=(ElfSymbols&&) = default;
};
// Only the undefined ones; add_defined does the rest.
Result<ElfSymbols> read_elf_symbols(const Source& source, const ElfFile& file);

// Names to search, filtered by the hash that DT_GNU_HASH has for every defined name: rejects most other names
// without reading their strings.
class NameSieve {
public:
    static std::uint32_t hash_of(std::string_view name);
    void add(std::uint32_t hash) { m_bits[place(hash)] |= bit(hash); }
    bool may_hold(std::uint32_t hash) const { return (m_bits[place(hash)] & bit(hash)) != 0; }

private:
    // The file does not store the lowest bit of a hash.
    static constexpr std::uint32_t k_words = 1u << 14;
    static std::size_t place(std::uint32_t hash) { return (hash >> 7) % k_words; }
    static std::uint64_t bit(std::uint32_t hash) { return std::uint64_t{1} << ((hash >> 1) & 63); }

    std::vector<std::uint64_t> m_bits = std::vector<std::uint64_t>(k_words);
};
// Fills `defined`: all, or those with requested names. Without DT_GNU_HASH, all.
std::optional<Trouble> add_defined(ElfSymbols& symbols, const NameSieve* looked_for = nullptr);

// Finds one exported symbol of an ELF file through its hash table in a few small reads, for any number of
// symbols.
struct ElfPlace {
    std::uint64_t offset = 0, size = 0;  // in the file; the size is the one in the symbol
};
// Where the content of a defined symbol is (the first of that name, in any version); nothing if there is none
// or its content is not in the file.
std::optional<ElfPlace> find_elf_symbol(const Source& source, const ElfFile& file, std::string_view name);

}  // namespace ptxguard
