// Where glibc's loader searches for one name, in order: folders of a search list with their subfolders, the
// cache, the default folders; and whether it accepts a file there. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/ld_cache.hpp"
#include "host/host.hpp"
#include "model/loading.hpp"

namespace ptxguard {

// The rules of the checked system's glibc loader, built in or from /etc: default folders, $LIB, $PLATFORM,
// the subfolders for the processor, ld.so.cache, /etc/ld.so.preload. Read from the loader's own file. Inner
// header.

// A folder below each search folder that the loader searches first.
struct LinuxSubfolder {
    std::string name;   // "glibc-hwcaps/x86-64-v3", "tls/x86_64"
    std::string never;  // why it is not searched here; empty = it is
};

struct LinuxSystem {
    std::uint16_t machine = 0;  // k_em_x86_64, k_em_aarch64
    std::string loader;         // path of ld.so; empty = none
    std::string loader_soname;  // "ld-linux-x86-64.so.2"
    std::vector<std::string> default_folders;
    bool any_default_folder = false;         // at least one of them exists
    bool of_other_machine = false;           // it has a loader for another processor, and none for this one
    std::string lib, platform;               // values of $LIB and $PLATFORM
    std::vector<LinuxSubfolder> subfolders;  // highest priority first, without the folder itself
    std::string cache_path;                  // "/etc/ld.so.cache"
    std::shared_ptr<const std::string> cache_bytes;  // buffer of the views in `cache`
    LdCache cache;
    std::vector<std::string> preload_file;  // names in /etc/ld.so.preload
    // glibc 2.41 and newer make the stack executable at the start only, for no file that is opened later.
    bool keeps_stack = false;
    std::string trouble;  // why this loader's rules are not known: it is musl's
};

// `interpreter` is the program's; empty for a library, which any program may open.
LinuxSystem linux_system(const Host& host, std::uint16_t machine, const std::string& interpreter);

// The folders in the bytes of an ld.so: "/lib64/" NUL "/usr/lib64/" NUL.
std::vector<std::string> folders_in_loader(std::string_view bytes);

// The subfolders that this ld.so searches on this processor (text of /proc/cpuinfo; empty = not known).
std::string loader_platform(std::string_view bytes, std::uint16_t machine, std::string_view cpuinfo);
// The release 2.x that ld.so 2.33 and newer prints with --version; 0 = older, or not known.
int loader_minor(std::string_view bytes);
std::vector<LinuxSubfolder> loader_subfolders(std::string_view bytes, std::uint16_t machine,
                                              std::string_view cpuinfo);

// The cache's entries for a name and machine type, the one that the loader tries first.
struct CachedPath {
    std::string path;
    std::string never;  // for the others: why the loader does not reach them
};
std::vector<CachedPath> cached_paths(const LinuxSystem& system, std::string_view name);

// The values of $ORIGIN, $LIB and $PLATFORM in strings of one file.
struct DynamicTokens {
    std::optional<std::string> origin;
    std::string lib, platform;
};
// "$NAME" and "${NAME}"; other '$' stay. Nothing if the origin is needed and not known.
std::optional<std::string> expand_tokens(std::string_view text, const DynamicTokens& tokens);

struct SearchFolder {
    std::string written;  // "$ORIGIN/../lib"
    std::string folder;   // without '/' at the end; empty = the current folder
};
struct SearchList {
    LoadRule rule;  // "DT_RPATH of libx.so", "LD_LIBRARY_PATH"
    std::vector<SearchFolder> folders;
};
// Each folder once. `separators`: ":" of RPATH and RUNPATH, ":;" of LD_LIBRARY_PATH.
SearchList search_list(LoadRule rule, std::string_view text, std::string_view separators,
                       const DynamicTokens& tokens);

// One path at which the loader may try a name.
struct SearchPlace {
    std::string path;
    LoadRule rule;
    std::string written;
    std::string never;  // why the loader does not reach this one; empty = it does
};

// What the loader finds at a path.
enum class CandidateState { absent, denied, other_machine, broken, fits };
struct Candidate {
    CandidateState state = CandidateState::absent;
    std::string why;  // for other_machine and broken, in the loader's wording if there is one
    std::uint64_t device = 0, inode = 0;
};

// Limits for one process. A thousand libraries in some hundred folders stay far below them.
struct SearchBudget {
    std::size_t steps = 1u << 24;        // folders visited and names requested
    std::size_t paths = 1u << 19;        // distinct paths
    std::size_t list_bytes = 32u << 20;  // of all search lists
};

// Reads each path once.
class LinuxFiles {
public:
    LinuxFiles(const Host& host, std::uint16_t machine, SearchBudget budget = {})
        : m_host(host), m_machine(machine), m_budget(budget) {}
    // False: a limit is reached, so files that were not found may exist.
    bool step(std::size_t count = 1) {
        m_steps += std::min(count, m_budget.steps);
        return !is_spent();
    }
    bool take_list(const SearchList& list);
    bool is_spent() const {
        return m_steps > m_budget.steps || m_list_bytes > m_budget.list_bytes ||
               m_candidates.size() + m_folders.size() > m_budget.paths;
    }
    const Candidate& candidate(const std::string& path);
    bool folder(const std::string& path);

private:
    Candidate examine(const std::string& path) const;

    const Host& m_host;
    std::uint16_t m_machine;
    const SearchBudget m_budget;
    std::size_t m_steps = 0, m_list_bytes = 0;
    std::unordered_map<std::string, Candidate> m_candidates;
    std::unordered_map<std::string, bool> m_folders;
};

// Calls `visit` for each place of a name until it returns false; then returns false.
using VisitPlace = std::function<bool(const SearchPlace&)>;
bool visit_list(LinuxFiles& files, const LinuxSystem& system, const SearchList& list, const std::string& name,
                const VisitPlace& visit);

}  // namespace ptxguard
