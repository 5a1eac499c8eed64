// A Host that lists each folder once: the packages around many libraries are the same ones. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "host/host.hpp"

namespace ptxguard {

class ListingHost : public Host {
public:
    explicit ListingHost(const Host& host) : m_host(host) {}

    System system() const override { return m_host.system(); }
    bool foreign() const override { return m_host.foreign(); }
    std::optional<std::string> env(const std::string& name) const override { return m_host.env(name); }
    std::map<std::string, std::string> environment() const override { return m_host.environment(); }
    FileStatus status(const std::string& path) const override { return m_host.status(path); }
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
        return m_host.read(path, limit);
    }
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override {
        return m_host.read_range(path, offset, length);
    }
    Result<Source> open(const std::string& path) const override { return m_host.open(path); }
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
        const auto known = m_lists.find(directory);
        if (known != m_lists.end()) return known->second;
        return m_lists.emplace(directory, m_host.list(directory)).first->second;
    }
    Result<std::string> real_path(const std::string& path) const override { return m_host.real_path(path); }
    std::string native_path(const std::string& path) const override { return m_host.native_path(path); }
    ProcessResult run(const Command& command) const override { return m_host.run(command); }
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned jobs) const override {
        return m_host.run_all(commands, jobs);
    }

private:
    const Host& m_host;
    mutable std::map<std::string, Result<std::vector<DirectoryEntry>>> m_lists;
};

}  // namespace ptxguard
