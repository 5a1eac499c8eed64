// This machine as a Host: the platform's files and processes under one environment. --env K=V overrides the
// real environment, for us and for the programs that we start.
// SPDX-License-Identifier: Apache-2.0
#include "host/host.hpp"
#include "host/names.hpp"
#include "host/platform.hpp"

namespace ptxguard {

namespace {

class RealHost : public Host {
public:
    explicit RealHost(const std::map<std::string, std::string>& extra)
        : m_environment(platform::environment()) {
        for (const auto& [name, value] : extra)
            set_variable(m_environment, name, value, platform::this_system());
    }

    System system() const override { return platform::this_system(); }
    bool foreign() const override { return false; }
    std::optional<std::string> env(const std::string& name) const override {
        return variable(m_environment, name, platform::this_system());
    }
    std::map<std::string, std::string> environment() const override { return m_environment; }
    std::map<std::string, std::string> later_environment() const override {
        return platform::later_environment();
    }
    std::optional<RegistryKey> registry(const std::string& key) const override {
        return platform::registry(key);
    }

    FileStatus status(const std::string& path) const override { return platform::status(path); }
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
        return platform::read(path, limit);
    }
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override {
        return platform::read_range(path, offset, length);
    }
    Result<Source> open(const std::string& path) const override { return platform::open(path); }
    Result<Entries> list(const std::string& directory) const override {
        auto entries = platform::list(directory);
        return entries ? Result<Entries>(std::move(*entries)) : entries.trouble();
    }
    Result<std::vector<std::string>> names(const std::string& directory) const override {
        return platform::names(directory);
    }
    Result<std::string> real_path(const std::string& path) const override {
        return platform::real_path(path);
    }
    std::string native_path(const std::string& path) const override { return path; }

    ProcessResult run(const Command& command) const override {
        platform::Environment environment = m_environment;
        // We parse messages: they must be English, with a dot in numbers.
        set_variable(environment, "LC_ALL", "C", platform::this_system());
        for (const auto& [name, value] : command.environment)
            set_variable(environment, name, value, platform::this_system());
        return platform::run(command, environment);
    }
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned jobs) const override {
        return platform::run_parallel(commands, jobs,
                                      [this](const Command& command) { return run(command); });
    }

private:
    platform::Environment m_environment;
};

}  // namespace

std::unique_ptr<Host> real_host(std::map<std::string, std::string> extra_environment) {
    return std::make_unique<RealHost>(extra_environment);
}

}  // namespace ptxguard
