// A Host that asks the machine each question once: the same folders and files are looked at for many
// libraries. What changes meanwhile is not seen. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "host/host.hpp"

namespace ptxguard {

class RememberingHost : public Host {
public:
    explicit RememberingHost(const Host& host) : m_host(host) {}

    System system() const override { return m_host.system(); }
    bool foreign() const override { return m_host.foreign(); }
    std::optional<std::string> env(const std::string& name) const override { return m_host.env(name); }
    std::map<std::string, std::string> environment() const override { return m_host.environment(); }
    FileStatus status(const std::string& path) const override;
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
        return m_host.read(path, limit);
    }
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override {
        return m_host.read_range(path, offset, length);
    }
    // Small reads of one file are answered from the blocks that were read of it.
    Result<Source> open(const std::string& path) const override;
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
    Result<std::string> real_path(const std::string& path) const override;
    std::string native_path(const std::string& path) const override { return m_host.native_path(path); }
    ProcessResult run(const Command& command) const override { return m_host.run(command); }
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned jobs) const override {
        return m_host.run_all(commands, jobs);
    }

private:
    const Host& m_host;
    mutable std::unordered_map<std::string, FileStatus> m_statuses;
    mutable std::unordered_map<std::string, Result<std::string>> m_real_paths;
    mutable std::unordered_map<std::string, Source> m_sources;
    mutable std::deque<std::string> m_open;  // paths in m_sources, the oldest first
    mutable std::unordered_map<std::string, Result<std::vector<DirectoryEntry>>> m_lists;
};

}  // namespace ptxguard
