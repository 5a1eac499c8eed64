// The smallest 64-bit ELF file with one named section, for tests: header, contents, names, section table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

inline std::string small_elf(const std::string& section, const std::string& contents) {
    const auto number = [](std::uint64_t value, int width) {
        std::string bytes;
        for (int i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 0xff) : '\0';
        return bytes;
    };
    const std::string names = std::string(1, '\0') + section + '\0' + ".shstrtab" + '\0';
    const std::uint64_t names_at = 64 + contents.size(), table_at = names_at + names.size();
    const auto row = [&](std::uint64_t name, std::uint64_t offset, std::uint64_t size) {
        return number(name, 4) + number(1, 4) + number(0, 16) + number(offset, 8) + number(size, 8) +
               number(0, 24);
    };
    std::string file =
        "\x7f"
        "ELF\2\1\1" +
        std::string(9, '\0') + number(3, 2) + number(62, 2) + number(1, 4) + number(0, 16);
    file += number(table_at, 8) + number(0, 4) + number(64, 2) + number(0, 4) + number(64, 2) + number(3, 2) +
            number(2, 2);
    return file + contents + names + row(0, 0, 0) + row(1, 64, contents.size()) +
           row(2 + section.size(), names_at, names.size());
}
