// Plain searches in bytes that the caller has read.
// SPDX-License-Identifier: Apache-2.0
#include "formats/library_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/sections.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A mangled name with std::string in the old ABI: "Ss" as a type after a parameter, pointer or reference.
bool takes_old_string(std::string_view name) {
    for (const char* sign : {"ERKSs", "ESs", "RKSs", "RSs", "OSs", "PKSs", "PSs", "_Ss", "SsE"})
        if (name.find(sign) != std::string_view::npos) return true;
    return false;
}

bool same(const std::vector<Target>& a, const std::vector<Target>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

std::optional<int> string_abi(std::string_view names, std::string_view scope) {
    bool old_abi = false;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find('\0'), names.size());
        const std::string_view name = names.substr(0, end);
        names.remove_prefix(std::min(end + 1, names.size()));
        if (name.substr(0, 2) != "_Z" || name.find(scope) == std::string_view::npos) continue;
        if (name.find("St7__cxx1112basic_string") != std::string_view::npos) return 1;
        old_abi = old_abi || takes_old_string(name);
    }
    return old_abi ? std::optional<int>(0) : std::nullopt;
}

std::optional<std::vector<Target>> parse_arch_words(const std::vector<std::string>& words, bool ptx_is_both) {
    std::vector<Target> targets;
    for (const std::string& word : words) {
        const bool ptx = word.compare(0, 8, "compute_") == 0;
        const auto arch = ptx || word.compare(0, 3, "sm_") == 0 ? parse_arch(word) : std::nullopt;
        if (!arch) return std::nullopt;
        auto* known = first_where(targets, [&](const Target& t) { return t.arch == *arch; });
        if (!known) {
            targets.push_back(Target{*arch, !ptx || ptx_is_both, ptx});
        } else {
            known->real = known->real || !ptx || ptx_is_both;
            known->ptx = known->ptx || ptx;
        }
    }
    if (targets.empty()) return std::nullopt;
    return targets;
}

std::optional<std::vector<Target>> find_arch_flags(std::string_view bytes, bool ptx_is_both) {
    std::optional<std::vector<Target>> found;
    for (std::size_t at = bytes.find("sm_"); at != std::string_view::npos; at = bytes.find("sm_", at + 3)) {
        if (at > 0 && bytes[at - 1] != '\0') continue;  // in the middle of a longer string
        const std::string_view text = bytes.substr(at, bytes.find('\0', at) - at);
        if (text.size() > 400) continue;
        const std::vector<std::string> words = split(text, " ");
        if (words.size() < 2) continue;  // a single name may have another meaning
        const auto targets = parse_arch_words(words, ptx_is_both);
        if (!targets) continue;
        if (found && !same(*found, *targets)) return std::nullopt;
        found = targets;
    }
    return found;
}

std::string_view mangled_scope(std::string_view name) {
    if (!starts_with(name, "_Z")) return {};
    name.remove_prefix(2);
    // vtable, VTT, typeinfo and its name; guard variable; local of a function.
    for (const char* prefix : {"TV", "TT", "TI", "TS", "GV", "Z"})
        if (starts_with(name, prefix)) {
            name.remove_prefix(std::string_view(prefix).size());
            break;
        }
    if (!starts_with(name, "N")) return {};
    name.remove_prefix(1);
    while (!name.empty() && (name[0] == 'K' || name[0] == 'V' || name[0] == 'r')) name.remove_prefix(1);
    std::size_t length = 0, digits = 0;
    for (; digits < name.size() && digits < 4 && name[digits] >= '0' && name[digits] <= '9'; ++digits)
        length = length * 10 + static_cast<std::size_t>(name[digits] - '0');
    name.remove_prefix(digits);
    return length <= name.size() ? name.substr(0, length) : std::string_view();
}

namespace {

constexpr std::uint64_t k_most_bytes = 64u << 20;  // of .rodata
constexpr std::size_t k_searched_piece = 64u << 10;
constexpr std::size_t k_most_later_names = 256;
constexpr std::size_t k_longest_opened = 128;
constexpr std::uint64_t k_most_of_dll = 32u << 20;
constexpr std::size_t k_longest_dll = 64;

bool is_name_character(char c) { return is_word_character(c, "_-+."); }
bool is_number_character(char c) { return is_digit(c) || c == '.'; }

// The NUL-terminated string around the ".so" at `at`, if all of it is a library name, or with `with_paths`
// the absolute path of one; otherwise empty.
std::string_view name_around(std::string_view bytes, std::size_t at, bool with_paths) {
    std::size_t start = at, end = at + 3;
    while (start > 0 && at - start < k_longest_opened && is_name_character(bytes[start - 1])) --start;
    while (end < bytes.size() && end - at < k_longest_opened && is_number_character(bytes[end])) ++end;
    if (bytes.substr(start, 3) != "lib" || at <= start + 3) return {};
    std::size_t first = start;
    while (with_paths && first > 0 && start - first < k_longest_opened &&
           (is_name_character(bytes[first - 1]) || bytes[first - 1] == '/'))
        --first;
    if (first != start && bytes[first] != '/') return {};
    const bool whole = end < bytes.size() && bytes[end] == '\0' && (first == 0 || bytes[first - 1] == '\0');
    return whole ? bytes.substr(first, end - first) : std::string_view();
}

// A name that is assembled at run time ("libcublas.so.%d") is not found.
void add_names(std::string_view bytes, bool with_paths, std::vector<std::string>& names) {
    for (std::size_t at = bytes.find(".so"); at != std::string_view::npos; at = bytes.find(".so", at + 1)) {
        const std::string name(name_around(bytes, at, with_paths));
        if (name.empty() || names.size() >= k_most_later_names) continue;
        if (!contains(names, name)) names.push_back(name);
    }
}

// "cublas64_12.dll" before each ".dll" of the text; `step` 2 reads UTF-16.
void add_dll_names(std::string_view text, std::size_t step, std::set<std::string>& names) {
    const std::string mark = step == 1 ? ".dll" : std::string(".\0d\0l\0l", 7);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        std::string name;
        for (std::size_t i = at; i >= step && name.size() < k_longest_dll; i -= step) {
            if (!is_name_character(text[i - step]) || (step == 2 && text[i - 1] != '\0')) break;
            name += text[i - step];
        }
        std::reverse(name.begin(), name.end());
        if (!name.empty()) names.insert(name + ".dll");
    }
}

}  // namespace

std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file, bool with_paths) {
    std::vector<std::string> names;
    const ElfSection* section = file.section(".rodata");
    if (!section || section->type == k_sht_nobits) return names;
    const std::uint64_t end = section->offset + std::min(section->size, k_most_bytes);
    // Pieces overlap by more than the length of a name.
    visit_pieces(source, {section->offset, end}, k_searched_piece, 4 * k_longest_opened,
                 [&](std::string_view bytes) {
                     add_names(bytes, with_paths, names);
                     return true;
                 });
    return names;
}

std::set<std::string> dll_names_in_text(const Source& source, const PeFile& pe) {
    std::set<std::string> names;
    std::uint64_t left = k_most_of_dll;
    for (const PeSection& section : pe.sections) {
        if (section.name != ".rdata" && section.name != ".data") continue;
        const std::uint64_t size = std::min<std::uint64_t>(section.size, left);
        left -= size;
        visit_pieces(source, {section.offset, section.offset + size}, k_searched_piece, 2 * k_longest_dll,
                     [&](std::string_view bytes) {
                         add_dll_names(bytes, 1, names);
                         add_dll_names(bytes, 2, names);
                         return true;
                     });
    }
    return names;
}

}  // namespace ptxguard
