// The ELF and PE parsers check their tables; here a section outside the file counts as missing.
// SPDX-License-Identifier: Apache-2.0
#include "formats/sections.hpp"

#include <algorithm>

#include "formats/elf.hpp"
#include "formats/pe.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_head = 4;

std::optional<ByteRange> checked(std::uint64_t begin, std::uint64_t length, std::uint64_t size) {
    if (length == 0 || begin >= size || length > size - begin) return std::nullopt;
    return ByteRange{begin, begin + length};
}

std::optional<ByteRange> elf_range(const Source& source, std::string_view name) {
    const auto file = read_elf(source);
    const ElfSection* section = file ? file->section(name) : nullptr;
    if (!section || section->type == k_sht_nobits) return std::nullopt;
    return checked(section->offset, section->size, source.size);
}

std::optional<ByteRange> pe_range(const Source& source, std::string_view name) {
    const auto file = read_pe(source);
    if (!file) return std::nullopt;
    for (const PeSection& section : file->sections)
        if (section.name == name) return checked(section.offset, section.size, source.size);
    return std::nullopt;
}

}  // namespace

ProgramFormat program_format(std::string_view head) {
    if (is_elf(head)) return ProgramFormat::elf;
    if (head.substr(0, 2) == "MZ") return ProgramFormat::pe;
    if (head.substr(0, 2) == "#!") return ProgramFormat::script;
    return ProgramFormat::unknown;
}

std::optional<ByteRange> section_range(const Source& source, std::string_view name) {
    switch (program_format(read_bytes(source, 0, k_head))) {
        case ProgramFormat::elf: return elf_range(source, name);
        case ProgramFormat::pe: return pe_range(source, name);
        default: return std::nullopt;
    }
}

std::optional<ByteRange> read_only_data(const Source& source) {
    switch (program_format(read_bytes(source, 0, k_head))) {
        case ProgramFormat::elf: return elf_range(source, ".rodata");
        case ProgramFormat::pe: return pe_range(source, ".rdata");
        default: return std::nullopt;
    }
}

std::string bytes_in(const Source& source, const std::optional<ByteRange>& range, std::size_t limit) {
    if (!range || range->end - range->begin > limit) return {};
    return read_bytes(source, range->begin, static_cast<std::size_t>(range->end - range->begin));
}

void visit_pieces(const Source& source, ByteRange range, std::size_t piece, std::size_t overlap,
                  const std::function<bool(std::string_view)>& visit) {
    std::string bytes(piece + overlap, '\0');
    for (std::uint64_t at = range.begin; at < range.end; at += piece) {
        const std::size_t got =
            source.read(at, &bytes[0], std::min<std::uint64_t>(bytes.size(), range.end - at));
        if (!visit({bytes.data(), got})) return;
    }
}

}  // namespace ptxguard
