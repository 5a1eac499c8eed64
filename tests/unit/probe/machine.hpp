// A machine made of texts with a small CUDA 13.0 on it, for the tests of the plan and of the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "host/fake_host.hpp"
#include "host/paths.hpp"
#include "probe/probe.hpp"

namespace machine {

using namespace ptxguard;

inline const char* const k_nvcc = "/opt/cuda/bin/nvcc";
inline const char* const k_ptxas = "/opt/cuda/bin/ptxas";
inline const char* const k_jit = "/usr/lib/libnvidia-ptxjitcompiler.so.1";

// A folder of our own, removed after the test.
struct Folder {
    std::string path = *own::temporary_folder();
    ~Folder() { own::remove_tree(path); }
};

inline ProcessResult exited(int code, const std::string& err = {}, const std::string& out = {}) {
    ProcessResult result;
    result.state = ProcessResult::State::exited;
    result.exit_code = code;
    result.err = err;
    result.out = out;
    return result;
}

inline bool has(const Command& command, const std::string& word) {
    return std::find(command.argv.begin(), command.argv.end(), word) != command.argv.end();
}

// The value of "-gencode arch=compute_80,code=..." or the default target.
inline std::string arch_of(const Command& command) {
    for (const std::string& word : command.argv) {
        if (starts_with(word, "arch=compute_")) return word.substr(13, word.find(',') - 13);
    }
    return "75";
}

inline void write(const Command& command, const std::string& name, const std::string& text) {
    REQUIRE_FALSE(own::write_file(join_path(command.directory, name), text));
}

// An nvcc that writes PTX of `version` and knows sm_75 to sm_90.
inline ProcessResult good_nvcc(const Command& command, const std::string& version) {
    if (has(command, "--list-gpu-code")) return exited(0, "", "sm_75\nsm_80\nsm_90\n");
    std::string arch = arch_of(command);
    if (arch == "50" || arch == "60")
        return exited(1, "nvcc fatal   : Unsupported gpu architecture 'compute_" + arch + "'\n");
    auto after = [&](const char* word) {
        return *(std::find(command.argv.begin(), command.argv.end(), word) + 1);
    };
    if (has(command, "-MF"))
        write(command, after("-MF"), "x.ptx : probe.cu \\\n  /opt/cuda/include/cuda_runtime.h\n");
    if (has(command, "-c")) write(command, command.argv.back(), "object");
    write(command, has(command, "-c") ? "probe.ptx" : command.argv.back(),
          "// Cuda compilation tools, release 13.0, V13.0.88\n.version " + version + "\n.target sm_" + arch +
              "\n");
    return exited(0);
}

inline ProcessResult good_ptxas(const Command& command) {
    if (has(command, "--version")) return exited(0, "", "Cuda compilation tools, release 13.0, V13.0.88\n");
    auto ptx = read_own_file(join_path(command.directory, command.argv[2]));
    if (!ptx) return exited(255, "ptxas fatal   : Input file could not be opened\n");
    if (ptx->find(".version 9.5") != std::string::npos)
        return exited(255,
                      "ptxas x.ptx, line 2; fatal   : Unsupported .version 9.5; current version is '9.0'\n");
    write(command, command.argv.back(), "cubin");
    return exited(0);
}

inline FakeHost good_machine(const std::string& ptx = "9.0") {
    FakeHost host;
    host.program(k_nvcc, [ptx](const Command& command) { return good_nvcc(command, ptx); });
    host.program(k_ptxas, good_ptxas);
    host.file("/opt/cuda/include/cuda_runtime.h", "// a header").file(k_jit, "library");
    return host;
}

inline Part part(PartKind kind, const char* path, const char* version) {
    Part made;
    made.kind = kind;
    made.path = made.real_path = path;
    if (version) made.version = Known<Version>(*parse_version(version), {});
    return made;
}

inline Scenario scenario_for(const char* archs) {
    Scenario scenario;
    Toolkit toolkit;
    toolkit.id = "toolkit1";
    toolkit.parts = {part(PartKind::nvcc, k_nvcc, "13.0.88"), part(PartKind::ptxas, k_ptxas, "13.0.88"),
                     part(PartKind::cicc, "/opt/cuda/nvvm/bin/cicc", nullptr)};
    scenario.toolkits = {toolkit};
    scenario.project.toolkit = "toolkit1";
    if (*archs) scenario.project.archs = *parse_arch_list(archs, ArchDialect::cmake);
    return scenario;
}

inline void run_probe(const FakeHost& host, Scenario& scenario, const std::string& cache = {},
                      ProbeMode mode = ProbeMode::auto_) {
    ProbeOptions options;
    options.mode = mode;
    scenario.probes.clear();
    probe(Asker(host, cache), Facts::embedded(), options, scenario);
}
// Forgets what ran before.
inline Scenario probed(const FakeHost& host, const char* archs, const std::string& cache = {},
                       ProbeMode mode = ProbeMode::auto_) {
    host.commands_run.clear();
    Scenario scenario = scenario_for(archs);
    run_probe(host, scenario, cache, mode);
    return scenario;
}

inline std::vector<ProbeResult> of_kind(const Scenario& scenario, ProbeKind kind) {
    std::vector<ProbeResult> results;
    for (const ProbeResult& result : scenario.probes) {
        if (result.kind == kind) results.push_back(result);
    }
    return results;
}

inline Driver driver_with_library() {
    Driver driver;
    driver.id = "driver1";
    driver.version = Known<Version>(*parse_version("535.261.03"), {});
    JitLibrary library;
    library.path = library.real_path = k_jit;
    driver.jit = {library};
    return driver;
}

}  // namespace machine
