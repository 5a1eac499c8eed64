// Plain searches in bytes that the caller has read.
// SPDX-License-Identifier: Apache-2.0
#include "formats/library_text.hpp"

#include <algorithm>

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

}  // namespace ptxguard
