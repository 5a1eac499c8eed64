// Headers and section table of a PE file in three reads.
// SPDX-License-Identifier: Apache-2.0
#include "formats/pe.hpp"

#include <algorithm>

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
        case 0x8664:
            return "x86_64";
        case 0x014c:
            return "x86";
        case 0xaa64:
            return "aarch64";
        case 0x01c4:
            return "arm";
        default:
            return {};
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

}  // namespace ptxguard
