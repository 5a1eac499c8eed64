// nanobind registers a function by storing the address of its code and then that of its name into one record,
// each by a `lea` relative to the next instruction. The code of a function that returns a number loads the
// number into the first argument's register and calls PyLong_FromLong. So: of each `lea` of a name the
// nearest `lea` before it that leads to such code tells the number.
// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants.hpp"

#include <optional>

#include "formats/elf.hpp"
#include "formats/sections.hpp"

namespace ptxguard {
namespace {

constexpr std::uint64_t k_section_limit = 64u << 20;
constexpr std::size_t k_lea = 7;         // bytes of `lea disp32(%rip), %reg`
constexpr std::size_t k_reach = 96;      // of the code between the two `lea` of one record
constexpr std::size_t k_code_size = 20;  // of the longest beginning that is understood

// A section with its bytes.
struct Piece {
    std::uint64_t address = 0;
    std::string bytes;

    bool holds(std::uint64_t at) const { return at >= address && at - address < bytes.size(); }
};

std::optional<Piece> piece_of(const Source& source, const ElfFile& file, const char* name) {
    const ElfSection* section = file.section(name);
    const auto range = section_range(source, name);
    if (!section || !range || section->size > k_section_limit) return std::nullopt;
    return Piece{section->address, bytes_in(source, range, k_section_limit)};
}

// Address of each name that stands there as a whole text.
std::map<std::uint64_t, std::string> places_of(const Piece& texts, const std::vector<std::string>& names) {
    std::map<std::uint64_t, std::string> places;
    for (const std::string& name : names) {
        if (name.empty()) continue;
        const std::string text = name + '\0';
        for (std::size_t at = texts.bytes.find(text); at != std::string::npos;
             at = texts.bytes.find(text, at + 1))
            places[texts.address + at] = name;
    }
    return places;
}

bool skip(std::string_view& code, std::string_view bytes) {
    if (code.substr(0, bytes.size()) != bytes) return false;
    code.remove_prefix(bytes.size());
    return true;
}

// `mov $N, %edi` and a call or a jump, behind what may open a function.
std::optional<std::uint32_t> constant_of(const Piece& text, std::uint64_t address) {
    using namespace std::string_view_literals;
    if (!text.holds(address)) return std::nullopt;
    std::string_view code = std::string_view(text.bytes).substr(address - text.address, k_code_size);
    skip(code, "\xf3\x0f\x1e\xfa"sv);                                   // endbr64
    if (skip(code, "\x55"sv)) skip(code, "\x48\x89\xe5"sv);             // push %rbp; mov %rsp, %rbp
    skip(code, "\x48\x83\xec\x08"sv);                                   // sub $8, %rsp
    if (!skip(code, "\xbf"sv) || code.size() < 6) return std::nullopt;  // mov $N, %edi
    const std::uint32_t number = load_u32(code.data());
    code.remove_prefix(4);
    const bool calls = code[0] == '\xe8' || code[0] == '\xe9' || code.substr(0, 2) == "\xff\x15"sv ||
                       code.substr(0, 2) == "\xff\x25"sv;
    return calls ? std::optional<std::uint32_t>(number) : std::nullopt;
}

// Where a `lea disp32(%rip), %reg` at `at` leads to.
std::optional<std::uint64_t> lea_at(const Piece& text, std::size_t at) {
    const std::string& bytes = text.bytes;
    if (at + k_lea > bytes.size() || (bytes[at] != '\x48' && bytes[at] != '\x4c')) return std::nullopt;
    if ((static_cast<unsigned char>(bytes[at + 2]) & 0xc7u) != 0x05u) return std::nullopt;
    const auto displacement = static_cast<std::int32_t>(load_u32(bytes.data() + at + 3));
    return text.address + at + k_lea + static_cast<std::uint64_t>(static_cast<std::int64_t>(displacement));
}

}  // namespace

std::map<std::string, std::uint32_t> returned_constants(const Source& source,
                                                        const std::vector<std::string>& names) {
    const auto file = read_elf(source);
    if (!file || file->machine != k_em_x86_64) return {};
    const auto texts = piece_of(source, *file, ".rodata"), code = piece_of(source, *file, ".text");
    if (!texts || !code) return {};
    const auto places = places_of(*texts, names);
    std::map<std::string, std::uint32_t> found;
    if (places.empty()) return found;
    std::optional<std::uint32_t> number;
    std::size_t number_at = 0;
    for (std::size_t at = code->bytes.find('\x8d', 1); at != std::string::npos;
         at = code->bytes.find('\x8d', at + 1)) {
        const auto target = lea_at(*code, at - 1);
        if (!target) continue;
        if (const auto constant = constant_of(*code, *target)) {
            number = constant;
            number_at = at;
        } else if (const auto place = places.find(*target); place != places.end()) {
            if (number && at - number_at <= k_reach) found.emplace(place->second, *number);
            number.reset();
        }
    }
    return found;
}

}  // namespace ptxguard
