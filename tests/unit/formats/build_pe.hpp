// Small PE files made by code: headers, and one section that starts at address 0x1000 and offset 0x400.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "build_elf.hpp"

namespace built {

struct Pe {
    static constexpr std::uint32_t k_address = 0x1000, k_offset = 0x400, k_header = 0x80;

    std::uint16_t machine = 0x8664, characteristics = 0x2022;
    bool is_64 = true;
    std::uint64_t image_base = 0x180000000;
    std::string name = ".rdata";
    std::string content;                                                         // of the section
    std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>> directories;  // number: address, size
    std::vector<std::pair<std::string, std::string>> more;  // sections after it: name, bytes

    // Appends bytes to the section and returns their address.
    std::uint32_t lay(const std::string& bytes) {
        content.resize((content.size() + 7) / 8 * 8, '\0');
        content += bytes;
        return static_cast<std::uint32_t>(k_address + content.size() - bytes.size());
    }
    std::uint32_t lay_text(const std::string& text) { return lay(text + '\0'); }

    std::string build() const {
        std::string bytes = "MZ";
        put(bytes, 0x3c, k_header, 4);
        bytes.resize(k_header, '\0');
        bytes += std::string("PE\0\0", 4);
        add(bytes, machine, 2);
        add(bytes, 1 + more.size(), 2);
        add(bytes, 0, 12);
        add(bytes, is_64 ? 240 : 224, 2);
        add(bytes, characteristics, 2);
        const std::size_t optional = bytes.size(), table = optional + (is_64 ? 112 : 96);
        bytes.resize(optional + (is_64 ? 240 : 224), '\0');
        put(bytes, optional, is_64 ? 0x20b : 0x10b, 2);
        put(bytes, optional + (is_64 ? 24 : 28), image_base, is_64 ? 8 : 4);
        put(bytes, table - 4, 16, 4);
        for (const auto& [number, range] : directories) {
            put(bytes, table + number * 8, range.first, 4);
            put(bytes, table + number * 8 + 4, range.second, 4);
        }
        std::size_t offset = k_offset;
        std::uint32_t address = k_address;
        std::string rest;
        const auto section = [&](const std::string& label, const std::string& text) {
            const std::size_t row = bytes.size();
            bytes += label;
            bytes.resize(row + 8, '\0');
            add(bytes, text.size(), 4);
            add(bytes, address, 4);
            add(bytes, text.size(), 4);
            add(bytes, offset, 4);
            bytes.resize(row + 36, '\0');
            add(bytes, 0x40000040, 4);
            rest += text;
            rest.resize((rest.size() + 15) / 16 * 16, '\0');
            offset = k_offset + rest.size();
            address += static_cast<std::uint32_t>((text.size() / 0x1000 + 1) * 0x1000);
        };
        section(name, content);
        for (const auto& [label, text] : more) section(label, text);
        bytes.resize(k_offset, '\0');
        return bytes + rest;
    }
};

}  // namespace built
