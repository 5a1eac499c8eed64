// A caching Host that reads everything once: the same folders, records and libraries are used by many
// readers. Changes in the meantime are not seen, so it lives only as long as one run. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

class RememberingHost : public Host {
public:
    explicit RememberingHost(const Host& host) : m_host(host) {}

    System system() const override { return m_host.system(); }
    bool foreign() const override { return m_host.foreign(); }
    std::optional<std::string> env(const std::string& name) const override { return m_host.env(name); }
    std::map<std::string, std::string> environment() const override { return m_host.environment(); }
    std::map<std::string, std::string> later_environment() const override {
        return m_host.later_environment();
    }
    std::optional<RegistryKey> registry(const std::string& key) const override {
        return m_host.registry(key);
    }
    FileStatus status(const std::string& path) const override;
    // Files of up to 1 MiB are kept, 64 MiB in total; those above 16 KiB when they are read again.
    Result<std::string> read(const std::string& path, std::size_t limit) const override;
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override {
        return m_host.read_range(path, offset, length);
    }
    // Small reads of one file are served from cached blocks.
    Result<Source> open(const std::string& path) const override;
    Result<Entries> list(const std::string& directory) const override;
    Result<std::vector<std::string>> names(const std::string& directory) const override;
    Result<std::string> real_path(const std::string& path) const override;
    std::string native_path(const std::string& path) const override { return m_host.native_path(path); }
    ProcessResult run(const Command& command) const override { return m_host.run(command); }
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned jobs) const override {
        return m_host.run_all(commands, jobs);
    }

    void add_limit(const Trouble& trouble) const override;
    // One for each file or folder of which only a part was read, and for files that were too large to be
    // read.
    std::vector<Trouble> limits() const;

private:
    template <typename Answer>
    using ByPath = std::unordered_map<std::string, Answer>;
    // The cached answer, otherwise that of `ask`. The machine is read without the lock: two threads may read
    // the same at once, and both get an answer.
    template <typename Answer, typename Ask>
    Answer remembered(ByPath<Answer>& known, const std::string& path, const Ask& ask) const;
    template <typename Answer, typename Ask>
    Answer listed(ByPath<Answer>& known, const std::string& directory, const Ask& ask) const;
    Result<std::string> ask_real_path(const std::string& path) const;
    bool close_kept() const;  // false = none

    const Host& m_host;
    mutable std::mutex m_mutex;  // for all below
    mutable ByPath<FileStatus> m_statuses;
    mutable ByPath<Result<std::string>> m_real_paths;
    mutable ByPath<Result<Entries>> m_lists;
    mutable ByPath<Result<std::vector<std::string>>> m_names;
    mutable std::map<std::pair<std::string, std::size_t>, Result<std::string>> m_texts;  // path and limit
    mutable std::size_t m_text_bytes = 0;
    mutable std::set<std::pair<std::string, std::size_t>> m_read_once;
    mutable std::map<std::string, Trouble> m_limits;  // by path
    mutable ByPath<Source> m_sources;
    mutable std::deque<std::string> m_open;  // paths in m_sources, the oldest first
};

}  // namespace ptxguard
