// Searches .rodata piece by piece; a name that is assembled at run time ("libcublas.so.%d") is not found.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_text.hpp"

#include <algorithm>
#include <string_view>

namespace ptxguard {

namespace {

constexpr std::uint64_t k_most_bytes = 64u << 20;  // of .rodata
constexpr std::size_t k_piece = 64u << 10;
constexpr std::size_t k_most_names = 256;
constexpr std::size_t k_longest = 128;

bool is_name_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
}
bool is_number_character(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// The NUL-terminated string around the ".so" at `at`, if all of it is a library name; otherwise empty.
std::string_view name_around(std::string_view bytes, std::size_t at) {
    std::size_t start = at, end = at + 3;
    while (start > 0 && at - start < k_longest && is_name_character(bytes[start - 1])) --start;
    while (end < bytes.size() && end - at < k_longest && is_number_character(bytes[end])) ++end;
    const bool whole = end < bytes.size() && bytes[end] == '\0' && (start == 0 || bytes[start - 1] == '\0');
    const std::string_view name = bytes.substr(start, end - start);
    return whole && name.substr(0, 3) == "lib" && at > start + 3 ? name : std::string_view();
}

void add_names(std::string_view bytes, std::vector<std::string>& names) {
    for (std::size_t at = bytes.find(".so"); at != std::string_view::npos; at = bytes.find(".so", at + 1)) {
        const std::string name(name_around(bytes, at));
        if (name.empty() || names.size() >= k_most_names) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
}

}  // namespace

std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file) {
    std::vector<std::string> names;
    const ElfSection* section = file.section(".rodata");
    if (!section || section->type == k_sht_nobits) return names;
    const Source part = part_of(source, section->offset, std::min(section->size, k_most_bytes));
    // Pieces overlap by more than the length of a name.
    std::vector<char> piece(k_piece + 4 * k_longest);
    for (std::uint64_t at = 0; at < part.size; at += k_piece) {
        const std::size_t got = part.read(at, piece.data(), piece.size());
        add_names(std::string_view(piece.data(), got), names);
    }
    return names;
}

}  // namespace ptxguard
