// Small fatbins, cubins and PTX made by code, so that a test shows which field is odd. Compressed data is
// made without a compressor: one literal run of LZ4, one raw block of zstd.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "build_elf.hpp"

namespace built {

constexpr std::uint64_t k_flag_64 = 0x11, k_flag_lz4 = 0x2000, k_flag_zstd = 0x8000,
                        k_flag_obfuscated = 0x10000, k_flag_a = 0x100000, k_flag_f = 0x200000;

struct Entry {
    std::uint16_t kind = 2, version = 0x0101, minor = 7, major = 1;
    std::uint32_t arch = 80;
    std::uint64_t flags = k_flag_64;
    std::string payload;
    std::uint64_t uncompressed = 0;
    std::uint32_t compressed = 0;
    std::size_t extra = 0;  // bytes between the header and the payload: name, options

    std::string build() const {
        std::string bytes;
        add(bytes, kind, 2);
        add(bytes, version, 2);
        add(bytes, 64 + extra, 4);
        add(bytes, (payload.size() + 7) / 8 * 8, 8);
        add(bytes, compressed, 4);
        add(bytes, 0, 4);
        add(bytes, minor, 2);
        add(bytes, major, 2);
        add(bytes, arch, 4);
        add(bytes, 0, 8);
        add(bytes, flags, 8);
        add(bytes, 0, 8);
        add(bytes, uncompressed, 8);
        bytes.resize(bytes.size() + extra, 'x');
        bytes += payload;
        bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
        return bytes;
    }
};

inline std::string fatbin(const std::vector<Entry>& entries) {
    std::string inside, bytes;
    for (const Entry& entry : entries) inside += entry.build();
    add(bytes, 0xBA55ED50, 4);
    add(bytes, 1, 2);
    add(bytes, 16, 2);
    add(bytes, inside.size(), 8);
    return bytes + inside;
}

inline std::string lz4_block(const std::string& text) {
    std::string bytes(1, static_cast<char>(text.size() < 15 ? text.size() << 4 : 0xf0));
    if (text.size() >= 15) {
        std::size_t left = text.size() - 15;
        for (; left >= 255; left -= 255) bytes += '\xff';
        bytes += static_cast<char>(left);
    }
    return bytes + text;
}

// Content size in 4 bytes, one segment, no checksum.
inline std::string zstd_frame(const std::string& text) {
    std::string bytes = "\x28\xb5\x2f\xfd\xa0";
    add(bytes, text.size(), 4);
    add(bytes, 1 | text.size() << 3, 3);
    return bytes + text;
}

inline Entry packed(Entry entry, const std::string& content, std::uint64_t flag) {
    entry.payload = flag == k_flag_lz4 ? lz4_block(content) : zstd_frame(content);
    entry.compressed = static_cast<std::uint32_t>(entry.payload.size());
    entry.uncompressed = content.size();
    entry.flags |= flag;
    return entry;
}

inline std::string ptx_text(const std::string& version = "8.0", const std::string& target = "sm_80",
                            const std::string& code = ".visible .entry k() { ret; }\n") {
    return "//\n.version " + version + "\n.target " + target + "\n.address_size 64\n" + code +
           std::string(1, '\0');
}

inline Entry ptx_entry(std::uint32_t arch = 80, std::uint16_t major = 8, std::uint16_t minor = 0) {
    Entry entry;
    entry.kind = 1;
    entry.arch = arch;
    entry.major = major;
    entry.minor = minor;
    entry.payload =
        ptx_text(std::to_string(major) + "." + std::to_string(minor), "sm_" + std::to_string(arch));
    return entry;
}

// Only the header of an old cubin: enough for all that is read of it.
inline std::string cubin_7(unsigned arch, unsigned release_times_10 = 128, std::uint32_t more_flags = 0x500) {
    std::string bytes = "\177ELF\x02\x01\x01\x33\x07";
    bytes.resize(64, '\0');
    put(bytes, 16, 2, 2);
    put(bytes, 18, 190, 2);
    put(bytes, 20, release_times_10, 4);
    put(bytes, 48, arch | arch << 16 | more_flags, 4);
    put(bytes, 58, 64, 2);
    return bytes;
}

inline std::string tkinfo_note(const std::string& version, const std::string& options) {
    const std::string texts[] = {"", "ptxas", "Cuda compilation tools, release 13.0, V" + version, "branch",
                                 options};
    std::string strings, offsets, bytes;
    for (const std::string& text : texts) {
        add(offsets, strings.size(), 4);
        strings += text + '\0';
    }
    add(bytes, 12, 4);
    add(bytes, 24 + strings.size(), 4);
    add(bytes, 2000, 4);
    bytes += std::string("NVIDIA Corp\0", 12);
    add(bytes, 2, 4);
    bytes += offsets + strings;
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    return bytes;
}

// With its note, the record for 'a' and section headers at the end; the last one is a function's.
inline std::string cubin_8(unsigned arch, const std::string& version = "13.0.88", bool a = false,
                           const std::string& options = "-arch sm_90 -m 64") {
    std::string bytes = cubin_7(0, 1, 0);
    bytes[7] = 0x41;
    bytes[8] = 8;
    put(bytes, 48, 0x06000004u | arch << 8, 4);
    const std::string note = tkinfo_note(version, options), compat("\x02\x0b\x01\x00\x02\x09\x01\x00", 8);
    const std::size_t note_at = bytes.size(), compat_at = note_at + note.size();
    bytes += note + (a ? compat : compat.substr(0, 4));
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    const std::size_t table = bytes.size();
    put(bytes, 40, table, 8);
    put(bytes, 60, 4, 2);
    bytes.resize(table + 4 * 64, '\0');
    put(bytes, table + 192 + 4, 1, 4);
    put(bytes, table + 192 + 8, 6, 8);  // allocated, executable
    put(bytes, table + 192 + 32, 128, 8);
    put(bytes, table + 64 + 4, 7, 4);
    put(bytes, table + 64 + 24, note_at, 8);
    put(bytes, table + 64 + 32, note.size(), 8);
    put(bytes, table + 128 + 4, 0x70000086, 4);
    put(bytes, table + 128 + 24, compat_at, 8);
    put(bytes, table + 128 + 32, a ? 8 : 4, 8);
    return bytes;
}

// The same without the function, as of a .cu file with only host code.
inline std::string empty_cubin_8(unsigned arch) {
    std::string bytes = cubin_8(arch);
    put(bytes, bytes.size() - 64 + 8, 0, 8);
    return bytes;
}

}  // namespace built
