// SPDX-License-Identifier: Apache-2.0
#include "formats/zip.hpp"

#include <libdeflate.h>
#include <algorithm>
#include <memory>

namespace ptxguard {
namespace {

constexpr std::size_t k_zip_end = 22, k_end64 = 56, k_locator = 20, k_row = 46, k_zip_local = 30;
constexpr std::size_t k_most_zip_members = 1u << 20;
constexpr std::string_view k_end_mark("PK\5\6", 4), k_end64_mark("PK\6\6", 4), k_locator_mark("PK\6\7", 4),
    k_row_mark("PK\1\2", 4), k_local_mark("PK\3\4", 4);
constexpr std::uint32_t k_in_extra = 0xffffffff;

struct Directory {
    std::uint64_t offset = 0, size = 0;
};

Trouble damaged(const std::string& what) { return {"zip", what, ""}; }

Result<Directory> find_directory(const Source& source) {
    const std::uint64_t tail = std::min<std::uint64_t>(source.size, k_zip_end + 0xffff);
    const std::string end = read_bytes(source, source.size - tail, static_cast<std::size_t>(tail));
    const std::size_t at = end.rfind(k_end_mark);
    if (at == std::string::npos || end.size() - at < k_zip_end)
        return damaged("the zip directory at its end is missing: the download is incomplete");
    Directory found{load_u32(&end[at + 16]), load_u32(&end[at + 12])};
    if (found.offset != k_in_extra && found.size != k_in_extra) return found;
    if (at < k_locator || end.compare(at - k_locator, 4, k_locator_mark) != 0)
        return damaged("its zip64 directory is missing");
    const std::string head = read_bytes(source, load_u64(&end[at - k_locator + 8]), k_end64);
    if (head.size() < k_end64 || head.compare(0, 4, k_end64_mark) != 0)
        return damaged("its zip64 directory is missing");
    return Directory{load_u64(&head[48]), load_u64(&head[40])};
}

// zip64 values are in the extra field, in this order, if the plain value refers to it.
bool read_extra(std::string_view extra, ZipMember& member) {
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const std::size_t length = load_u16(&extra[at + 2]);
        if (length > extra.size() - at - 4) return false;
        if (load_u16(&extra[at]) == 1) {
            std::size_t value = at + 4;
            for (std::uint64_t* one : {&member.size, &member.packed, &member.header}) {
                if (*one != k_in_extra) continue;
                if (value + 8 > at + 4 + length) return false;
                *one = load_u64(&extra[value]);
                value += 8;
            }
        }
        at += 4 + length;
    }
    return true;
}

}  // namespace

bool is_zip(std::string_view head) { return head.substr(0, 4) == k_local_mark; }

Result<std::vector<ZipMember>> read_zip(const Source& source, std::uint64_t most) {
    const Result<Directory> directory = find_directory(source);
    if (!directory) return directory.trouble();
    if (directory->size > most) return damaged("its zip directory is larger than is read");
    const std::string rows = read_bytes(source, directory->offset, static_cast<std::size_t>(directory->size));
    std::vector<ZipMember> members;
    for (std::size_t at = 0; at < rows.size();) {
        if (rows.size() - at < k_row || rows.compare(at, 4, k_row_mark) != 0 ||
            members.size() == k_most_zip_members)
            return damaged("its zip directory is damaged");
        const std::size_t name = load_u16(&rows[at + 28]), extra = load_u16(&rows[at + 30]),
                          comment = load_u16(&rows[at + 32]);
        if (name + extra + comment > rows.size() - at - k_row) return damaged("its zip directory is damaged");
        ZipMember member;
        member.name = rows.substr(at + k_row, name);
        member.method = load_u16(&rows[at + 10]);
        member.packed = load_u32(&rows[at + 20]);
        member.size = load_u32(&rows[at + 24]);
        member.header = load_u32(&rows[at + 42]);
        if (!read_extra(std::string_view(rows).substr(at + k_row + name, extra), member))
            return damaged("its zip directory is damaged");
        members.push_back(std::move(member));
        at += k_row + name + extra + comment;
    }
    if (rows.size() < directory->size) return damaged("its zip directory is damaged");
    return members;
}

Result<Source> packed_bytes(const Source& source, const ZipMember& member) {
    const std::string head = read_bytes(source, member.header, k_zip_local);
    if (head.size() < k_zip_local || head.compare(0, 4, k_local_mark) != 0)
        return damaged("its member " + member.name + " is not where the directory says");
    const std::uint64_t begin = member.header + k_zip_local + load_u16(&head[26]) + load_u16(&head[28]);
    if (begin > source.size || member.packed > source.size - begin)
        return damaged("its member " + member.name + " is cut off");
    return part_of(source, begin, member.packed);
}

Result<std::string> inflate(const Source& packed, std::uint64_t size) {
    // No stream expands more; a wrong size must not use up memory.
    if (size / 1032 > packed.size) return Trouble{"deflate", "says a size that it cannot have", ""};
    const std::string bytes = read_bytes(packed, 0, static_cast<std::size_t>(packed.size));
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::string out(static_cast<std::size_t>(size), '\0');
    if (!decompressor || libdeflate_deflate_decompress(decompressor.get(), bytes.data(), bytes.size(),
                                                       out.data(), out.size(), nullptr) != LIBDEFLATE_SUCCESS)
        return Trouble{"deflate", "is damaged", ""};
    return out;
}

}  // namespace ptxguard
