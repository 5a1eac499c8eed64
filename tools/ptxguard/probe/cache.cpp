// Entries are JSON files that are replaced as a whole, so several processes can share the folder.
// SPDX-License-Identifier: Apache-2.0
#include "probe/cache.hpp"

#include "host/paths.hpp"
#include "model/serialize.hpp"

namespace ptxguard {

namespace {

constexpr const char* k_schema = "ptxguard/probe-1";

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash) {
    for (char byte : bytes) {
        hash ^= static_cast<unsigned char>(byte);
        hash *= 1099511628211ull;
    }
    return hash;
}

void append_hex(std::string& text, std::uint64_t value) {
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
}

Json texts(const std::vector<std::string>& values) {
    Json array = Json::array();
    for (const std::string& value : values) array.push(value);
    return array;
}

bool same_texts(const Json& array, const std::vector<std::string>& values) {
    if (!array.is_array() || array.size() != values.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (array.items()[i].as_string() != values[i]) return false;
    }
    return true;
}

bool worth_keeping(const CacheEntry& entry) {
    for (const ProbeResult& result : entry.results) {
        if (result.outcome == Outcome::broken || result.outcome == Outcome::unknown || result.timed_out)
            return false;
    }
    return !entry.results.empty();
}

}  // namespace

std::string digest(std::string_view bytes) {
    std::string text;
    append_hex(text, fnv1a(bytes, 14695981039346656037ull));
    append_hex(text, fnv1a(bytes, 0x9e3779b97f4a7c15ull ^ bytes.size()));
    return text;
}

Result<std::string> read_own_file(const std::string& path, std::size_t limit) {
    static const std::unique_ptr<Host> k_ours = real_host();
    return k_ours->read(path, limit);
}

ProbeCache::ProbeCache(const Host& host, std::string folder) : m_host(host), m_folder(std::move(folder)) {}

std::string ProbeCache::identity(const std::string& path) const {
    auto known = m_identities.find(path);
    if (known != m_identities.end()) return known->second;
    FileStatus status = m_host.status(path);
    std::string text = "||";
    if (status.type != FileType::missing)
        text = std::to_string(status.size) + "|" + std::to_string(status.mtime_ns) +
               (status.executable ? "x|" : "|");  // chmod does not change the time
    return m_identities[path] = text + path;
}

// The name does not contain the identities: a toolkit that is updated in place overwrites its own entries.
std::string ProbeCache::file_of(const CacheKey& key) const {
    return join_path(join_path(m_folder, "probes"), digest(key.question) + ".json");
}

std::optional<CacheEntry> ProbeCache::find(const CacheKey& key) const {
    if (m_folder.empty()) return std::nullopt;
    auto text = read_own_file(file_of(key));
    if (!text) return std::nullopt;
    auto json = parse_json(*text, "cache entry");
    if (!json || (*json)["schema"].as_string() != k_schema || (*json)["question"].as_string() != key.question)
        return std::nullopt;
    std::vector<std::string> files;
    for (const std::string& path : key.files) files.push_back(identity(path));
    if (!same_texts((*json)["files"], files) || !same_texts((*json)["others"], key.others))
        return std::nullopt;
    CacheEntry entry;
    for (const Json& header : (*json)["headers"].items()) {
        const std::string& stored = header.as_string();
        std::size_t bar = stored.find('|');
        if (bar != std::string::npos) bar = stored.find('|', bar + 1);  // size|time|path
        if (bar == std::string::npos) return std::nullopt;
        std::string path = stored.substr(bar + 1);
        if (identity(path) != stored) return std::nullopt;
        entry.headers.push_back(path);
    }
    for (const Json& item : (*json)["results"].items()) {
        auto result = probe_from_json(item);
        if (!result) return std::nullopt;
        result->cached = true;
        entry.results.push_back(*result);
    }
    entry.ptx = (*json)["ptx"].as_string();
    // Truncated by a full disk, or edited: the PTX must be the one that was stored.
    if ((*json)["ptx_digest"].as_string() != digest(entry.ptx) || !worth_keeping(entry)) return std::nullopt;
    return entry;
}

void ProbeCache::store(const CacheKey& key, const CacheEntry& entry) const {
    if (m_folder.empty() || !worth_keeping(entry)) return;
    std::vector<std::string> files, headers;
    for (const std::string& path : key.files) files.push_back(identity(path));
    for (const std::string& path : entry.headers) headers.push_back(identity(path));
    Json results = Json::array();
    for (const ProbeResult& result : entry.results) results.push(to_json(result));
    Json json = Json::object();
    json.set("schema", k_schema).set("question", key.question).set("files", texts(files));
    json.set("others", texts(key.others)).set("headers", texts(headers)).set("results", std::move(results));
    json.set("ptx", entry.ptx).set("ptx_digest", digest(entry.ptx));
    // A cache folder that cannot be written is not the user's problem.
    (void)own::write_file(file_of(key), to_text(json, -1));
}

}  // namespace ptxguard
