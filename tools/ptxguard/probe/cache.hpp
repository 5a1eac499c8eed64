// Probe results kept between runs: one file per question, believed only while every file that took part in
// the answer is the same. Knows nothing of what is asked. Whatever goes wrong with the folder, the cache is
// just not there.
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
    std::string question;             // kind, arguments, environment; names the entry's file
    std::vector<std::string> files;   // programs, libraries: compared by path, size and time
    std::vector<std::string> others;  // further texts to compare (hash of the PTX fed)
};

struct CacheEntry {
    std::vector<ProbeResult> results;
    std::vector<std::string> headers;  // read by the compiler in that run; compared as the files are
    std::string ptx;                   // made in that run
};

class ProbeCache {
public:
    // `folder` empty = no cache. `host` is asked for the identity of the files.
    ProbeCache(const Host& host, std::string folder);

    std::optional<CacheEntry> find(const CacheKey& key) const;
    // Nothing is stored where an answer is broken or unknown: it may be another one next time.
    void store(const CacheKey& key, const CacheEntry& entry) const;

private:
    std::string identity(const std::string& path) const;
    std::string file_of(const CacheKey& key) const;

    const Host& m_host;
    std::string m_folder;
    mutable std::map<std::string, std::string> m_identities;  // asked once per run
};

// 128 bits, as 32 hex digits; for names and comparisons, not against forgers.
std::string digest(std::string_view bytes);

// Reads a file of our own (work folder, cache), never one of the judged system.
Result<std::string> read_own_file(const std::string& path, std::size_t limit = 16u << 20);

}  // namespace ptxguard
