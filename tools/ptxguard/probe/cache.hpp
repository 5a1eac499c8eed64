// Probe results kept between runs: one file per query, used only while every file that affects the answer is
// unchanged. Knows nothing about the queries. If anything is wrong with the folder, there is simply no cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"
#include "model/probe.hpp"

namespace ptxguard {

// What can change an answer.
struct CacheKey {
    std::string question;             // kind, arguments, environment; the entry's file name
    std::vector<std::string> files;   // programs, libraries: compared by path, size and time
    std::vector<std::string> others;  // other strings to compare (hash of the PTX)
};

struct CacheEntry {
    std::vector<ProbeResult> results;
    std::vector<std::string> headers;  // read by the compiler in that run; compared like the files
    std::string ptx;                   // written in that run
};

class ProbeCache {
public:
    // `folder` empty = no cache. `host` provides the identity of the files.
    ProbeCache(const Host& host, std::string folder);

    std::optional<CacheEntry> find(const CacheKey& key) const;
    // Broken or unknown answers are not stored: they may differ next time.
    void store(const CacheKey& key, const CacheEntry& entry) const;

private:
    std::string identity(const std::string& path) const;
    std::string file_of(const CacheKey& key) const;

    const Host& m_host;
    std::string m_folder;
    mutable std::map<std::string, std::string> m_identities;  // asked once per run
};

// 128 bits, as 32 hex digits; for names and comparisons, not for security.
std::string digest(std::string_view bytes);

// Reads one of our own files (work folder, cache), never one of the checked system.
Result<std::string> read_own_file(const std::string& path, std::size_t limit = 16u << 20);

}  // namespace ptxguard
