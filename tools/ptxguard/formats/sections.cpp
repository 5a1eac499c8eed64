// Section tables of ELF and PE files, read just far enough to know where constants and names lie; every offset is
// checked against the file's size.
// SPDX-License-Identifier: Apache-2.0
#include "formats/sections.hpp"

#include <cstring>

namespace ptxguard {
namespace {

constexpr std::size_t k_max_sections = 4096;
constexpr std::size_t k_max_name_table = 1u << 20;

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t width) {
    if (at > bytes.size() || bytes.size() - at < width) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::optional<ByteRange> checked(std::uint64_t begin, std::uint64_t length, std::uint64_t size) {
    if (length == 0 || begin >= size || length > size - begin) return std::nullopt;
    return ByteRange{begin, begin + length};
}

std::optional<ByteRange> pe_rdata(const ReadAt& read, std::uint64_t size, std::string_view head) {
    const std::uint64_t start = little(head, 0x3c, 4);
    if (start == 0 || start >= size) return std::nullopt;
    const std::string header = read(start, 24);
    if (header.size() < 24 || header.compare(0, 4, std::string("PE\0\0", 4)) != 0) return std::nullopt;
    const std::size_t count = static_cast<std::size_t>(little(header, 6, 2));
    if (count > k_max_sections) return std::nullopt;
    const std::string table = read(start + 24 + little(header, 20, 2), count * 40);
    for (std::size_t at = 0; at + 40 <= table.size(); at += 40) {
        if (table.compare(at, 8, std::string(".rdata\0\0", 8)) != 0) continue;
        return checked(little(table, at + 20, 4), little(table, at + 16, 4), size);
    }
    return std::nullopt;
}

}  // namespace

std::optional<ByteRange> elf_section(const ReadAt& read, std::uint64_t size, std::string_view name) {
    const std::string head = read(0, 64);
    if (program_format(head) != ProgramFormat::elf || head.size() < 64 || head[4] != 2 || head[5] != 1)
        return std::nullopt;
    const std::uint64_t offset = little(head, 0x28, 8), row = little(head, 0x3a, 2);
    const std::uint64_t count = little(head, 0x3c, 2), names = little(head, 0x3e, 2);
    if (row < 64 || row > 256 || count > k_max_sections || names >= count) return std::nullopt;
    if (!checked(offset, row * count, size)) return std::nullopt;
    const std::string table = read(offset, static_cast<std::size_t>(row * count));
    const std::size_t name_row = static_cast<std::size_t>(names * row);
    const auto range = checked(little(table, name_row + 0x18, 8), little(table, name_row + 0x20, 8), size);
    if (!range || range->end - range->begin > k_max_name_table) return std::nullopt;
    const std::string text = read(range->begin, static_cast<std::size_t>(range->end - range->begin));
    for (std::size_t at = 0; at + 64 <= table.size(); at += static_cast<std::size_t>(row)) {
        const std::uint64_t name_at = little(table, at, 4);
        if (name_at >= text.size() || std::string_view(text.c_str() + name_at) != name) continue;
        return checked(little(table, at + 0x18, 8), little(table, at + 0x20, 8), size);
    }
    return std::nullopt;
}

ProgramFormat program_format(std::string_view head) {
    if (head.substr(0, 4) ==
        "\x7f"
        "ELF")
        return ProgramFormat::elf;
    if (head.substr(0, 2) == "MZ") return ProgramFormat::pe;
    if (head.substr(0, 2) == "#!") return ProgramFormat::script;
    return ProgramFormat::unknown;
}

std::optional<ByteRange> read_only_data(const ReadAt& read, std::uint64_t size) {
    const std::string head = read(0, 64);
    switch (program_format(head)) {
        case ProgramFormat::elf:
            return elf_section(read, size, ".rodata");
        case ProgramFormat::pe:
            return pe_rdata(read, size, head);
        default:
            return std::nullopt;
    }
}

}  // namespace ptxguard
