// Header, segments and sections of an ELF file in four reads. A damaged table loses only its own content: the
// loader needs only the segments, a linker only the sections.
// SPDX-License-Identifier: Apache-2.0
#include "formats/elf.hpp"

#include <algorithm>

#include "formats/window.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_header_size = 64, k_section_row = 64, k_segment_row = 56;
constexpr std::uint64_t k_max_elf_sections = 1u << 18, k_max_segments = 1u << 16;
constexpr std::size_t k_max_section_name = 255;
constexpr std::size_t k_whole_names =
    1u << 20;  // larger name tables (LLVM's objects: all symbols) are read by name
constexpr std::uint32_t k_pt_load = 1, k_sht_strtab = 3;
constexpr std::uint16_t k_many_segments = 0xffff, k_many_sections = 0xffff;

struct Header {
    std::uint64_t segments_at = 0, sections_at = 0;
    std::uint64_t segment_count = 0, section_count = 0, names_index = 0;
    std::uint16_t segment_row = 0, section_row = 0;
};

struct MachineName {
    std::uint16_t machine;
    const char* name64;
    const char* name32;
};
constexpr MachineName k_machine_names[] = {
    {k_em_x86_64, "x86_64", "x32"},
    {k_em_386, "", "x86"},
    {k_em_aarch64, "aarch64", "aarch64_ilp32"},
    {40, "", "arm"},
    {k_em_cuda, "cuda", "cuda"},
    {243, "riscv64", "riscv32"},
    {22, "s390x", "s390"},
    {258, "loongarch64", "loongarch32"},
};

void trouble(ElfFile& file, const char* text) {
    if (file.trouble.empty()) file.trouble = text;
}

ElfSection section_from(const char* row) {
    ElfSection section;
    section.type = load_u32(row + 4);
    section.flags = load_u64(row + 8);
    section.address = load_u64(row + 16);
    section.offset = load_u64(row + 24);
    section.size = load_u64(row + 32);
    section.link = load_u32(row + 40);
    section.info = load_u32(row + 44);
    section.entry_size = load_u64(row + 56);
    return section;
}

// Counts above 65,279 are in the first section header.
void read_large_counts(const Source& source, Header& header) {
    char row[k_section_row];
    const bool wanted = (header.section_count == 0 && header.sections_at != 0) ||
                        header.segment_count == k_many_segments || header.names_index == k_many_sections;
    if (!wanted || header.section_row != k_section_row ||
        !read_exactly(source, header.sections_at, row, sizeof row))
        return;
    const ElfSection first = section_from(row);
    if (header.section_count == 0) header.section_count = first.size;
    if (header.segment_count == k_many_segments && first.info != 0) header.segment_count = first.info;
    if (header.names_index == k_many_sections) header.names_index = first.link;
}

void read_segments(const Source& source, const Header& header, ElfFile& file) {
    if (header.segment_count == 0) return;
    if (header.segment_row != k_segment_row || header.segment_count > k_max_segments)
        return trouble(file, "has program headers of an unknown form");
    std::string table(static_cast<std::size_t>(header.segment_count) * k_segment_row, '\0');
    if (table.size() > source.size || !read_exactly(source, header.segments_at, &table[0], table.size()))
        return trouble(file, "ends before its program headers do");
    file.segments.reserve(static_cast<std::size_t>(header.segment_count));
    for (const char* row = table.data(); row != table.data() + table.size(); row += k_segment_row) {
        ElfSegment segment;
        segment.type = load_u32(row);
        segment.flags = load_u32(row + 4);
        segment.offset = load_u64(row + 8);
        segment.address = load_u64(row + 16);
        segment.file_size = load_u64(row + 32);
        segment.memory_size = load_u64(row + 40);
        file.segments.push_back(segment);
    }
}

void name_sections(const Source& source, const std::string& table, std::uint64_t names_index, ElfFile& file) {
    if (names_index == 0) return;  // the sections may have no names
    if (names_index >= file.sections.size()) return trouble(file, "has section names outside its sections");
    if (file.sections[static_cast<std::size_t>(names_index)].type != k_sht_strtab)
        return trouble(file, "has section names that are none");
    const std::uint64_t begin = file.sections[static_cast<std::size_t>(names_index)].offset;
    const std::uint64_t size = file.sections[static_cast<std::size_t>(names_index)].size;
    if (begin > source.size || size > source.size - begin)
        return trouble(file, "ends before its section names do");
    const Source names = part_of(source, begin, size);
    Window window(names, static_cast<std::size_t>(size <= k_whole_names ? size : k_max_section_name + 1));
    if (size > 0 && size <= k_whole_names && !window.at(0, static_cast<std::size_t>(size)))
        return trouble(file, "ends before its section names do");
    for (std::size_t i = 0; i < file.sections.size(); ++i) {
        const std::uint64_t at = load_u32(table.data() + i * k_section_row);
        if (at >= size) continue;
        const std::size_t length =
            static_cast<std::size_t>(std::min<std::uint64_t>(size - at, k_max_section_name));
        if (const char* name = window.at(at, length))
            file.sections[i].name.assign(name, std::find(name, name + length, '\0'));
    }
}

void read_sections(const Source& source, const Header& header, ElfFile& file) {
    if (header.sections_at == 0 || header.section_count == 0) return;
    if (header.section_row != k_section_row || header.section_count > k_max_elf_sections)
        return trouble(file, "has section headers of an unknown form");
    if (header.section_count * k_section_row > source.size)
        return trouble(file, "ends before its section headers do");
    std::string table(static_cast<std::size_t>(header.section_count) * k_section_row, '\0');
    if (!read_exactly(source, header.sections_at, &table[0], table.size()))
        return trouble(file, "ends before its section headers do");
    file.sections.reserve(static_cast<std::size_t>(header.section_count));
    for (const char* row = table.data(); row != table.data() + table.size(); row += k_section_row)
        file.sections.push_back(section_from(row));
    name_sections(source, table, header.names_index, file);
}

Result<ElfFile> read(const Source& source, bool with_sections) {
    const std::string bytes = read_bytes(source, 0, k_header_size);
    if (!is_elf(bytes)) return Trouble{{}, "is not an ELF file", {}};
    if (bytes.size() < 20) return Trouble{{}, "ends within its ELF header", {}};
    const std::string machine = elf_machine(bytes);
    if (bytes[4] != 2 || bytes[5] != 1)
        return Trouble{{}, "is an ELF file that is not 64-bit little-endian", machine};
    if (bytes.size() < k_header_size) return Trouble{{}, "ends within its ELF header", {}};

    const char* at = bytes.data();
    ElfFile file;
    file.type = load_u16(at + 16);
    file.machine = load_u16(at + 18);
    file.version = load_u32(at + 20);
    file.flags = load_u32(at + 48);
    Header header;
    header.segments_at = load_u64(at + 32);
    header.sections_at = load_u64(at + 40);
    header.segment_row = load_u16(at + 54);
    header.segment_count = load_u16(at + 56);
    header.section_row = load_u16(at + 58);
    header.section_count = load_u16(at + 60);
    header.names_index = load_u16(at + 62);
    read_large_counts(source, header);
    read_segments(source, header, file);
    if (with_sections) read_sections(source, header, file);
    return file;
}

}  // namespace

const ElfSection* ElfFile::section(std::string_view name) const {
    return first_where(sections, [&](const ElfSection& section) { return section.name == name; });
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
    for (const ElfSegment& segment : segments) {
        if (segment.type != k_pt_load || address < segment.address ||
            address - segment.address >= segment.file_size)
            continue;
        const std::uint64_t delta = address - segment.address;
        if (segment.offset > UINT64_MAX - delta) return std::nullopt;
        return segment.offset + delta;
    }
    return std::nullopt;
}

std::uint64_t ElfFile::end_of_load() const {
    std::uint64_t end = 0;
    for (const ElfSegment& segment : segments) {
        if (segment.type != k_pt_load) continue;
        const std::uint64_t left = UINT64_MAX - segment.offset;
        end = std::max(end, segment.offset + std::min(segment.file_size, left));
    }
    return end;
}

bool ElfFile::requests_executable_stack() const {
    constexpr std::uint32_t k_pt_gnu_stack = 0x6474e551, k_executable = 1;
    for (const ElfSegment& segment : segments)
        if (segment.type == k_pt_gnu_stack) return (segment.flags & k_executable) != 0;
    return machine == k_em_x86_64 && !segments.empty();
}

bool is_elf(std::string_view head) { return head.substr(0, 4) == std::string_view("\177ELF", 4); }

namespace {

std::string name_of_machine(std::uint16_t machine, bool is_64, bool big) {
    constexpr std::uint16_t k_em_ppc = 20, k_em_ppc64 = 21, k_em_arm = 40;
    if (machine == k_em_ppc64 && is_64) return big ? "ppc64" : "ppc64le";
    if (machine == k_em_ppc && !is_64) return big ? "ppc" : "ppcle";
    for (const MachineName& known : k_machine_names) {
        if (known.machine != machine) continue;
        std::string name = is_64 ? known.name64 : known.name32;
        if (big && machine == k_em_aarch64) name += "_be";
        if (big && machine == k_em_arm && !name.empty()) name += "eb";
        return name;
    }
    return {};
}

}  // namespace

std::string elf_machine(std::string_view head) {
    if (!is_elf(head) || head.size() < 20 || (head[4] != 1 && head[4] != 2) || (head[5] != 1 && head[5] != 2))
        return {};
    const bool is_64 = head[4] == 2, big = head[5] == 2;
    std::uint16_t machine = load_u16(head.data() + 18);
    if (big) machine = static_cast<std::uint16_t>(machine >> 8 | machine << 8);
    return name_of_machine(machine, is_64, big);
}

Result<ElfFile> read_elf(const Source& source) { return read(source, true); }

Result<ElfFile> read_elf_segments(const Source& source) { return read(source, false); }

}  // namespace ptxguard
