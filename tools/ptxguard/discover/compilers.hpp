// Every producer and consumer of PTX on a machine: in toolkits, on PATH, in Python packages, in drivers, and
// those that the user named. Each tool once, under any path. Runs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/matrix.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"
#include "packages/owner.hpp"

namespace ptxguard {

struct CompilerSearch {
    bool only_named = false;  // skip PATH, packages and toolkits that no option names
    bool only_named_drivers = false;
    bool scan = false;               // nothing will be run: versions come from strings in the files
    std::vector<std::string> tools;  // files that tool_file identified
};
// Uses the toolkits, drivers, picks and the Python environment of the scenario.
void discover_compilers(const Host& host, const Request& request, const CompilerSearch& search,
                        Scenario& scenario, Matrix& matrix);

// Producers and consumers while they are collected.

class FoundCompilers {
public:
    FoundCompilers(const Host& host, Matrix& matrix) : m_host(host), m_matrix(matrix), m_owners(host) {}

    const Host& host() const { return m_host; }
    PackageOwners& owners() { return m_owners; }
    // False if the file does not exist. A tool that was found under another path gets this one as an
    // additional name.
    bool add(ConsumerKind kind, const std::string& path, const Known<Version>& version = {},
             const std::string& used_for = {});
    bool add(ProducerKind kind, const std::string& path, const Known<Version>& version = {});
    // nvcc: one per toolkit, because its output depends on the toolkit.
    Producer& add_nvcc(const Toolkit& toolkit, const Part& nvcc);
    Producer& add_triton(const std::string& folder, const Known<Version>& version);
    void add_driver(const Driver& driver);
    void add_lto_producers();                        // once all NVRTC and nvJitLink are known
    void add_picks(const std::vector<Pick>& picks);  // of frameworks
    void add_gpus(const Driver& driver, const std::vector<Gpu>& gpus);

private:
    struct Mark {
        FileStatus status;
        std::string path;
        std::size_t index = 0;
    };
    Consumer* consumer_at(const std::string& path);
    void add_use(const std::string& path, const std::string& used_for);
    bool same_tool(const Mark& known, const std::string& path, const FileStatus& status) const;
    std::string sample(const std::string& path, const FileStatus& status) const;
    template <typename Tool, typename Kind>
    bool add_to(std::vector<Tool>& all, std::multimap<Kind, Mark>& marks, Kind kind, const std::string& path,
                const Known<Version>& version);

    const Host& m_host;
    Matrix& m_matrix;
    PackageOwners m_owners;
    std::multimap<ConsumerKind, Mark> m_consumers;
    std::multimap<ProducerKind, Mark> m_producers;
    mutable std::map<std::string, std::string> m_samples;
};

// Wheels of NVIDIA, Triton and torch.
void find_python_compilers(const PythonEnvironment& python, FoundCompilers& found);
// tileiras in a folder of programs.
void add_tileiras(const std::string& folder, FoundCompilers& found);
// libnvrtc, libnvJitLink in a folder.
void find_libraries_in(const std::string& folder, FoundCompilers& found);
// libnvJitLink only.
void find_linker_in(const std::string& folder, FoundCompilers& found);
// From the name of the real file or from its package.
Known<Version> library_version(FoundCompilers& found, const std::string& path, const char* library);

}  // namespace ptxguard
