// Members of ar archives, tar and zip files made by code; gzip and zstd around bytes, stored uncompressed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace built {

// The header, and the content unless it is outside (thin archives), padded to an even length.
inline std::string member(const std::string& name, const std::string& content, bool outside = false) {
    const auto field = [](std::string text, std::size_t width) {
        text.resize(width, ' ');
        return text;
    };
    const std::string head = field(name, 16) + field("0", 12) + field("0", 6) + field("0", 6) +
                             field("644", 8) + field(std::to_string(content.size()), 10) + "`\n";
    if (outside) return head;
    return head + content + (content.size() % 2 == 1 ? "\n" : "");
}

// A tar header with its checksum, and the content in blocks of 512 bytes.
inline std::string tar_member(const std::string& name, const std::string& content, char type = '0') {
    std::string head(512, '\0');
    head.replace(0, name.size(), name);
    char number[16];
    std::snprintf(number, sizeof number, "%011o", static_cast<unsigned>(content.size()));
    head.replace(124, 11, number);
    head[156] = type;
    head.replace(257, 5, "ustar");
    head.replace(148, 8, 8, ' ');
    unsigned sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    std::snprintf(number, sizeof number, "%06o", sum);
    head.replace(148, 7, number, 7);
    return head + content + std::string((512 - content.size() % 512) % 512, '\0');
}
inline std::string tar(const std::string& members) { return members + std::string(1024, '\0'); }

inline std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
}

// Deflate blocks that store their bytes.
inline std::string gzip(const std::string& bytes) {
    std::string blocks;
    for (std::size_t at = 0; at < bytes.size() || at == 0; at += 0xffff) {
        const std::string block = bytes.substr(at, 0xffff);
        blocks += static_cast<char>(at + 0xffff >= bytes.size());
        blocks += little(block.size(), 2) + little(~block.size() & 0xffff, 2) + block;
    }
    return std::string("\x1f\x8b\x08\x08\0\0\0\0\0\x03name\0", 15) + blocks + little(0, 4) +
           little(bytes.size(), 4);
}

// One frame of raw blocks that does not give its size.
inline std::string zstd(const std::string& bytes) {
    std::string frame = "\x28\xb5\x2f\xfd" + little(0x6800, 2);  // window of 8 MiB
    constexpr std::size_t k_block = 1u << 17;
    for (std::size_t at = 0; at < bytes.size() || at == 0; at += k_block) {
        const std::string block = bytes.substr(at, k_block);
        frame += little(block.size() << 3 | (at + k_block >= bytes.size() ? 1u : 0u), 3) + block;
    }
    return frame;
}

// Stored members.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string all, rows;
    for (const auto& [name, content] : members) {
        const std::string sizes = little(0, 4) + little(content.size(), 4) + little(content.size(), 4) +
                                  little(name.size(), 2) + little(0, 2);
        rows += "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 8) + sizes + little(0, 10) +
                little(all.size(), 4) + name;
        all += "PK\3\4" + little(20, 2) + little(0, 8) + sizes + name + content;
    }
    return all + rows + "PK\5\6" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) +
           little(rows.size(), 4) + little(all.size(), 4) + little(0, 2);
}

}  // namespace built
