// Plain searches over bytes that the caller has cut out; only elf_section() follows offsets.
// SPDX-License-Identifier: Apache-2.0
#include "formats/library_text.hpp"

#include <algorithm>
#include <cstring>

namespace ptxguard {
namespace {

constexpr std::size_t k_max_sections = 4096;
constexpr std::size_t k_max_name_table = 1u << 20;

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t width) {
    if (at > bytes.size() || bytes.size() - at < width) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::optional<ByteRange> checked(std::uint64_t begin, std::uint64_t length, std::uint64_t size) {
    if (length == 0 || begin >= size || length > size - begin) return std::nullopt;
    return ByteRange{begin, begin + length};
}

// A mangled name that passes std::string in the old ABI: "Ss" as a type behind a parameter, pointer or
// reference.
bool takes_old_string(std::string_view name) {
    for (const char* sign : {"ERKSs", "ESs", "RKSs", "RSs", "OSs", "PKSs", "PSs", "_Ss", "SsE"})
        if (name.find(sign) != std::string_view::npos) return true;
    return false;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

bool same(const std::vector<Target>& a, const std::vector<Target>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

std::optional<ByteRange> elf_section(const ReadAt& read, std::uint64_t size, std::string_view name) {
    const std::string head = read(0, 64);
    if (program_format(head) != ProgramFormat::elf || head.size() < 64 || head[4] != 2 || head[5] != 1)
        return std::nullopt;
    const std::uint64_t offset = little(head, 0x28, 8), row = little(head, 0x3a, 2);
    const std::uint64_t count = little(head, 0x3c, 2), names = little(head, 0x3e, 2);
    if (row < 64 || row > 256 || count > k_max_sections || names >= count) return std::nullopt;
    if (!checked(offset, row * count, size)) return std::nullopt;
    const std::string table = read(offset, static_cast<std::size_t>(row * count));
    const std::size_t name_row = static_cast<std::size_t>(names * row);
    const auto range = checked(little(table, name_row + 0x18, 8), little(table, name_row + 0x20, 8), size);
    if (!range || range->end - range->begin > k_max_name_table) return std::nullopt;
    const std::string text = read(range->begin, static_cast<std::size_t>(range->end - range->begin));
    for (std::size_t at = 0; at + 64 <= table.size(); at += static_cast<std::size_t>(row)) {
        const std::uint64_t name_at = little(table, at, 4);
        if (name_at >= text.size() || std::string_view(text.c_str() + name_at) != name) continue;
        return checked(little(table, at + 0x18, 8), little(table, at + 0x20, 8), size);
    }
    return std::nullopt;
}

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
        const auto known =
            std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return t.arch == *arch; });
        if (known == targets.end()) {
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
        if (at > 0 && bytes[at - 1] != '\0') continue;  // in the middle of a longer text
        const std::string_view text = bytes.substr(at, bytes.find('\0', at) - at);
        if (text.size() > 400) continue;
        const std::vector<std::string> words = words_of(text);
        if (words.size() < 2) continue;  // a lone name may mean anything
        const auto targets = parse_arch_words(words, ptx_is_both);
        if (!targets) continue;
        if (found && !same(*found, *targets)) return std::nullopt;
        found = targets;
    }
    return found;
}

}  // namespace ptxguard
