// Search folders in the syntax of glibc's loader, and its check of a file's first bytes.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_search.hpp"

#include <algorithm>
#include <unordered_set>

#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "load/load.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_header_bytes = 64;
constexpr std::size_t k_with_segments = 1024;  // the program headers follow the header

// Length of this token after a '$'; 0 = another token.
std::size_t token_length(std::string_view text, std::string_view name) {
    const bool braces = !text.empty() && text[0] == '{';
    if (braces) text.remove_prefix(1);
    if (text.substr(0, name.size()) != name) return 0;
    const char behind = text.size() > name.size() ? text[name.size()] : '\0';
    if (braces) return behind == '}' ? name.size() + 2 : 0;
    return is_word_character(behind) ? 0 : name.size();
}

// The loader maps a truncated file beyond its end, and the process ends with a bus error.
bool ends_within_segments(std::string_view head, std::uint64_t size) {
    constexpr std::size_t k_table = 32, k_entry_size = 54, k_count = 56, k_offset = 8, k_file_size = 32;
    constexpr std::size_t k_entry = 56;
    constexpr std::uint32_t k_load = 1;
    const std::uint64_t table = load_u64(head.data() + k_table);
    const std::uint16_t step = load_u16(head.data() + k_entry_size);
    for (std::uint16_t i = 0; i < load_u16(head.data() + k_count) && table <= head.size(); ++i) {
        const std::uint64_t at = table + std::uint64_t{i} * step;
        if (at + k_entry > head.size()) break;
        const char* entry = head.data() + at;
        const std::uint64_t offset = load_u64(entry + k_offset), bytes = load_u64(entry + k_file_size);
        if (load_u32(entry) == k_load && (offset > size || bytes > size - offset)) return true;
    }
    return false;
}

Candidate judge_head(std::string_view head, std::uint64_t size, std::uint16_t machine) {
    const auto broken = [](const char* why) { return Candidate{CandidateState::broken, why}; };
    if (head.size() < k_header_bytes) return broken("file too short");
    if (!is_elf(head)) return broken("invalid ELF header");
    const std::string name = elf_machine(head);
    const Candidate other{CandidateState::other_machine,
                          "for another machine" + (name.empty() ? std::string() : " (" + name + ")")};
    constexpr std::size_t k_class = 4, k_data = 5, k_version = 6, k_os_abi = 7, k_type = 16, k_machine = 18;
    if (head[k_class] != 2) return other;
    if (head[k_data] != 1) return broken("ELF file data encoding not little-endian");
    if (head[k_version] != 1) return broken("ELF file version ident does not match current one");
    if (head[k_os_abi] != 0 && head[k_os_abi] != 3) return broken("ELF file OS ABI invalid");
    if (load_u16(head.data() + k_machine) != machine) return other;
    const std::uint16_t type = load_u16(head.data() + k_type);
    if (type != 2 && type != 3) return broken("only ET_DYN and ET_EXEC can be loaded");
    if (ends_within_segments(head, size)) return broken("the file is shorter than its segments");
    return {CandidateState::fits, ""};
}

Candidate judge_library(const Source& source, std::uint16_t machine) {
    return judge_head(read_bytes(source, 0, k_with_segments), source.size, machine);
}

}  // namespace

std::string why_not_loaded(const Host& host, const std::string& path) {
    constexpr std::size_t k_machine = 18;
    const Result<Source> source = host.open(path);
    if (!source) return "";
    const std::string head = read_bytes(*source, 0, k_header_bytes);
    const bool whole = head.size() == k_header_bytes && is_elf(head);
    return judge_library(*source, whole ? load_u16(head.data() + k_machine) : k_em_x86_64).why;
}

std::optional<std::string> expand_tokens(std::string_view text, const DynamicTokens& tokens) {
    std::string result;
    while (!text.empty()) {
        const std::size_t dollar = std::min(text.find('$'), text.size());
        result += text.substr(0, dollar);
        text.remove_prefix(dollar);
        if (text.empty()) break;
        text.remove_prefix(1);
        if (const std::size_t origin = token_length(text, "ORIGIN")) {
            if (!tokens.origin) return std::nullopt;
            result += *tokens.origin;
            text.remove_prefix(origin);
        } else if (const std::size_t lib = token_length(text, "LIB")) {
            result += tokens.lib;
            text.remove_prefix(lib);
        } else if (const std::size_t platform = token_length(text, "PLATFORM")) {
            result += tokens.platform;
            text.remove_prefix(platform);
        } else {
            result += '$';
        }
    }
    return result;
}

SearchList search_list(LoadRule rule, std::string_view text, std::string_view separators,
                       const DynamicTokens& tokens) {
    SearchList list;
    list.rule = std::move(rule);
    std::unordered_set<std::string> seen;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
        const std::string_view written = text.substr(start, end - start);
        start = end + 1;
        std::optional<std::string> folder = expand_tokens(written, tokens);
        if (!folder || (folder->empty() && !written.empty())) continue;
        while (folder->size() > 1 && folder->back() == '/') folder->pop_back();
        if (!seen.insert(*folder).second) continue;
        list.folders.push_back({std::string(written), std::move(*folder)});
    }
    return list;
}

Candidate LinuxFiles::examine(const std::string& path) const {
    const FileStatus status = m_host.status(path);
    Candidate candidate;
    switch (status.type) {
        case FileType::missing:
        case FileType::dangling_link:
        case FileType::link_loop: return candidate;
        case FileType::unreadable: candidate.state = CandidateState::denied; return candidate;
        case FileType::directory:
        case FileType::other: candidate = {CandidateState::broken, "cannot read file data"}; break;
        case FileType::regular: {
            // A readable file that we cannot open (too many open files) is not absent: it is resolved, and
            // reading it reports why it cannot be opened.
            const Result<Source> source = m_host.open(path);
            candidate.state = CandidateState::fits;
            if (source) candidate = judge_library(*source, m_machine);
        }
    }
    candidate.device = status.device;
    candidate.inode = status.inode;
    return candidate;
}

const Candidate& LinuxFiles::candidate(const std::string& path) {
    const auto known = m_candidates.find(path);
    if (known != m_candidates.end()) return known->second;
    return m_candidates.emplace(path, examine(path)).first->second;
}

bool LinuxFiles::folder(const std::string& path) {
    const auto known = m_folders.find(path);
    if (known != m_folders.end()) return known->second;
    const bool is = m_host.status(path).type == FileType::directory;
    return m_folders.emplace(path, is).first->second;
}

bool LinuxFiles::take_list(const SearchList& list) {
    for (const SearchFolder& folder : list.folders)
        m_list_bytes += sizeof folder + folder.folder.size() + folder.written.size();
    return !is_spent();
}

bool visit_list(LinuxFiles& files, const LinuxSystem& system, const SearchList& list, const std::string& name,
                const VisitPlace& visit) {
    for (const SearchFolder& folder : list.folders) {
        if (!files.step(1 + system.subfolders.size())) return false;
        const std::string start =
            folder.folder.empty() || folder.folder == "/" ? folder.folder : folder.folder + "/";
        if (!files.folder(folder.folder.empty() ? "." : folder.folder)) continue;
        for (const LinuxSubfolder& sub : system.subfolders) {
            // Most folders have none: look for "glibc-hwcaps" and "tls" once.
            if (!files.folder(start + sub.name.substr(0, sub.name.find('/')))) continue;
            if (!visit({start + sub.name + "/" + name, list.rule, folder.written, sub.never})) return false;
        }
        if (!visit({start + name, list.rule, folder.written, ""})) return false;
    }
    return true;
}

// Folders for certain processors: glibc-hwcaps/ (glibc 2.33 and newer) and the older tls/, platform and
// capability folders (until 2.36), and which entry of ld.so.cache they select.

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

int loader_minor(std::string_view bytes) {
    const std::string_view before = "release version 2.";
    const std::size_t at = bytes.find(before);
    if (at == std::string_view::npos) return 0;
    const std::string_view rest = bytes.substr(at + before.size(), 2);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = parse_version(rest.substr(0, digits));
    return number ? number->major() : 0;
}

std::vector<LinuxSubfolder> loader_subfolders(std::string_view bytes, std::uint16_t machine,
                                              std::string_view cpuinfo) {
    std::vector<LinuxSubfolder> folders;
    if (has_text(bytes, "glibc-hwcaps")) add_named(machine, cpu_words(cpuinfo, "flags"), folders);
    if (!bytes.empty() && loader_minor(bytes) <= k_last_with_old_folders) {
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
