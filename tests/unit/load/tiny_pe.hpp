// PE files for tests: as small as Windows would still read them.
//     TinyPe{}.needs("cublas64_12.dll").delays("nvrtc64_120_0.dll").text("cudnn64_9.dll").bytes()
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxguard {

class TinyPe {
public:
    TinyPe& machine(std::uint16_t value) { return m_machine = value, *this; }
    TinyPe& program() { return m_characteristics = 0x22, *this; }
    TinyPe& needs(const std::string& dll) { return m_needed.push_back(dll), *this; }
    // Needs KERNEL32.dll, with this function.
    TinyPe& calls(const std::string& function) { return m_called = function, needs("KERNEL32.dll"); }
    TinyPe& delays(const std::string& dll) { return m_delayed.push_back(dll), *this; }
    TinyPe& manifest(const std::string& xml) { return m_manifest = xml, *this; }
    // Managed code, with these names in its metadata.
    TinyPe& managed(const std::vector<std::string>& names) {
        return m_managed = names, m_is_managed = true, *this;
    }
    TinyPe& text(const std::string& text) { return m_text += text + '\0', *this; }

    std::string bytes() const {
        constexpr std::uint32_t k_headers = 0x200, k_address = 0x1000, k_pe = 0x80;
        std::uint32_t imports = 0, delays = 0;
        std::string data = section(k_address, imports, delays);
        const std::uint32_t cli = k_address + static_cast<std::uint32_t>(data.size());
        if (m_is_managed) data += cli_header(cli);
        const std::uint32_t resources = k_address + static_cast<std::uint32_t>(data.size());
        if (!m_manifest.empty()) data += resource_tree(resources);
        std::string out(k_headers, '\0');
        const bool is_64 = m_machine != 0x14c;
        const std::uint32_t optional = is_64 ? 240 : 224;
        out.replace(0, 2, "MZ");
        put(out, 0x3c, k_pe, 4);
        out.replace(k_pe, 2, "PE");
        put(out, k_pe + 4, m_machine, 2);
        put(out, k_pe + 6, 1, 2);  // sections
        put(out, k_pe + 20, optional, 2);
        put(out, k_pe + 22, m_characteristics, 2);
        const std::uint32_t head = k_pe + 24;
        put(out, head, is_64 ? 0x20b : 0x10b, 2);
        put(out, head + (is_64 ? 24 : 28), 0x10000000, is_64 ? 8 : 4);  // image base
        put(out, head + 32, 0x1000, 4);                                 // alignment in memory, in the file
        put(out, head + 36, 0x200, 4);
        put(out, head + 56, 0x1000 + round(data.size(), 0x1000), 4);
        put(out, head + 60, k_headers, 4);
        const std::uint32_t directories = head + (is_64 ? 112 : 96);
        put(out, directories - 4, 16, 4);
        if (imports) put(out, directories + 8 * 1, imports, 4), put(out, directories + 8 * 1 + 4, 20, 4);
        if (delays) put(out, directories + 8 * 13, delays, 4), put(out, directories + 8 * 13 + 4, 32, 4);
        if (m_is_managed) put(out, directories + 8 * 14, cli, 4), put(out, directories + 8 * 14 + 4, 72, 4);
        if (!m_manifest.empty())
            put(out, directories + 8 * 2, resources, 4), put(out, directories + 8 * 2 + 4, 88, 4);
        const std::uint32_t row = head + optional;
        out.replace(row, 6, ".rdata");
        put(out, row + 8, data.size(), 4);
        put(out, row + 12, k_address, 4);
        put(out, row + 16, round(data.size(), 0x200), 4);
        put(out, row + 20, k_headers, 4);
        put(out, row + 36, 0x40000040, 4);
        return out + data + std::string(round(data.size(), 0x200) - data.size(), '\0');
    }

private:
    static std::size_t round(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }
    static void put(std::string& out, std::size_t at, std::uint64_t value, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i, value >>= 8) out[at + i] = static_cast<char>(value & 0xff);
    }
    static void append(std::string& out, std::uint64_t value, std::size_t width) {
        out.append(width, '\0');
        put(out, out.size() - width, value, width);
    }

    // The header, and metadata of one stream.
    std::string cli_header(std::uint32_t address) const {
        std::string strings(1, '\0'), root;
        for (const std::string& name : m_managed) strings += name + '\0';
        append(root, 0x424a5342, 4);
        append(root, 0x10001, 4);
        append(root, 0, 4);
        append(root, 4, 4);
        root += std::string("v4\0\0", 4);
        append(root, 0, 2);
        append(root, 1, 2);
        append(root, root.size() + 8 + 12, 4);
        append(root, strings.size(), 4);
        root += std::string("#Strings\0\0\0\0", 12) + strings;
        std::string data;
        append(data, 72, 4);
        append(data, 0x50002, 4);
        append(data, address + 72, 4);
        append(data, root.size(), 4);
        append(data, 1, 4);  // only managed code
        data.resize(72, '\0');
        return data + root;
    }

    // Type 24 (manifest), number 1, one language.
    std::string resource_tree(std::uint32_t address) const {
        std::string data;
        for (std::uint32_t level = 0; level < 3; ++level) {
            append(data, 0, 12);
            append(data, 0, 2);
            append(data, 1, 2);
            append(data, level == 0 ? 24 : level == 1 ? 1 : 1033, 4);
            append(data, level < 2 ? 0x80000000u | (24 * (level + 1)) : 72, 4);
        }
        for (std::uint32_t value : {address + 88, static_cast<std::uint32_t>(m_manifest.size()), 0u, 0u})
            append(data, value, 4);
        return data + m_manifest;
    }

    // Names, one table of thunks (the function of number 1), both directories.
    std::string section(std::uint32_t address, std::uint32_t& imports, std::uint32_t& delays) const {
        std::string data = m_text + '\0';
        const auto here = [&] { return address + static_cast<std::uint32_t>(data.size()); };
        std::vector<std::uint32_t> names;
        for (const auto* list : {&m_needed, &m_delayed})
            for (const std::string& name : *list) names.push_back(here()), data += name + '\0';
        data.resize(round(data.size(), 16));
        const std::uint32_t called = here();
        if (!m_called.empty())
            data += std::string(2, '\0') + m_called, data.resize(round(data.size() + 1, 16));
        const std::uint32_t thunks = here();
        const std::size_t width = m_machine == 0x14c ? 4 : 8;
        append(data, m_called.empty() ? (std::uint64_t{1} << (width * 8 - 1)) | 1 : called, width);
        append(data, 0, width);
        std::size_t at = 0;
        if (!m_needed.empty()) imports = here();
        for (std::size_t i = 0; i < m_needed.size(); ++i)
            for (std::uint32_t value : {thunks, 0u, 0u, names[at + i], thunks}) append(data, value, 4);
        data.append(20, '\0');
        at = m_needed.size();
        if (!m_delayed.empty()) delays = here();
        for (std::size_t i = 0; i < m_delayed.size(); ++i)
            for (std::uint32_t value : {1u, names[at + i], 0u, thunks, thunks, 0u, 0u, 0u})
                append(data, value, 4);
        return data + std::string(32, '\0');
    }

    std::uint16_t m_machine = 0x8664;
    std::uint16_t m_characteristics = 0x2022;  // a DLL
    std::vector<std::string> m_needed, m_delayed, m_managed;
    bool m_is_managed = false;
    std::string m_called;
    std::string m_text, m_manifest;
};

}  // namespace ptxguard
