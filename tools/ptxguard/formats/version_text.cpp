// Section tables are read just far enough to know where string constants lie; every offset is checked against
// the file's size. What that misses is found by a search of the whole file. SPDX-License-Identifier:
// Apache-2.0
#include "formats/version_text.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace ptxguard {
namespace {

constexpr std::size_t k_head = 1u << 16, k_chunk = 1u << 18;
constexpr std::size_t k_max_names = 1u << 20;
constexpr std::size_t k_max_sections = 4096;
constexpr std::string_view k_banner = "Cuda compilation tools, release ";
constexpr std::string_view k_profiles = "nvidia-application-profiles-";

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

std::optional<ByteRange> elf_rodata(const ReadAt& read, std::uint64_t size, std::string_view head) {
    if (head.size() < 64 || head[4] != 2 || head[5] != 1) return std::nullopt;  // 64 bit, little endian
    const std::uint64_t offset = little(head, 0x28, 8), count = little(head, 0x3c, 2),
                        names = little(head, 0x3e, 2);
    const std::uint64_t row = little(head, 0x3a, 2);
    if (row < 64 || row > 256 || count == 0 || count > k_max_sections || names >= count) return std::nullopt;
    if (!checked(offset, row * count, size)) return std::nullopt;
    const std::string table = read(offset, static_cast<std::size_t>(row * count));
    const std::size_t name_row = static_cast<std::size_t>(names * row);
    const auto name_range =
        checked(little(table, name_row + 0x18, 8), little(table, name_row + 0x20, 8), size);
    if (!name_range || name_range->end - name_range->begin > k_max_names) return std::nullopt;
    const std::string text =
        read(name_range->begin, static_cast<std::size_t>(name_range->end - name_range->begin));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * row);
        const std::uint64_t name = little(table, at, 4);
        if (name >= text.size() || std::strcmp(text.c_str() + name, ".rodata") != 0) continue;
        return checked(little(table, at + 0x18, 8), little(table, at + 0x20, 8), size);
    }
    return std::nullopt;
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
        if (std::strncmp(table.data() + at, ".rdata", 8) != 0) continue;
        return checked(little(table, at + 20, 4), little(table, at + 16, 4), size);
    }
    return std::nullopt;
}

// The first one that starts in the range. Bytes past its end belong to a needle that starts inside, or to its tail.
std::optional<std::string> numbered_between(const ReadAt& read, ByteRange range, std::string_view needle,
                                            std::size_t tail) {
    const std::boyer_moore_horspool_searcher<std::string_view::const_iterator> search(needle.begin(),
                                                                                      needle.end());
    const std::string bytes =
        read(range.begin, static_cast<std::size_t>(range.end - range.begin) + needle.size() + tail);
    for (auto hit = bytes.cbegin(); (hit = std::search(hit, bytes.cend(), search)) != bytes.cend(); ++hit) {
        const std::size_t at = static_cast<std::size_t>(hit - bytes.cbegin());
        const std::size_t after = at + needle.size();
        if (after < bytes.size() && bytes[after] >= '0' && bytes[after] <= '9')
            return bytes.substr(at, needle.size() + tail);
    }
    return std::nullopt;
}

// In the read-only data, else anywhere; cut at the end of the string.
std::optional<std::string> numbered_text(const ReadAt& read, std::uint64_t size, std::string_view needle) {
    constexpr std::size_t k_tail = 48;
    std::optional<std::string> text;
    if (const auto range = read_only_data(read, size)) text = find_numbered(read, *range, needle, k_tail);
    if (!text) text = find_numbered(read, ByteRange{0, size}, needle, k_tail);
    if (text) text->resize(std::min(text->size(), text->find('\0')));
    return text;
}

}  // namespace

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
            return elf_rodata(read, size, head);
        case ProgramFormat::pe:
            return pe_rdata(read, size, head);
        default:
            return std::nullopt;
    }
}

std::optional<std::string> find_numbered(const ReadAt& read, ByteRange range, std::string_view needle,
                                         std::size_t tail) {
    const std::uint64_t head_end = std::min(range.end, range.begin + k_head);
    if (auto text = numbered_between(read, {range.begin, head_end}, needle, tail)) return text;
    for (std::uint64_t end = range.end; end > head_end;) {
        const std::uint64_t begin = end - head_end > k_chunk ? end - k_chunk : head_end;
        if (auto text = numbered_between(read, {begin, end}, needle, tail)) return text;
        end = begin;
    }
    return std::nullopt;
}

std::optional<Version> banner_version(const ReadAt& read, std::uint64_t size) {
    const auto text = numbered_text(read, size, k_banner);
    if (!text) return std::nullopt;
    if (auto exact = find_version(*text, ", V")) return exact;
    return find_version(*text, "release ");
}

std::optional<Version> libcuda_version(const ReadAt& read, std::uint64_t size) {
    const auto text = numbered_text(read, size, k_profiles);
    return text ? find_version(*text, k_profiles) : std::nullopt;
}

}  // namespace ptxguard
