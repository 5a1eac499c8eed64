// nanobind registers a function by storing the address of its code and then that of its name into one record.
// The code of a function that returns a number loads the number into the register of the first argument and
// calls PyLong_FromLong. So the number belongs to the nearest address of such code before each address of a
// name.
// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "formats/elf.hpp"
#include "formats/sections.hpp"
#include "model/ranges.hpp"
#include "model/source.hpp"

namespace ptxguard {

namespace {

// A section with its bytes.
struct CodePiece {
    std::uint64_t address = 0;
    std::string bytes;

    bool holds(std::uint64_t at) const { return at >= address && at - address < bytes.size(); }
};

// Calls `visit` for each instruction that loads an address, in their order: its position and the address.
using VisitReference = std::function<void(std::size_t at, std::uint64_t target)>;
// The number that a function passes to the call that converts it to an object; nothing if it does more.
using Constant = std::optional<std::uint32_t>;

// AArch64: an address is loaded by `adr`, or by `adrp` and an `add` to the same register; the number by
// `movz` and `movk` into the register of the first argument.

constexpr std::size_t k_size = 4;   // of an instruction
constexpr std::size_t k_ahead = 4;  // instructions between `adrp` and its `add`
constexpr std::uint32_t k_all = ~0u;

std::uint32_t instruction(const CodePiece& code, std::size_t at) {
    return at + k_size <= code.bytes.size() ? load_u32(code.bytes.data() + at) : 0;
}

// immhi:immlo of `adr` and `adrp`, 21 bits with a sign.
std::int64_t distance(std::uint32_t word) {
    const std::uint32_t bits = ((word >> 5) & 0x7ffffu) << 2 | ((word >> 29) & 3u);
    return static_cast<std::int64_t>(bits) - ((bits & 0x100000u) != 0 ? 0x200000 : 0);
}

std::uint64_t moved(std::uint64_t address, std::int64_t by) {
    return address + static_cast<std::uint64_t>(by);
}

// What the `add` after an `adrp` adds; nothing if another instruction writes the register first.
std::optional<std::uint32_t> low_bits(const CodePiece& code, std::size_t at, std::uint32_t reg) {
    for (std::size_t next = at + k_size; next <= at + k_ahead * k_size; next += k_size) {
        const std::uint32_t word = instruction(code, next);
        const bool is_add = (word & 0xffc00000u) == 0x91000000u;  // add Xd, Xn, #imm12
        if (is_add && ((word >> 5) & 31u) == reg && (word & 31u) == reg) return (word >> 10) & 0xfffu;
        if ((word & 31u) == reg) return std::nullopt;
    }
    return std::nullopt;
}

void visit_references_aarch64(const CodePiece& code, const VisitReference& visit) {
    for (std::size_t at = 0; at + k_size <= code.bytes.size(); at += k_size) {
        const std::uint32_t word = instruction(code, at), kind = word & 0x9f000000u;
        const std::uint64_t here = code.address + at;
        if (kind == 0x10000000u) visit(at, moved(here, distance(word)));
        if (kind != 0x90000000u) continue;
        const std::uint64_t page = moved(here & ~std::uint64_t{0xfff}, distance(word) * 0x1000);
        if (const auto low = low_bits(code, at, word & 31u)) visit(at, page + *low);
    }
}

Constant constant_aarch64(const CodePiece& code, std::uint64_t address) {
    if (!code.holds(address) || (address - code.address) % k_size != 0) return std::nullopt;
    std::size_t at = static_cast<std::size_t>(address - code.address);
    const auto skip = [&](std::uint32_t mask, std::uint32_t value) {
        if ((instruction(code, at) & mask) != value) return false;
        at += k_size;
        return true;
    };
    skip(k_all, 0xd503245fu);  // bti c
    skip(k_all, 0xd503233fu);  // paciasp
    skip(k_all, 0xa9bf7bfdu);  // stp x29, x30, [sp, #-16]!
    skip(k_all, 0x910003fdu);  // mov x29, sp
    const std::uint32_t low = instruction(code, at);
    if (!skip(0x7fe0001fu, 0x52800000u)) return std::nullopt;  // movz w0 or x0, #N
    std::uint32_t number = (low >> 5) & 0xffffu;
    const std::uint32_t high = instruction(code, at);
    if (skip(0x7fe0001fu, 0x72a00000u)) number |= ((high >> 5) & 0xffffu) << 16;  // movk w0, #N, lsl #16
    const std::uint32_t call = instruction(code, at) & 0xfc000000u;
    const bool calls = call == 0x94000000u || call == 0x14000000u;  // bl, b
    return calls ? Constant(number) : std::nullopt;
}

// x86-64: an address is loaded by a `lea` relative to the next instruction, the number by a `mov` into the
// first argument's register.

constexpr std::size_t k_lea = 7;         // bytes of `lea disp32(%rip), %reg`
constexpr std::size_t k_code_size = 20;  // of the longest supported prologue

bool skip(std::string_view& code, std::string_view bytes) {
    if (code.substr(0, bytes.size()) != bytes) return false;
    code.remove_prefix(bytes.size());
    return true;
}

// The target of a `lea disp32(%rip), %reg` at `at`.
std::optional<std::uint64_t> lea_at(const CodePiece& text, std::size_t at) {
    const std::string& bytes = text.bytes;
    if (at + k_lea > bytes.size() || (bytes[at] != '\x48' && bytes[at] != '\x4c')) return std::nullopt;
    if ((static_cast<unsigned char>(bytes[at + 2]) & 0xc7u) != 0x05u) return std::nullopt;
    const auto displacement = static_cast<std::int32_t>(load_u32(bytes.data() + at + 3));
    return text.address + at + k_lea + static_cast<std::uint64_t>(static_cast<std::int64_t>(displacement));
}

void visit_references_x86_64(const CodePiece& code, const VisitReference& visit) {
    for (std::size_t at = code.bytes.find('\x8d', 1); at != std::string::npos;
         at = code.bytes.find('\x8d', at + 1))
        if (const auto target = lea_at(code, at - 1)) visit(at, *target);
}

// `mov $N, %edi` and a call or a jump, after a possible prologue.
Constant constant_x86_64(const CodePiece& text, std::uint64_t address) {
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
    return calls ? Constant(number) : std::nullopt;
}

constexpr std::uint64_t k_section_limit = 64u << 20;
constexpr std::size_t k_record_reach = 96;  // bytes of code between the two addresses of one record

std::optional<CodePiece> piece_of(const Source& source, const ElfFile& file, const char* name) {
    const ElfSection* section = file.section(name);
    const auto range = section_range(source, name);
    if (!section || !range || section->size > k_section_limit) return std::nullopt;
    return CodePiece{section->address, bytes_in(source, range, k_section_limit)};
}

// Address of each name that is a complete string there.
std::map<std::uint64_t, std::string> places_of(const CodePiece& texts,
                                               const std::vector<std::string>& names) {
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

struct Machine {
    std::uint16_t elf;
    void (*visit_references)(const CodePiece& code, const VisitReference& visit);
    Constant (*constant)(const CodePiece& code, std::uint64_t address);
};
constexpr Machine k_machines[] = {{k_em_x86_64, visit_references_x86_64, constant_x86_64},
                                  {k_em_aarch64, visit_references_aarch64, constant_aarch64}};

}  // namespace

std::map<std::string, std::uint32_t> returned_constants(const Source& source,
                                                        const std::vector<std::string>& names) {
    std::map<std::string, std::uint32_t> found;
    const auto file = read_elf(source);
    if (!file) return found;
    const auto* machine =
        first_where(k_machines, [&](const Machine& one) { return one.elf == file->machine; });
    if (!machine) return found;
    const auto texts = piece_of(source, *file, ".rodata"), code = piece_of(source, *file, ".text");
    if (!texts || !code) return found;
    const auto places = places_of(*texts, names);
    if (places.empty()) return found;
    Constant number;
    std::size_t number_at = 0;
    machine->visit_references(*code, [&](std::size_t at, std::uint64_t target) {
        if (const auto constant = machine->constant(*code, target)) {
            number = constant;
            number_at = at;
        } else if (const auto place = places.find(target); place != places.end()) {
            if (number && at - number_at <= k_record_reach) found.emplace(place->second, *number);
            number.reset();
        }
    });
    return found;
}

namespace {

// The bytes of an x86-64 instruction before its constant of 32 bits; 0 = it is none of: mov $imm32 to a
// register (B8 .. BF), or to memory (C7), whose address has a displacement, and one byte more if it has an
// index or is on the stack.
std::size_t bytes_before_constant(unsigned char opcode, unsigned char address) {
    if (opcode >= 0xb8 && opcode <= 0xbf) return 1;
    const unsigned mode = address >> 6, extension = address >> 3 & 7, base = address & 7;
    if (opcode != 0xc7 || extension != 0 || mode == 3) return 0;
    constexpr std::size_t k_displacement[] = {0, 1, 4};
    return 2 + k_displacement[mode] + (base == 4 ? 1 : 0);
}

std::vector<std::uint32_t> constants_x86(const std::string& code) {
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; at + 5 <= code.size(); ++at) {
        const std::size_t skip = bytes_before_constant(static_cast<unsigned char>(code[at]),
                                                       static_cast<unsigned char>(code[at + 1]));
        if (skip && at + skip + 4 <= code.size()) found.push_back(load_u32(&code[at + skip]));
    }
    return found;
}

// The same in aarch64 code: movz wN, #low and, up to four instructions later, movk wN, #high, lsl 16.
std::vector<std::uint32_t> constants_arm(const std::string& code) {
    std::vector<std::uint32_t> found;
    for (std::size_t at = 0; at + 4 <= code.size(); at += 4) {
        const auto word = load_u32(&code[at]);
        if ((word & 0xffe00000u) != 0x52800000u) continue;
        std::uint32_t value = word >> 5 & 0xffffu;
        for (std::size_t next = at + 4; next + 4 <= code.size() && next <= at + 16; next += 4) {
            const auto high = load_u32(&code[next]);
            if ((high & 0xffe0001fu) == (0x72a00000u | (word & 0x1fu))) value |= (high >> 5 & 0xffffu) << 16;
        }
        found.push_back(value);
    }
    return found;
}

}  // namespace

std::vector<std::uint32_t> constants_in_code(const std::string& code, std::uint16_t machine) {
    return machine == k_em_aarch64 ? constants_arm(code) : constants_x86(code);
}

}  // namespace ptxguard
