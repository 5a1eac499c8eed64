// x86-64: an address is loaded by a `lea` relative to the next instruction, the number by a `mov` into the
// first argument's register.
// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants_code.hpp"
#include "model/source.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_lea = 7;         // bytes of `lea disp32(%rip), %reg`
constexpr std::size_t k_code_size = 20;  // of the longest beginning that is understood

bool skip(std::string_view& code, std::string_view bytes) {
    if (code.substr(0, bytes.size()) != bytes) return false;
    code.remove_prefix(bytes.size());
    return true;
}

// Where a `lea disp32(%rip), %reg` at `at` leads to.
std::optional<std::uint64_t> lea_at(const CodePiece& text, std::size_t at) {
    const std::string& bytes = text.bytes;
    if (at + k_lea > bytes.size() || (bytes[at] != '\x48' && bytes[at] != '\x4c')) return std::nullopt;
    if ((static_cast<unsigned char>(bytes[at + 2]) & 0xc7u) != 0x05u) return std::nullopt;
    const auto displacement = static_cast<std::int32_t>(load_u32(bytes.data() + at + 3));
    return text.address + at + k_lea + static_cast<std::uint64_t>(static_cast<std::int64_t>(displacement));
}

}  // namespace

void visit_references_x86_64(const CodePiece& code, const VisitReference& visit) {
    for (std::size_t at = code.bytes.find('\x8d', 1); at != std::string::npos;
         at = code.bytes.find('\x8d', at + 1))
        if (const auto target = lea_at(code, at - 1)) visit(at, *target);
}

// `mov $N, %edi` and a call or a jump, behind what may open a function.
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

}  // namespace ptxguard
