// Caches of glibc's loader made by code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "build_elf.hpp"

namespace built {

struct CacheRow {
    std::string name, path;
    std::int32_t flags = 0x0303;
    std::uint64_t hwcap = 0;
};

// As ldconfig of glibc 2.36 writes it.
inline std::string new_cache(const std::vector<CacheRow>& rows,
                             const std::vector<std::string>& folders = {}) {
    std::string bytes = "glibc-ld.so.cache1.1", texts;
    add(bytes, rows.size(), 4);
    const std::size_t texts_at = 48 + rows.size() * 24;
    const auto text = [&](const std::string& word) {
        texts += word + '\0';
        return texts_at + texts.size() - word.size() - 1;
    };
    std::string table;
    for (const CacheRow& row : rows) {
        add(table, static_cast<std::uint32_t>(row.flags), 4);
        add(table, text(row.name), 4);
        add(table, text(row.path), 4);
        add(table, 0, 4);
        add(table, row.hwcap, 8);
    }
    std::string places;
    for (const std::string& folder : folders) add(places, text(folder), 4);
    add(bytes, texts.size(), 4);
    add(bytes, 2, 4);  // little-endian
    texts.resize((texts.size() + 3) / 4 * 4, '\0');
    const std::size_t extension = texts_at + texts.size();
    add(bytes, folders.empty() ? 0 : extension, 4);
    bytes.resize(48, '\0');
    bytes += table + texts;
    if (folders.empty()) return bytes;
    add(bytes, 0xeaa42174, 4);
    add(bytes, 1, 4);
    add(bytes, 1, 4);
    add(bytes, 0, 4);
    add(bytes, extension + 24, 4);
    add(bytes, places.size(), 4);
    return bytes + places;
}

inline std::string old_cache(const std::vector<CacheRow>& rows) {
    std::string bytes = "ld.so-1.7.0", texts;
    bytes.resize(12, '\0');
    add(bytes, rows.size(), 4);
    for (const CacheRow& row : rows) {
        add(bytes, static_cast<std::uint32_t>(row.flags), 4);
        add(bytes, texts.size(), 4);
        texts += row.name + '\0';
        add(bytes, texts.size(), 4);
        texts += row.path + '\0';
    }
    return bytes + texts;
}

}  // namespace built
