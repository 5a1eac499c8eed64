// AArch64: an address is loaded by `adr`, or by `adrp` and an `add` to the same register; the number by
// `movz` and `movk` into the register of the first argument.
// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants_code.hpp"
#include "model/source.hpp"

namespace ptxguard {
namespace {

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

}  // namespace

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

}  // namespace ptxguard
