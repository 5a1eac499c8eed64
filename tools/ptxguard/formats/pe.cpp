// Headers and section table of a PE file in three reads.
// SPDX-License-Identifier: Apache-2.0
#include "formats/pe.hpp"

#include <algorithm>

#include "formats/window.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_dos_header = 64, k_file_header = 24, k_pe_section_row = 40;
constexpr std::size_t k_directories_64 = 112,
                      k_directories_32 = 96;  // where they start in the optional header
constexpr std::size_t k_max_directories = 16;
constexpr std::size_t k_max_pe_sections = 1024;  // Windows loads at most 96
constexpr std::uint16_t k_pe32 = 0x10b, k_pe32_plus = 0x20b;
constexpr std::uint16_t k_dll_flag = 0x2000;

// "PE\0\0" and the file header; empty if there is none.
std::string file_header(const Source& source, std::uint64_t& at) {
    const std::string dos = read_bytes(source, 0, k_dos_header);
    if (dos.size() < k_dos_header || dos.compare(0, 2, "MZ") != 0) return {};
    at = load_u32(dos.data() + 0x3c);
    std::string header = read_bytes(source, at, k_file_header);
    if (header.size() < k_file_header || header.compare(0, 4, std::string("PE\0\0", 4)) != 0) return {};
    return header;
}

PeSection section_from(const char* row, std::uint64_t file_size) {
    PeSection section;
    section.name.assign(row, std::find(row, row + 8, '\0'));
    section.virtual_size = load_u32(row + 8);
    section.address = load_u32(row + 12);
    const std::uint32_t raw_size = load_u32(row + 16);
    section.offset = load_u32(row + 20);
    section.flags = load_u32(row + 36);
    // Old linkers set the virtual size to 0.
    section.size = section.virtual_size == 0 ? raw_size : std::min(section.virtual_size, raw_size);
    if (section.offset == 0) section.size = 0;  // not in the file (.bss)
    section.size = section.offset >= file_size ? 0 : std::min(section.size, file_size - section.offset);
    return section;
}

// False: it ends early or is not PE32 or PE32+.
bool read_optional_header(const std::string& bytes, PeFile& file) {
    if (bytes.size() < 2) return false;
    const std::uint16_t magic = load_u16(bytes.data());
    if (magic != k_pe32 && magic != k_pe32_plus) return false;
    file.is_64 = magic == k_pe32_plus;
    const std::size_t at = file.is_64 ? k_directories_64 : k_directories_32;
    if (bytes.size() < at) return false;
    file.image_base = file.is_64 ? load_u64(bytes.data() + 24) : load_u32(bytes.data() + 28);
    const std::size_t count =
        std::min<std::size_t>({load_u32(bytes.data() + at - 4), k_max_directories, (bytes.size() - at) / 8});
    for (std::size_t i = 0; i < count; ++i)
        file.directories.emplace_back(load_u32(bytes.data() + at + i * 8),
                                      load_u32(bytes.data() + at + i * 8 + 4));
    return true;
}

}  // namespace

std::optional<std::uint64_t> PeFile::offset_of(std::uint32_t address) const {
    for (const PeSection& section : sections)
        if (address >= section.address && address - section.address < section.size)
            return section.offset + (address - section.address);
    return std::nullopt;
}

std::string pe_machine(std::uint16_t machine) {
    switch (machine) {
        case 0x8664: return "x86_64";
        case 0x014c: return "x86";
        case 0xaa64: return "aarch64";
        case 0x01c4: return "arm";
        default: return {};
    }
}

bool is_pe(const Source& source) {
    std::uint64_t at = 0;
    return !file_header(source, at).empty();
}

Result<PeFile> read_pe(const Source& source) {
    std::uint64_t at = 0;
    const std::string header = file_header(source, at);
    if (header.empty()) return Trouble{{}, "is not a PE file", {}};
    PeFile file;
    file.machine = load_u16(header.data() + 4);
    file.is_dll = (load_u16(header.data() + 22) & k_dll_flag) != 0;
    const std::size_t section_count = load_u16(header.data() + 6),
                      optional_size = load_u16(header.data() + 20);
    if (section_count > k_max_pe_sections)
        return Trouble{{}, "has more sections than Windows would load", {}};
    at += k_file_header;
    const std::string optional_header = read_bytes(source, at, optional_size);
    if (optional_header.size() < optional_size) return Trouble{{}, "ends within its PE header", {}};
    if (!read_optional_header(optional_header, file))
        return Trouble{{}, "has a PE header of an unknown form", {}};
    at += optional_size;
    const std::string table = read_bytes(source, at, section_count * k_pe_section_row);
    if (table.size() < section_count * k_pe_section_row)
        return Trouble{{}, "ends before its section headers do", {}};
    file.sections.reserve(section_count);
    for (std::size_t i = 0; i < section_count; ++i)
        file.sections.push_back(section_from(table.data() + i * k_pe_section_row, source.size));
    return file;
}

// Imports and exports of a PE file. Tables are read through windows; the total cost of names is bounded,
// because many rows can point to one string.

namespace {

constexpr std::size_t k_exports = 0, k_imports = 1, k_delay_imports = 13;  // numbers of directories
constexpr std::size_t k_import_row = 20, k_delay_row = 32, k_export_row = 40;
constexpr std::size_t k_max_dlls = 4096, k_max_symbol = 1u << 16, k_max_dll_name = 1024;
constexpr std::uint64_t k_max_exports = 1u << 20;
constexpr std::size_t k_max_bytes_of_names = 64u << 20;
constexpr std::size_t k_table_reach = 1u << 16;  // names farther apart need a smaller read each

struct DllReader {
    DllReader(const Source& source, const PeFile& pe)
        : file(pe), rows(source), thunks(source, k_table_reach), texts(source) {}

    const PeFile& file;
    Window rows, thunks, texts;
    std::size_t left = k_max_bytes_of_names;

    std::optional<std::string> text(std::uint64_t address, std::size_t limit) {
        const auto offset =
            address <= UINT32_MAX ? file.offset_of(static_cast<std::uint32_t>(address)) : std::nullopt;
        auto found = offset ? texts.text(*offset, limit) : std::nullopt;
        if (!found || found->size() + sizeof(std::string) > left) return std::nullopt;
        left -= found->size() + sizeof(std::string);
        return found;
    }
};

std::optional<std::uint64_t> directory_offset(const PeFile& file, std::size_t number) {
    if (number >= file.directories.size() || file.directories[number].first == 0) return std::nullopt;
    return file.offset_of(file.directories[number].first);
}
bool has_directory(const PeFile& file, std::size_t number) {
    return number < file.directories.size() && file.directories[number].first != 0;
}

// The names in a table of thunks. `base` is subtracted from each address (in old delay imports, which do not
// contain RVAs).
bool read_thunks(DllReader& reader, std::uint64_t table, std::uint64_t base,
                 std::vector<std::string>& names) {
    const std::size_t width = reader.file.is_64 ? 8 : 4;
    const auto offset =
        table <= UINT32_MAX ? reader.file.offset_of(static_cast<std::uint32_t>(table)) : std::nullopt;
    if (!offset) return false;
    for (std::uint64_t at = *offset;; at += width) {
        const char* thunk = reader.thunks.at(at, width);
        if (!thunk) return false;
        const std::uint64_t value = width == 8 ? load_u64(thunk) : load_u32(thunk);
        if (value == 0) return true;
        if (value >> (width * 8 - 1) != 0) {
            if (reader.left < sizeof(std::string)) return false;
            reader.left -= sizeof(std::string);
            names.push_back("#" + std::to_string(value & 0xffff));
            continue;
        }
        auto name = reader.text(value - base + 2, k_max_symbol);  // after a hint of two bytes
        if (!name) return false;
        names.push_back(std::move(*name));
    }
}

bool read_imports(DllReader& reader, std::vector<PeImport>& imports) {
    if (!has_directory(reader.file, k_imports)) return true;
    const auto offset = directory_offset(reader.file, k_imports);
    for (std::uint64_t at = offset.value_or(0); offset; at += k_import_row) {
        if (imports.size() == k_max_dlls) return false;
        const char* row = reader.rows.at(at, k_import_row);
        if (!row) return false;
        const std::uint32_t lookup = load_u32(row), name = load_u32(row + 12), addresses = load_u32(row + 16);
        if (name == 0 || addresses == 0) return true;
        auto dll = reader.text(name, k_max_dll_name);
        if (!dll) return false;
        imports.push_back({std::move(*dll), false, {}});
        if (!read_thunks(reader, lookup != 0 ? lookup : addresses, 0, imports.back().names)) return false;
    }
    return false;
}

bool read_delay_imports(DllReader& reader, std::vector<PeImport>& imports) {
    if (!has_directory(reader.file, k_delay_imports)) return true;
    const auto offset = directory_offset(reader.file, k_delay_imports);
    for (std::uint64_t at = offset.value_or(0); offset; at += k_delay_row) {
        if (imports.size() == k_max_dlls) return false;
        const char* row = reader.rows.at(at, k_delay_row);
        if (!row) return false;
        const std::uint32_t attributes = load_u32(row), name = load_u32(row + 4), lookup = load_u32(row + 16);
        if (name == 0) return true;
        // Visual C++ 6 wrote addresses instead of RVAs.
        const std::uint64_t base = (attributes & 1) != 0 ? 0 : reader.file.image_base;
        auto dll = reader.text(name - base, k_max_dll_name);
        if (!dll) return false;
        imports.push_back({std::move(*dll), true, {}});
        if (!read_thunks(reader, lookup - base, base, imports.back().names)) return false;
    }
    return false;
}

// A table of numbers that the export directory refers to.
std::optional<std::string> read_numbers(const Source& source, const PeFile& file, std::uint32_t address,
                                        std::uint64_t count, std::size_t width) {
    if (count == 0) return std::string();
    const auto offset = file.offset_of(address);
    if (!offset || count > k_max_exports || count * width > source.size) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(count) * width, '\0');
    if (!read_exactly(source, *offset, &bytes[0], bytes.size())) return std::nullopt;
    return bytes;
}

struct ExportTables {
    std::uint32_t base = 0;
    std::string functions, names, indices;  // 4, 4 and 2 bytes each
};

std::optional<ExportTables> read_export_tables(const Source& source, const PeFile& file, const char* row) {
    ExportTables tables;
    tables.base = load_u32(row + 16);
    const std::uint32_t names = load_u32(row + 24);
    auto functions = read_numbers(source, file, load_u32(row + 28), load_u32(row + 20), 4);
    auto addresses = read_numbers(source, file, load_u32(row + 32), names, 4);
    auto indices = read_numbers(source, file, load_u32(row + 36), names, 2);
    if (!functions || !addresses || !indices) return std::nullopt;
    tables.functions = std::move(*functions);
    tables.names = std::move(*addresses);
    tables.indices = std::move(*indices);
    return tables;
}

bool read_export_names(DllReader& reader, const ExportTables& tables, PeExports& exports) {
    const std::size_t functions = tables.functions.size() / 4;
    exports.names.reserve(tables.names.size() / 4);
    for (std::size_t i = 0; i < tables.names.size() / 4; ++i) {
        const std::size_t index = load_u16(&tables.indices[i * 2]);
        if (index >= functions) return false;
        auto name = reader.text(load_u32(&tables.names[i * 4]), k_max_symbol);
        if (!name) return false;
        if (load_u32(&tables.functions[index * 4]) != 0) exports.names.push_back(std::move(*name));
    }
    std::sort(exports.names.begin(), exports.names.end());
    return true;
}

}  // namespace

Result<std::vector<PeImport>> read_pe_imports(const Source& source, const PeFile& file) {
    std::vector<PeImport> imports;
    DllReader reader(source, file);
    if (!read_imports(reader, imports)) return Trouble{{}, "has a damaged table of imports", {}};
    if (!read_delay_imports(reader, imports))
        return Trouble{{}, "has a damaged table of delayed imports", {}};
    return imports;
}

Result<PeExports> read_pe_exports(const Source& source, const PeFile& file) {
    PeExports exports;
    if (!has_directory(file, k_exports)) return exports;
    const Trouble damaged{{}, "has a damaged table of exports", {}};
    const auto offset = directory_offset(file, k_exports);
    char row[k_export_row];
    if (!offset || !read_exactly(source, *offset, row, sizeof row)) return damaged;
    const auto tables = read_export_tables(source, file, row);
    DllReader reader(source, file);
    auto dll = reader.text(load_u32(row + 12), k_max_dll_name);
    if (!tables || !dll) return damaged;
    exports.dll = std::move(*dll);
    for (std::size_t i = 0; i < tables->functions.size() / 4; ++i)
        if (load_u32(&tables->functions[i * 4]) != 0)
            exports.ordinals.push_back(tables->base + static_cast<std::uint32_t>(i));
    if (!read_export_names(reader, *tables, exports)) return damaged;
    return exports;
}

}  // namespace ptxguard
