// The start of a PTX text: comments and the directives .version, .target and .address_size, in this order.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "formats/device_code.hpp"
#include "formats/window.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_max_target_words = 16;

class Words {
public:
    explicit Words(std::string_view text) : m_rest(text) {
        if (m_rest.substr(0, 3) == "\xef\xbb\xbf") m_rest.remove_prefix(3);
    }

    // The next word; a comma is a separate word. Empty at the end. Comments are skipped, but the toolkit in
    // such a comment is kept.
    std::string_view next() {
        skip();
        std::size_t end = 0;
        while (end < m_rest.size() && !ends_word(m_rest[end])) ++end;
        if (end == 0 && !m_rest.empty()) end = 1;
        const std::string_view word = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        return word;
    }
    std::string_view peek() {
        Words copy = *this;
        return copy.next();
    }
    void skip_line() { m_rest.remove_prefix(std::min(m_rest.find('\n'), m_rest.size())); }
    std::optional<Version> toolkit;

private:
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool ends_word(char c) { return is_blank(c) || c == ',' || c == '/' || c == '\0'; }

    void skip() {
        for (;;) {
            while (!m_rest.empty() && is_blank(m_rest.front())) m_rest.remove_prefix(1);
            const std::string_view start = m_rest.substr(0, 2);
            if (start != "//" && start != "/*") return;
            const std::string_view mark = start == "//" ? "\n" : "*/";
            const std::size_t found = m_rest.find(mark, 2);
            const std::size_t end = found == std::string_view::npos ? m_rest.size() : found + mark.size();
            const std::string_view comment = m_rest.substr(0, end);
            if (!toolkit && comment.find("Cuda compilation tools, release") != std::string_view::npos)
                toolkit = find_version(comment, ", V");
            m_rest.remove_prefix(end);
        }
    }

    std::string_view m_rest;
};

Trouble ptx_trouble(const std::string& what) { return Trouble{"the PTX text", what, ""}; }

std::string shown(std::string_view word) { return "'" + std::string(word.substr(0, 40)) + "'"; }

std::optional<Trouble> read_target(Words& words, PtxFacts& facts) {
    if (words.next() != ".target") return ptx_trouble("has no .target line behind .version");
    const std::string_view word = words.next();
    const std::optional<Arch> arch = word.substr(0, 3) == "sm_" ? parse_arch(word) : std::nullopt;
    if (!arch) return ptx_trouble("has a .target that is not an architecture: " + shown(word));
    facts.target = *arch;
    for (std::size_t i = 0; i < k_max_target_words && words.peek() == ","; ++i) {
        words.next();
        if (words.next() == "debug") facts.debug = true;
    }
    return std::nullopt;
}

}  // namespace

Result<PtxFacts> read_ptx(std::string_view text) {
    Words words(text);
    if (words.next() != ".version") return ptx_trouble("has no .version line");
    PtxFacts facts;
    const std::string_view version = words.next();
    const std::optional<PtxVersion> number = parse_ptx_version(version);
    if (!number) return ptx_trouble("has a .version that is not a number: " + shown(version));
    facts.version = *number;
    if (const auto trouble = read_target(words, facts)) return *trouble;
    if (words.peek() == ".address_size") {
        words.next();
        const std::string_view size = words.next();
        facts.address_size = size == "64" ? 64 : size == "32" ? 32 : 0;
    }
    facts.toolkit = words.toolkit;
    return facts;
}

bool is_empty_ptx(std::string_view text) {
    text = text.substr(0, text.find_last_not_of('\0') + 1);
    Words words(text);
    PtxFacts facts;
    if (words.next() != ".version" || !parse_ptx_version(words.next()) || read_target(words, facts))
        return false;
    if (words.peek() == ".address_size") {
        words.next();
        words.next();
    }
    // Files and sections are of debug information.
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".file") {
            words.skip_line();
        } else if (word == ".section") {
            while (word != "}" && !word.empty()) word = words.next();
        } else {
            return false;
        }
    }
    return true;
}

bool looks_like_ptx(std::string_view head) { return Words(head).next() == ".version"; }

// Cubins: the ELF header in the two generations (ABI 7 and 8), and the notes with the version of ptxas.
// Also for a cubin of which only the beginning is available.

namespace {

constexpr std::size_t k_elf_header = 64, k_section_header = 64;
constexpr std::size_t k_max_cubin_sections = 1u << 20, k_max_note = 1u << 16, k_searched_prefix = 1u << 20;
constexpr std::uint32_t k_sht_note = 7, k_sht_nv_compat = 0x70000086, k_note_tkinfo = 2000;
constexpr std::uint8_t k_compat_accelerator_target = 9;  // value 1: built for exactly this GPU ('a')
constexpr int k_first_with_suffix = 90;
constexpr std::string_view k_owner("NVIDIA Corp\0", 12);

// The string in `bytes` from `at` up to its zero byte; empty if there is none.
std::string_view text_at(std::string_view bytes, std::size_t at) {
    if (at >= bytes.size()) return {};
    const std::size_t end = bytes.find('\0', at);
    return end == std::string_view::npos ? std::string_view() : bytes.substr(at, end - at);
}

// u32 format, five u32 offsets of texts: object, tool, "Cuda compilation tools, release 13.0, V13.0.88",
// branch, options.
void read_tkinfo(std::string_view description, CubinFacts& facts) {
    constexpr std::size_t k_texts = 24;
    if (description.size() < k_texts) return;
    const std::string_view texts = description.substr(k_texts);
    facts.toolkit = find_version(text_at(texts, load_u32(description.data() + 12)), ", V");
    const std::string_view options = text_at(texts, load_u32(description.data() + 20));
    if (!options.empty()) facts.options = std::string(options);
}

// `bytes` starts with a note. Returns its length with padding; 0 if it is not a note.
std::size_t read_note(std::string_view bytes, CubinFacts& facts) {
    if (bytes.size() < 12) return 0;
    const std::uint64_t name = load_u32(bytes.data()), description = load_u32(bytes.data() + 4);
    const std::uint64_t begin = 12 + (name + 3) / 4 * 4, length = begin + (description + 3) / 4 * 4;
    if (begin + description > bytes.size()) return 0;
    if (load_u32(bytes.data() + 8) == k_note_tkinfo &&
        bytes.substr(12, static_cast<std::size_t>(name)) == k_owner) {
        read_tkinfo(bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(description)),
                    facts);
    }
    return static_cast<std::size_t>(length);
}

void read_notes(std::string_view bytes, CubinFacts& facts) {
    while (!bytes.empty() && !facts.toolkit) {
        const std::size_t length = read_note(bytes, facts);
        if (length == 0) return;
        bytes.remove_prefix(std::min(length, bytes.size()));
    }
}

// Records of a u8 format, a u8 id and a u16 value; the value of format 4 is the length of bytes that follow.
void read_compat(std::string_view bytes, CubinFacts& facts) {
    while (bytes.size() >= 4) {
        const auto format = static_cast<std::uint8_t>(bytes[0]), id = static_cast<std::uint8_t>(bytes[1]);
        const std::uint16_t value = load_u16(bytes.data() + 2);
        if (id == k_compat_accelerator_target && format != 4 && value == 1) facts.arch.suffix = 'a';
        bytes.remove_prefix(std::min<std::size_t>(format == 4 ? 4u + value : 4u, bytes.size()));
    }
}

// The section headers are at the end of a cubin. False: they are not available.
bool read_sections(const Source& source, const char* head, CubinFacts& facts) {
    const std::uint64_t table = load_u64(head + 40);
    std::uint64_t count = load_u16(head + 60);
    Window window(source);
    if (table == 0 || load_u16(head + 58) != k_section_header || table >= source.size) return false;
    const char* first = window.at(table, k_section_header);
    if (!first) return false;
    if (count == 0) count = load_u64(first + 32);
    count = std::min<std::uint64_t>({count, (source.size - table) / k_section_header, k_max_cubin_sections});
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* section = window.at(table + i * k_section_header, k_section_header);
        if (!section) return false;
        const std::uint32_t type = load_u32(section + 4);
        if (type != k_sht_note && type != k_sht_nv_compat) continue;
        const std::uint64_t offset = load_u64(section + 24), size = load_u64(section + 32);
        const std::string bytes =
            read_bytes(source, offset, static_cast<std::size_t>(std::min<std::uint64_t>(size, k_max_note)));
        if (type == k_sht_note && !facts.toolkit) read_notes(bytes, facts);
        if (type == k_sht_nv_compat) read_compat(bytes, facts);
    }
    return true;
}

// Finds the note by its owner's name, if only the beginning of a cubin is available.
void search_note(const Source& source, CubinFacts& facts) {
    const std::string bytes = read_bytes(
        source, 0, static_cast<std::size_t>(std::min<std::uint64_t>(source.size, k_searched_prefix)));
    for (std::size_t at = bytes.find(k_owner); at != std::string::npos && !facts.toolkit;
         at = bytes.find(k_owner, at + 1))
        if (at >= 12) read_note(std::string_view(bytes).substr(at - 12), facts);
}

void read_abi_7(const char* head, CubinFacts& facts) {
    const std::uint32_t release = load_u32(head + 20), flags = load_u32(head + 48);
    facts.arch.number = static_cast<int>(flags & 0xff);
    // Relocatable cubins for sm_50 to sm_61 in cuBLAS 11 also have this bit, long before 'a' existed.
    if ((flags & 0x800) && facts.arch.number >= k_first_with_suffix) facts.arch.suffix = 'a';
    if (release >= 50 && release < 1000)
        facts.toolkit = parse_version(std::to_string(release / 10) + "." + std::to_string(release % 10));
}

void read_abi_8(const char* head, CubinFacts& facts) {
    const std::uint32_t flags = load_u32(head + 48);
    facts.arch.number = static_cast<int>(flags >> 8 & 0xff);
    if (flags & 0x8) facts.arch.suffix = 'a';  // CUDA 12.8 and 12.9; since 13.0 it is in .nv.compat
}

}  // namespace

bool is_cubin(std::string_view head) {
    return head.size() >= 20 && std::memcmp(head.data(), "\177ELF\x02\x01", 6) == 0 &&
           load_u16(head.data() + 18) == 190;
}

Result<CubinFacts> read_cubin(const Source& source) {
    char head[k_elf_header];
    if (!read_exactly(source, 0, head, sizeof head))
        return Trouble{"the cubin", "is cut off in its header", ""};
    if (!is_cubin({head, sizeof head})) return Trouble{"the cubin", "has no header of one", ""};
    CubinFacts facts;
    facts.abi = static_cast<std::uint8_t>(head[8]);
    facts.relocatable = load_u16(head + 16) == 1;
    if (facts.abi == 7) {
        read_abi_7(head, facts);
        return facts;
    }
    // The notes of a later ABI would still contain the toolkit, but its encoding of the architecture is not
    // known.
    if (facts.abi == 8) read_abi_8(head, facts);
    if (!read_sections(source, head, facts)) search_note(source, facts);
    return facts;
}

// A section that takes memory on the GPU is a function or a variable; names, notes and debug information take
// none.
bool is_empty_cubin(const Source& source) {
    constexpr std::uint64_t k_shf_alloc = 2;
    char head[k_elf_header];
    if (!read_exactly(source, 0, head, sizeof head) || !is_cubin({head, sizeof head})) return false;
    const std::uint64_t table = load_u64(head + 40), count = load_u16(head + 60);
    const bool whole = load_u16(head + 58) == k_section_header && table <= source.size &&
                       count <= (source.size - table) / k_section_header;
    if (count < 2 || !whole) return false;  // the first one is always empty
    for (std::uint64_t i = 0; i < count; ++i) {
        char section[k_section_header];
        if (!read_exactly(source, table + i * k_section_header, section, sizeof section)) return false;
        if ((load_u64(section + 8) & k_shf_alloc) && load_u64(section + 32) != 0) return false;
    }
    return true;
}

}  // namespace ptxguard
