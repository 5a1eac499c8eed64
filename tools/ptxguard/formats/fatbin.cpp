// Parses fatbin headers and entry headers only, not the payloads. Every size is checked against the enclosing
// structure, so a walk ends; a damaged fatbin is reported and the next one is still read.
// SPDX-License-Identifier: Apache-2.0
#include "formats/fatbin.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "formats/window.hpp"

namespace ptxguard {
namespace {

// Covers the first entry with the fatbin's header, and options and names; larger jumps cost no more than
// this.
constexpr std::size_t k_entry_reach = 512;
constexpr std::uint64_t k_fatbin_header = 16, k_entry_header = 64;
constexpr std::uint64_t k_max_padding = 1u << 20;  // zero bytes between fatbins; none has been seen
constexpr std::uint16_t k_entry_version = 0x0101;
constexpr char k_ended_early[] = "the file ended early; was it changed meanwhile?";

enum Flag : std::uint64_t {
    k_flag_debug = 0x2,
    k_flag_compressed = 0xf000,
    k_flag_obfuscated = 0x10000,
    k_flag_arch_a = 0x100000,
    k_flag_arch_f = 0x200000,
};

std::string hexadecimal(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

// A plausible fatbin header at `at`; `left` bytes follow from its start.
bool is_header(const char* at, std::uint64_t left) {
    return load_u32(at) == k_fatbin_magic && load_u16(at + 4) == 1 && load_u16(at + 6) == k_fatbin_header &&
           load_u64(at + 8) <= left - k_fatbin_header;
}

EntryKind kind_of(std::uint16_t raw) {
    switch (raw) {
        case 1:
        case 0x40:  // relocatable PTX
            return EntryKind::ptx;
        case 2:
        case 4: return EntryKind::cubin;
        case 8: return EntryKind::ltoir;
        case 0x80: return EntryKind::tileir;
        default: return EntryKind::other;
    }
}

class Walk {
public:
    Walk(const Source& source, std::size_t most)
        : m_source(source), m_window(source, k_entry_reach), m_most(most) {}

    FatbinWalk result;

    // Reads the fatbin at `offset`, with at most `left` bytes. Returns the start of the next one, or `offset`
    // if there is no fatbin or nothing more can be read.
    std::uint64_t fatbin(std::uint64_t offset, std::uint64_t left) {
        if (left < k_fatbin_header) return end_at(offset, "the fatbin's header is cut off");
        const char* head = m_window.at(offset, k_fatbin_header);
        if (!head) return end_at(offset, k_ended_early);
        if (load_u32(head) != k_fatbin_magic) return end_at(offset, "no fatbin found");
        const std::uint16_t version = load_u16(head + 4), header_size = load_u16(head + 6);
        if (version != 1)
            return end_at(offset, "fatbins of version " + std::to_string(version) + " are not known");
        const std::uint64_t size = load_u64(head + 8);
        if (header_size < k_fatbin_header || header_size > left)
            return end_at(offset,
                          "the fatbin's header says that it has " + std::to_string(header_size) + " bytes");
        const bool cut = size > left - header_size;
        if (cut) report(offset, "the fatbin's " + std::to_string(size) + " bytes go beyond its end");
        if (size > 0x7fffffff && !cut) {
            result.remarks.push_back("the fatbin at " + hexadecimal(offset) +
                                     " is larger than 2 GiB; drivers are said to read its size as 31 bits");
        }
        const std::uint64_t begin = offset + header_size, end = cut ? offset + left : begin + size;
        const bool more = entries(begin, end, cut);
        ++result.fatbins;
        return cut || !more ? offset : end;
    }

    // Number of zero bytes at `offset`: a word of 8, or the rest; 0 if others follow.
    std::uint64_t zeros(std::uint64_t offset, std::uint64_t left) {
        const std::uint64_t width = std::min<std::uint64_t>(left, 8);
        const char* at = m_window.at(offset, static_cast<std::size_t>(width));
        return at && std::all_of(at, at + width, [](char c) { return c == 0; }) ? width : 0;
    }

    // The first 8th byte in [at, end) where a fatbin with a plausible first entry starts, after at most
    // `most` bytes in total; `end` if there is none.
    std::uint64_t next_header(std::uint64_t at, std::uint64_t end, std::uint64_t most) {
        constexpr std::size_t k_plausible = k_fatbin_header + 4;
        m_block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(k_block, end - at)));
        while (end - at >= k_plausible && at < end) {
            if (m_looked_through >= most) {
                report(at, "the search for fatbins ended after " + std::to_string(m_looked_through >> 20) +
                               " MiB");
                return end;
            }
            const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(k_block, end - at));
            const std::size_t got = m_source.read(at, m_block.data(), wanted);
            std::size_t i = 0;
            for (; i + k_plausible <= got; i += 8) {
                const char* here = m_block.data() + i;
                if (load_u32(here) != k_fatbin_magic) {
                    while (i + 8 + k_stride <= got && is_without_mark(m_block.data() + i + 8)) i += k_stride;
                    continue;
                }
                if (!is_header(here, end - at - i)) continue;
                if (load_u64(here + 8) == 0 || load_u16(here + k_fatbin_header + 2) != k_entry_version)
                    continue;
                m_looked_through += i;
                return at + i;
            }
            m_looked_through += i;
            at += i;
            if (got < wanted) {
                report(at, k_ended_early);
                return end;
            }
        }
        return end;
    }

    void report(std::uint64_t offset, const std::string& what) {
        if (result.trouble.empty()) result.trouble = "at " + hexadecimal(offset) + ": " + what;
    }

private:
    static constexpr std::size_t k_block = 1u << 16, k_stride = 64;

    // Whether none of the words of 8 bytes there starts as a fatbin does: compared without a branch for each.
    static bool is_without_mark(const char* at) {
        const auto is = [at](std::size_t word) -> int { return load_u32(at + 8 * word) == k_fatbin_magic; };
        return (is(0) | is(1) | is(2) | is(3) | is(4) | is(5) | is(6) | is(7)) == 0;
    }

    std::uint64_t end_at(std::uint64_t offset, const std::string& what) {
        report(offset, what);
        return offset;
    }

    // False: no fatbin after this one may be read. A truncated fatbin has been reported already.
    bool entries(std::uint64_t at, std::uint64_t end, bool cut) {
        while (at < end) {
            if (end - at < k_entry_header) return reported(cut, at, "the entry's header is cut off");
            const char* head = m_window.at(at, k_entry_header);
            if (!head) {
                report(at, k_ended_early);
                return false;
            }
            const std::uint64_t header_size = load_u32(head + 4), payload = load_u64(head + 8);
            if (header_size < k_entry_header || header_size > end - at)
                return reported(
                    cut, at, "the entry's header says that it has " + std::to_string(header_size) + " bytes");
            if (payload > end - at - header_size)
                return reported(
                    cut, at, "the entry's " + std::to_string(payload) + " bytes go beyond the fatbin's end");
            if (load_u16(head + 2) != k_entry_version)
                return reported(cut, at,
                                "entries of version " + hexadecimal(load_u16(head + 2)) + " are not known");
            if (result.entries.size() >= m_most) {
                report(at, "there are more entries than " + std::to_string(m_most) + ", which are kept");
                return false;
            }
            add(head, at, header_size, payload);
            at += header_size + payload;
        }
        return true;
    }

    // The fatbin's own size still determines the start of the next one.
    bool reported(bool cut, std::uint64_t at, const std::string& what) {
        if (!cut) report(at, what);
        return true;
    }

    void add(const char* head, std::uint64_t at, std::uint64_t header_size, std::uint64_t payload) {
        result.entries.emplace_back();
        DeviceEntry& entry = result.entries.back();
        entry.raw_kind = load_u16(head);
        entry.kind = kind_of(entry.raw_kind);
        entry.relocatable = entry.raw_kind == 0x40;
        entry.fatbin = static_cast<std::uint32_t>(result.fatbins);
        entry.flags = load_u64(head + 40);
        entry.debug = entry.flags & k_flag_debug;
        entry.compressed = entry.flags & k_flag_compressed;
        entry.obfuscated = entry.flags & k_flag_obfuscated;
        entry.header = static_cast<std::uint32_t>(header_size);
        entry.offset = at + header_size;
        entry.size = payload;
        if (entry.compressed) {
            entry.uncompressed = load_u64(head + 56);
            const std::uint32_t exact = load_u32(head + 16);
            if (exact > payload) report(at, "the entry's compressed bytes are more than its bytes");
            if (exact != 0 && exact <= payload) entry.size = exact;
        }
        const std::uint16_t minor = load_u16(head + 24), major = load_u16(head + 26);
        if (entry.kind == EntryKind::ptx) entry.ptx = PtxVersion{major, minor};
        if (entry.kind == EntryKind::ltoir) entry.ir = PtxVersion{major, minor};
        // As in the bytecode's own header, one byte each.
        if (entry.kind == EntryKind::tileir) entry.ir = PtxVersion{major >> 8, major & 0xff};
        if (entry.kind == EntryKind::cubin && minor <= 0xff) entry.abi = static_cast<std::uint8_t>(minor);
        set_arch(entry, load_u32(head + 28), at);
    }

    void set_arch(DeviceEntry& entry, std::uint32_t number, std::uint64_t at) {
        if (number > 999) {
            report(at, "the entry names an architecture sm_" + std::to_string(number));
            return;
        }
        entry.arch.number = static_cast<int>(number);
        const bool a = entry.flags & k_flag_arch_a, f = entry.flags & k_flag_arch_f;
        if (a && f) report(at, "the entry says both of sm_" + std::to_string(number) + "a and f");
        if (a || f) entry.arch.suffix = a ? 'a' : 'f';
    }

    const Source& m_source;
    Window m_window;
    std::size_t m_most;
    std::vector<char> m_block;
    std::uint64_t m_looked_through = 0;
};

std::uint64_t end_of(const Source& source, std::uint64_t offset, std::uint64_t size) {
    if (offset >= source.size) return offset;
    return offset + std::min(size, source.size - offset);
}

}  // namespace

FatbinWalk walk_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size, std::size_t most) {
    Walk walk(source, most);
    const std::uint64_t end = end_of(source, offset, size);
    if (end - offset < size)
        walk.report(offset, std::to_string(size) + " bytes of fatbins go beyond the file's end");
    for (std::uint64_t at = offset, padding = 0; at < end;) {
        if (const std::uint64_t zero = walk.zeros(at, end - at)) {
            at += zero;
            padding += zero;
            if (padding <= k_max_padding) continue;
            walk.report(at, "there are only zero bytes instead of a fatbin; is the file whole?");
            break;
        }
        const std::uint64_t next = walk.fatbin(at, end - at);
        if (next <= at) break;
        at = next;
    }
    return std::move(walk.result);
}

FatbinWalk scan_fatbins(const Source& source, std::uint64_t offset, std::uint64_t size, std::size_t most,
                        std::uint64_t most_bytes) {
    if (offset >= source.size) return {};
    Walk walk(source, most);
    const std::uint64_t end = end_of(source, offset, size);
    for (std::uint64_t at = (offset + 7) / 8 * 8; at < end;) {
        at = walk.next_header(at, end, most_bytes);
        if (at >= end) break;
        const std::uint64_t next = walk.fatbin(at, end - at);
        if (next <= at) break;
        at = (next + 7) / 8 * 8;
    }
    return std::move(walk.result);
}

std::string fatbin_of(const Source& source, const DeviceEntry& entry) {
    char head[k_entry_header];
    const bool inside =
        entry.header >= k_entry_header && entry.header <= entry.offset && entry.offset <= source.size;
    if (!inside || !read_exactly(source, entry.offset - entry.header, head, sizeof head)) return {};
    const std::uint64_t payload = load_u64(head + 8);
    if (payload < entry.size || payload > source.size - entry.offset) return {};
    const std::uint64_t size = entry.header + payload;
    std::string bytes(k_fatbin_header, '\0');
    const auto put = [&bytes](std::size_t at, std::uint64_t value, std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
    };
    put(0, k_fatbin_magic, 4);
    put(4, 1, 2);
    put(6, k_fatbin_header, 2);
    put(8, size, 8);
    bytes += read_bytes(source, entry.offset - entry.header, size);
    return bytes.size() == k_fatbin_header + size ? bytes : std::string{};
}

// Verified with output of NVRTC, nvcc and cuda-tile: the version follows the magic number.

namespace {

constexpr std::string_view k_ltoir = "\xed\x43\x4e\x7f";
constexpr std::string_view k_tileir(
    "\x7f"
    "TileIR\0",
    8);

std::optional<PtxVersion> version_at(std::string_view head, std::size_t at) {
    if (head.size() < at + 2) return std::nullopt;
    return PtxVersion{static_cast<unsigned char>(head[at]), static_cast<unsigned char>(head[at + 1])};
}

}  // namespace

std::optional<RawIr> read_raw_ir(std::string_view head) {
    if (head.substr(0, k_ltoir.size()) == k_ltoir)
        return RawIr{EntryKind::ltoir, version_at(head, k_ltoir.size()),
                     version_at(head, k_ltoir.size() + 2)};
    if (head.substr(0, k_tileir.size()) == k_tileir)
        return RawIr{EntryKind::tileir, version_at(head, k_tileir.size()), std::nullopt};
    return std::nullopt;
}

}  // namespace ptxguard
