// A machine in memory, for tests:
//     FakeHost host;
//     host.program("/opt/cuda/bin/nvcc", "release 13.0").link("/usr/local/cuda", "/opt/cuda").env("PATH",
//     "/opt/bin");
// Folders above a file need not be created. Links are followed as a real system does; under System::windows
// names are case-insensitive and '\' separates. Relative paths start at PWD (on Windows CD), or at the root
// if it is not set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "host/host.hpp"

namespace ptxguard {

class FakeHost : public Host {
public:
    explicit FakeHost(System system = System::linux_) : m_system(system) {}

    FakeHost& file(const std::string& path, const std::string& text = {});
    FakeHost& program(const std::string& path,
                      std::function<ProcessResult(const Command&)> answer);  // an executable file
    FakeHost& program(const std::string& path, const std::string& out,
                      int exit_code = 0);  // same answer to all
    FakeHost& folder(const std::string& path);
    FakeHost& read_only(const std::string& path);  // a folder
    FakeHost& link(const std::string& path, const std::string& target);
    FakeHost& unreadable(const std::string& path);
    FakeHost& env(const std::string& name, const std::string& value);
    FakeHost& later_env(const std::string& name, const std::string& value);
    // Below HKEY_LOCAL_MACHINE; also adds the keys above it.
    FakeHost& registry_value(const std::string& key, const std::string& name, const std::string& value);
    FakeHost& foreign(bool yes);

    System system() const override { return m_system; }
    bool foreign() const override { return m_foreign; }
    std::optional<std::string> env(const std::string& name) const override;
    std::map<std::string, std::string> environment() const override { return m_environment; }
    std::map<std::string, std::string> later_environment() const override { return m_later_environment; }
    std::optional<RegistryKey> registry(const std::string& key) const override;
    FileStatus status(const std::string& path) const override;
    Result<std::string> read(const std::string& path, std::size_t limit) const override;
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override;
    Result<Source> open(const std::string& path) const override;
    Result<Entries> list(const std::string& directory) const override;
    Result<std::string> real_path(const std::string& path) const override;
    std::string native_path(const std::string& path) const override { return path; }
    ProcessResult run(const Command& command) const override;
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned jobs) const override;

    mutable std::vector<Command> commands_run;  // requested runs, in order

private:
    struct Node {
        std::string path;  // as written by the test
        std::uint64_t id = 0;
        FileType type = FileType::regular;
        std::string text, link;
        bool executable = false, read_only = false;
        std::function<ProcessResult(const Command&)> answer;
    };
    std::string absolute(const std::string& path) const;
    std::string key(const std::string& path) const;
    const Node* find(const std::string& path) const;
    Node& put(const std::string& path, FileType type);
    // Follows links; null with `type` set to dangling_link, link_loop, unreadable or missing.
    const Node* resolve(const std::string& path, std::string* real, FileType* type) const;

    System m_system;
    bool m_foreign = false;
    std::map<std::string, Node> m_nodes;  // by key()
    std::map<std::string, std::string> m_environment, m_later_environment;
    std::map<std::string, RegistryKey> m_registry;  // by lower-case name
};

}  // namespace ptxguard
