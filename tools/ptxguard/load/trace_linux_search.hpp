// Where glibc's loader looks for one name, in order: folders of a search list with their subfolders, the
// cache, the default folders; and whether a file there is one that it takes. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/host.hpp"
#include "load/trace_linux_system.hpp"

namespace ptxguard {

// What $ORIGIN, $LIB and $PLATFORM stand for in texts of one file.
struct DynamicTokens {
    std::optional<std::string> origin;
    std::string lib, platform;
};
// "$NAME" and "${NAME}"; other '$' stay. Nothing where the origin is asked for and not known.
std::optional<std::string> expand_tokens(std::string_view text, const DynamicTokens& tokens);

struct SearchFolder {
    std::string written;  // "$ORIGIN/../lib"
    std::string folder;   // without '/' at its end; empty = the current folder
};
struct SearchList {
    std::string rule;  // "DT_RPATH of libx.so", "LD_LIBRARY_PATH"
    std::vector<SearchFolder> folders;
};
// Each folder once. `separators`: ":" of RPATH and RUNPATH, ":;" of LD_LIBRARY_PATH.
SearchList search_list(std::string rule, std::string_view text, std::string_view separators,
                       const DynamicTokens& tokens);

// One path at which the loader may try a name.
struct SearchPlace {
    std::string path;
    std::string rule, written;
    std::string never;  // why the loader does not come to this one; empty = it does
};

// What the loader thinks of a file.
enum class CandidateState { absent, denied, other_machine, broken, fits };
struct Candidate {
    CandidateState state = CandidateState::absent;
    std::string why;  // of other_machine and broken, in the loader's words where it has some
    std::uint64_t device = 0, inode = 0;
};

// Asks the host about each path once.
class LinuxFiles {
public:
    LinuxFiles(const Host& host, std::uint16_t machine) : m_host(host), m_machine(machine) {}
    const Candidate& candidate(const std::string& path);
    bool folder(const std::string& path);

private:
    Candidate examine(const std::string& path) const;

    const Host& m_host;
    std::uint16_t m_machine;
    std::unordered_map<std::string, Candidate> m_candidates;
    std::unordered_map<std::string, bool> m_folders;
};

// Calls `visit` for the places of a name until it returns false. False: it did.
using VisitPlace = std::function<bool(const SearchPlace&)>;
bool visit_list(LinuxFiles& files, const LinuxSystem& system, const SearchList& list, const std::string& name,
                const VisitPlace& visit);

}  // namespace ptxguard
