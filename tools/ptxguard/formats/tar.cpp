// SPDX-License-Identifier: Apache-2.0
#include "formats/tar.hpp"

#include <algorithm>
#include <optional>

#include "formats/text_lines.hpp"
#include "formats/zip.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_block = 512, k_most_members = 1u << 20, k_longest_name = 4096, k_gzip_trailer = 8;

// Octal digits, or (GNU) a big-endian number after a byte 0x80.
std::optional<std::uint64_t> number_at(const char* at, std::size_t length) {
    std::uint64_t value = 0;
    if (static_cast<unsigned char>(at[0]) == 0x80) {
        for (std::size_t i = 1; i < length; ++i) {
            if (value >> 55) return std::nullopt;
            value = value << 8 | static_cast<unsigned char>(at[i]);
        }
        return value;
    }
    for (std::size_t i = 0; i < length && at[i] != 0 && at[i] != ' '; ++i) {
        if (at[i] < '0' || at[i] > '7') return std::nullopt;
        value = value * 8 + static_cast<std::uint64_t>(at[i] - '0');
    }
    return value;
}

// The sum of the header's bytes, with blanks instead of the sum itself.
bool sum_is_right(const char* head) {
    std::uint64_t sum = 8 * ' ';
    for (std::size_t i = 0; i < k_block; ++i)
        if (i < 148 || i >= 156) sum += static_cast<unsigned char>(head[i]);
    std::size_t first = 148;
    while (first < 154 && head[first] == ' ') ++first;
    return number_at(head + first, 156 - first) == sum;
}

std::string text_at(const char* at, std::size_t length) {
    const std::string_view field(at, length);
    return std::string(field.substr(0, field.find('\0')));
}

// "27 path=a/b.so\n": the length counts the whole record.
void read_pax(std::string_view records, std::string& name, std::optional<std::uint64_t>& size) {
    while (!records.empty()) {
        const std::size_t at = std::min(records.find_first_not_of("0123456789"), records.size());
        const auto length = decimal(records.substr(0, at));
        if (!length || records.substr(at, 1) != " " || *length <= at + 1 || *length > records.size()) return;
        const std::string_view record = records.substr(at + 1, *length - at - 2);
        if (record.substr(0, 5) == "path=") name = std::string(record.substr(5));
        if (record.substr(0, 5) == "size=") {
            const auto value = decimal(record.substr(5));
            if (!value) return;
            size = value;
        }
        records.remove_prefix(*length);
    }
}

std::string name_of(const std::string& head) {
    const std::string name = text_at(&head[0], 100);
    const bool ustar = head.compare(257, 6, std::string_view("ustar\0", 6)) == 0;
    const std::string prefix = ustar ? text_at(&head[345], 155) : "";
    return prefix.empty() ? name : prefix + "/" + name;
}

// The length of a gzip header (RFC 1952); nothing if it is truncated.
std::optional<std::size_t> gzip_header(const std::string& head) {
    constexpr int k_sum = 2, k_extra = 4, k_name = 8, k_comment = 16;
    if (head.size() < 18 || head[2] != 8) return std::nullopt;
    const int flags = head[3];
    std::size_t at = 10;
    if (flags & k_extra) at += 2u + load_u16(&head[at]);
    for (const int text : {k_name, k_comment}) {
        if (!(flags & text)) continue;
        const std::size_t end = at < head.size() ? head.find('\0', at) : std::string::npos;
        if (end == std::string::npos) return std::nullopt;
        at = end + 1;
    }
    return flags & k_sum ? at + 2 : at;
}

}  // namespace

bool is_tar(std::string_view head) {
    return head.size() >= k_block && head[0] != 0 && sum_is_right(head.data());
}

std::optional<TarMember> TarReader::next() {
    std::optional<TarMember> member;
    while (!member && read_header(member)) {
    }
    return member;
}

// False at the end.
bool TarReader::read_header(std::optional<TarMember>& member) {
    const std::string head = read_bytes(m_source, m_at, k_block);
    if (head.empty() || (head.size() == k_block && head.find_first_not_of('\0') == std::string::npos))
        return false;
    if (head.size() < k_block || !sum_is_right(head.data())) return stop("the header of a member is damaged");
    const char type = head[156];
    std::optional<std::uint64_t> size = number_at(&head[124], 12);
    const bool about_next = std::string_view("xLKg").find(type) != std::string_view::npos;
    if (m_long_size && !about_next) size = m_long_size;
    const std::uint64_t begin = m_at + k_block;
    if (!size || *size > m_source.size - begin) return stop("a member is cut off");
    m_needed = begin + *size;
    m_at = begin + std::min((*size + k_block - 1) / k_block * k_block, m_source.size - begin);
    if (about_next) {
        keep_for_next(type, begin, *size);
        return true;
    }
    std::string name = m_long_name.empty() ? name_of(head) : m_long_name;
    m_long_name.clear();
    m_long_size.reset();
    if (std::string_view("0\0007", 3).find(type) == std::string_view::npos) return true;  // a folder, a link
    if (m_count++ == k_most_members) return stop("has more members than are read");
    member = TarMember{std::move(name), begin, *size};
    return true;
}

bool TarReader::stop(const char* why) {
    m_trouble = why;
    return false;
}

void TarReader::keep_for_next(char type, std::uint64_t begin, std::uint64_t size) {
    const std::string text =
        read_bytes(m_source, begin, static_cast<std::size_t>(std::min<std::uint64_t>(size, k_longest_name)));
    if (type == 'L') m_long_name = text.substr(0, text.find('\0'));
    if (type == 'x') read_pax(text, m_long_name, m_long_size);
}

bool is_gzip(std::string_view head) { return head.substr(0, 2) == std::string_view("\x1f\x8b", 2); }

std::optional<std::uint64_t> gunzipped_size(const Source& source) {
    const std::string size = source.size < k_gzip_trailer ? "" : read_bytes(source, source.size - 4, 4);
    if (size.size() < 4) return std::nullopt;
    return load_u32(size.data());
}

Result<std::string> gunzip(const Source& source, std::uint64_t size) {
    const auto header = gzip_header(read_bytes(source, 0, k_longest_name));
    if (!header || *header + k_gzip_trailer > source.size)
        return Trouble{"gzip", "is cut off in its header", ""};
    auto bytes = inflate(part_of(source, *header, source.size - k_gzip_trailer - *header), size);
    if (!bytes)
        return Trouble{"gzip", "is damaged, has several compressed parts or more than 4 GiB, and is not read",
                       ""};
    return bytes;
}

}  // namespace ptxguard
