// Imports, exports and resources of a PE file made by code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "build_pe.hpp"
#include "formats/pe.hpp"

namespace built {

inline std::uint32_t lay_thunks(built::Pe& pe, const std::vector<std::string>& names,
                                std::uint64_t base = 0) {
    std::string thunks;
    const std::size_t width = pe.is_64 ? 8 : 4;
    for (const std::string& name : names) {
        if (name[0] == '#') {
            add(thunks, std::uint64_t{1} << (width * 8 - 1) | std::stoul(name.substr(1)), width);
        } else {
            add(thunks, base + pe.lay(std::string(2, '\0') + name + '\0'), width);
        }
    }
    return pe.lay(thunks + std::string(width, '\0'));
}

inline void lay_imports(built::Pe& pe, const std::vector<ptxguard::PeImport>& imports) {
    std::string rows;
    for (const ptxguard::PeImport& import : imports) {
        const std::uint32_t thunks = lay_thunks(pe, import.names);
        add(rows, thunks, 4);
        add(rows, 0, 8);
        add(rows, pe.lay_text(import.dll), 4);
        add(rows, thunks, 4);
    }
    const std::uint32_t at = pe.lay(rows + std::string(20, '\0'));
    pe.directories[1] = {at, static_cast<std::uint32_t>(rows.size() + 20)};
}

inline void lay_delayed(built::Pe& pe, const ptxguard::PeImport& import, bool addresses) {
    const std::uint64_t base = addresses ? pe.image_base : 0;
    std::string row;
    add(row, addresses ? 0 : 1, 4);
    add(row, base + pe.lay_text(import.dll), 4);
    add(row, 0, 8);
    add(row, base + lay_thunks(pe, import.names, base), 4);
    row.resize(32, '\0');
    pe.directories[13] = {pe.lay(row + std::string(32, '\0')), 64};
}

struct Export {
    std::string name, forwarder;  // empty name: only by number; name "-": a gap
};
inline void lay_exports(built::Pe& pe, const std::string& dll, const std::vector<Export>& exports) {
    const std::size_t begin = pe.lay(std::string(40, '\0')) - built::Pe::k_address;
    std::string functions, names, indices;
    for (std::size_t i = 0; i < exports.size(); ++i) {
        const Export& row = exports[i];
        add(functions, row.name == "-" ? 0 : row.forwarder.empty() ? 0x5000 : pe.lay_text(row.forwarder), 4);
        if (row.name.empty() || row.name == "-") continue;
        add(names, pe.lay_text(row.name), 4);
        add(indices, i, 2);
    }
    built::put(pe.content, begin + 12, pe.lay_text(dll), 4);
    built::put(pe.content, begin + 16, 10, 4);
    built::put(pe.content, begin + 20, exports.size(), 4);
    built::put(pe.content, begin + 24, indices.size() / 2, 4);
    built::put(pe.content, begin + 28, pe.lay(functions), 4);
    built::put(pe.content, begin + 32, pe.lay(names), 4);
    built::put(pe.content, begin + 36, pe.lay(indices), 4);
    pe.directories[0] = {static_cast<std::uint32_t>(built::Pe::k_address + begin),
                         static_cast<std::uint32_t>(pe.content.size() - begin)};
}

inline std::string utf16(const std::u16string& text) {
    std::string bytes;
    for (const char16_t unit : text) add(bytes, unit, 2);
    return bytes;
}

inline std::string node(const std::u16string& name, const std::string& value, bool text,
                        const std::string& children = {}) {
    std::string bytes;
    add(bytes, 0, 2);
    add(bytes, text ? value.size() / 2 : value.size(), 2);
    add(bytes, text ? 1 : 0, 2);
    bytes += utf16(name) + std::string(2, '\0');
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    bytes += value;
    if (!children.empty()) bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    bytes += children;
    built::put(bytes, 0, bytes.size(), 2);
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    return bytes;
}

inline std::string version_resource(const std::vector<std::uint32_t>& file_version = {6, 14, 11, 12080}) {
    std::string fixed;
    add(fixed, 0xfeef04bd, 4);
    add(fixed, 0x10000, 4);
    for (const std::uint32_t number :
         {file_version[0] << 16 | file_version[1], file_version[2] << 16 | file_version[3], 12u << 16 | 8u,
          61u << 16 | 0u})
        add(fixed, number, 4);
    fixed.resize(52, '\0');
    const auto text = [](const std::u16string& name, const std::u16string& value) {
        return node(name, utf16(value) + std::string(2, '\0'), true);
    };
    const std::string texts = text(u"CompanyName", u"NVIDIA Corporation") +
                              text(u"FileDescription", u"Gr\u00fc\u00dfe \U0001F600 \xd800!") +
                              text(u"FileVersion", u"6,14,11,12080") +
                              text(u"OriginalFilename", u"cublas64_12.dll") +
                              text(u"ProductVersion", u"12.8.61") + text(u"ProductName", u"NVIDIA CUDA 12.8");
    return node(u"VS_VERSION_INFO", fixed, false,
                node(u"VarFileInfo", "", true) +
                    node(u"StringFileInfo", "", true, node(u"040904b0", "", true, texts)));
}

// Resources of one type each, in one language.
inline void lay_resources(built::Pe& pe,
                          const std::vector<std::pair<std::uint32_t, std::string>>& resources) {
    const std::size_t per = (16 + 8) * 2 + 16;
    const std::size_t root = 16 + 8 * resources.size();
    std::string tree(12, '\0');
    add(tree, 0, 2);
    add(tree, resources.size(), 2);
    std::vector<std::uint32_t> at;
    for (const auto& [type, bytes] : resources) at.push_back(pe.lay(bytes));
    for (std::size_t i = 0; i < resources.size(); ++i) {
        add(tree, resources[i].first, 4);
        add(tree, 0x80000000 | (root + i * per), 4);
    }
    for (std::size_t i = 0; i < resources.size(); ++i) {
        for (const std::uint64_t next : {0x80000000 | (root + i * per + 24), root + i * per + 48}) {
            tree.resize(tree.size() + 12, '\0');
            add(tree, 0, 2);
            add(tree, 1, 2);
            add(tree, 1, 4);
            add(tree, next, 4);
        }
        add(tree, at[i], 4);
        add(tree, resources[i].second.size(), 4);
        add(tree, 0, 8);
    }
    const std::uint32_t place = pe.lay(tree);
    pe.directories[2] = {place, static_cast<std::uint32_t>(tree.size())};
}

}  // namespace built
