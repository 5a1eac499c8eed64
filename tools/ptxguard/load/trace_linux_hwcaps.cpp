// Folders for certain processors: glibc-hwcaps/ (glibc 2.33 and newer) and the older tls/, platform and
// capability folders (until 2.36), and which entry of ld.so.cache they select.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "load/trace_linux_search.hpp"
#include "model/ranges.hpp"
#include "model/version.hpp"

namespace ptxguard {

namespace {

constexpr int k_last_with_old_folders = 36;  // glibc 2.36
constexpr std::int32_t k_any_elf = 1, k_x86_64_libc6 = 0x0303, k_aarch64_libc6 = 0x0a03;

using Words = std::vector<std::string>;

// Words of the first line of /proc/cpuinfo that starts with `key`.
Words cpu_words(std::string_view cpuinfo, std::string_view key) {
    for (const std::string& line : split(cpuinfo, "\n")) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && starts_with(line, key)) return split(line.substr(colon + 1), " \t");
    }
    return {};
}

bool has_all(const Words& words, const Words& wanted) {
    return all_of(wanted, [&](const std::string& word) { return contains(words, word); });
}
bool has_text(std::string_view bytes, std::string_view text) {
    return bytes.find(text) != std::string_view::npos;
}

// 1 to 4 of x86-64-v1 to -v4.
int x86_level(const Words& flags) {
    if (!has_all(flags, {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})) return 1;
    if (!has_all(flags, {"avx", "avx2", "f16c", "fma", "abm", "movbe", "bmi1", "bmi2"})) return 2;
    return has_all(flags, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? 4 : 3;
}

// ld.so 2.33 and newer prints its release with --version; 0 = older.
int minor_of(std::string_view bytes) {
    const std::string_view before = "release version 2.";
    const std::size_t at = bytes.find(before);
    if (at == std::string_view::npos) return 0;
    const std::string_view rest = bytes.substr(at + before.size(), 2);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = parse_version(rest.substr(0, digits));
    return number ? number->major() : 0;
}

void add_named(std::uint16_t machine, const Words& flags, std::vector<LinuxSubfolder>& folders) {
    if (machine != k_em_x86_64) return;  // no names are defined for aarch64
    const int level = x86_level(flags);
    for (int folder = 4; folder > 1; --folder) {
        const std::string name = "x86-64-v" + std::to_string(folder);
        std::string never;
        if (flags.empty())
            never = "counts on processors with " + name + " only, and the processor is not known";
        if (!flags.empty() && folder > level) never = "the processor lacks " + name;
        folders.push_back({"glibc-hwcaps/" + name, never});
    }
}

// Every combination of the names, from all to one: tls/x86_64, tls, x86_64.
void add_choices(const Words& names, std::vector<LinuxSubfolder>& folders) {
    for (std::size_t choice = (std::size_t{1} << names.size()) - 1; choice > 0; --choice) {
        std::string path;
        for (std::size_t name = 0; name < names.size(); ++name) {
            if (!(choice >> (names.size() - 1 - name) & 1)) continue;
            path += (path.empty() ? "" : "/") + names[name];
        }
        const auto same = [&](const LinuxSubfolder& folder) { return folder.name == path; };
        if (none_of(folders, same)) folders.push_back({path, ""});
    }
}

Words old_names(std::string_view bytes, std::uint16_t machine, std::string_view cpuinfo) {
    Words names = {"tls", loader_platform(bytes, machine, cpuinfo)};
    if (machine == k_em_aarch64) {
        if (has_text(bytes, "atomics") && contains(cpu_words(cpuinfo, "Features"), "atomics"))
            names.push_back("atomics");
    } else if (has_text(bytes, "haswell")) {
        const bool intel = contains(cpu_words(cpuinfo, "vendor_id"), "GenuineIntel");
        if (intel && x86_level(cpu_words(cpuinfo, "flags")) == 4) names.push_back("avx512_1");
        names.push_back("x86_64");
    }
    return names;
}

// Position of a cached path among the subfolders; their number = in none of them; nothing = in one that is
// not searched.
std::optional<std::size_t> rank(const LinuxSystem& system, const LdCacheEntry& entry) {
    const std::size_t none = system.subfolders.size();
    if (entry.hwcap == 0 && entry.hwcap_folder.empty()) return none;
    const std::string folder = parent_path(entry.path);
    for (std::size_t at = 0; at < none; ++at) {
        if (ends_with(folder, "/" + system.subfolders[at].name)) return at;
    }
    return std::nullopt;
}

}  // namespace

std::string loader_platform(std::string_view bytes, std::uint16_t machine, std::string_view cpuinfo) {
    if (machine == k_em_aarch64) return "aarch64";
    // Since 2.26 glibc has separate names for Intel processors.
    const Words flags = cpu_words(cpuinfo, "flags");
    const bool intel =
        contains(cpu_words(cpuinfo, "vendor_id"), "GenuineIntel") && has_text(bytes, "haswell");
    if (intel && has_all(flags, {"avx512cd", "avx512er", "avx512pf"})) return "xeon_phi";
    return intel && x86_level(flags) >= 3 ? "haswell" : "x86_64";
}

std::vector<LinuxSubfolder> loader_subfolders(std::string_view bytes, std::uint16_t machine,
                                              std::string_view cpuinfo) {
    std::vector<LinuxSubfolder> folders;
    if (has_text(bytes, "glibc-hwcaps")) add_named(machine, cpu_words(cpuinfo, "flags"), folders);
    if (!bytes.empty() && minor_of(bytes) <= k_last_with_old_folders) {
        add_choices(old_names(bytes, machine, cpuinfo), folders);
    }
    return folders;
}

std::vector<CachedPath> cached_paths(const LinuxSystem& system, std::string_view name) {
    const std::int32_t wanted = system.machine == k_em_aarch64 ? k_aarch64_libc6 : k_x86_64_libc6;
    std::vector<std::pair<std::size_t, CachedPath>> found;
    for (const LdCacheEntry& entry : system.cache.entries) {
        if (entry.name != name || (entry.flags != wanted && entry.flags != k_any_elf)) continue;
        const auto place = rank(system, entry);
        const std::size_t last = system.subfolders.size();
        std::string never = !place          ? "for other processors"
                            : *place < last ? system.subfolders[*place].never
                                            : "";
        found.push_back({place.value_or(last + 1), {std::string(entry.path), std::move(never)}});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<CachedPath> paths;
    bool taken = false;
    for (auto& [ignored, path] : found) {
        if (taken && path.never.empty()) path.never = "ld.so.cache names another file first";
        taken = taken || path.never.empty();
        paths.push_back(std::move(path));
    }
    return paths;
}

}  // namespace ptxguard
