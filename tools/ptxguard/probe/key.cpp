// Which files and variables can change an answer.
// SPDX-License-Identifier: Apache-2.0
#include "probe/key.hpp"

#include <array>

#include "host/paths.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

// Variables that nvcc, gcc, cl or the loader read.
const std::array<const char*, 19> k_variables = {"NVCC_PREPEND_FLAGS",
                                                 "NVCC_APPEND_FLAGS",
                                                 "NVCC_CCBIN",
                                                 "CPATH",
                                                 "C_INCLUDE_PATH",
                                                 "CPLUS_INCLUDE_PATH",
                                                 "LD_LIBRARY_PATH",
                                                 "LD_PRELOAD",
                                                 "COMPILER_PATH",
                                                 "GCC_EXEC_PREFIX",
                                                 "CUDA_HOME",
                                                 "CUDA_PATH",
                                                 "CUDA_ROOT",
                                                 "CICC_PATH",
                                                 "NVVMIR_LIBRARY_DIR",
                                                 "INCLUDE",
                                                 "LIB",
                                                 "CL",
                                                 "_CL_"};

constexpr PartKind k_programs[] = {PartKind::nvcc, PartKind::cicc, PartKind::ptxas, PartKind::cudafe,
                                   PartKind::fatbinary};

void add_variable(const Host& host, const char* name, std::string& text) {
    if (auto value = host.env(name)) text += std::string(name) + "=" + *value + "\n";
}

std::string own_version() { return "ptxguard " PTXGUARD_VERSION "\nsource " + digest(k_probe_source) + "\n"; }

}  // namespace

CacheKey toolkit_key(const Host& host, const Scenario& scenario, const Toolkit& toolkit,
                     const Compiler& compiler) {
    CacheKey key;
    key.question = own_version();
    for (const char* name : k_variables) add_variable(host, name, key.question);
    const HostCompiler& host_compiler = scenario.project.host_compiler;
    bool path_decides = host_compiler.path.empty() || !host_compiler.trouble.empty();
    key.files = {compiler.nvcc};
    for (PartKind kind : k_programs) {
        const Part* part = toolkit.part(kind);
        if (part)
            key.files.push_back(part->path);
        else
            path_decides = true;  // nvcc looks for it on PATH
    }
    if (const Part* nvcc = toolkit.part(PartKind::nvcc)) {
        key.files.push_back(join_path(parent_path(nvcc->path), "nvcc.profile"));
        if (!nvcc->real_path.empty() && nvcc->real_path != nvcc->path) {
            key.files.push_back(nvcc->real_path);
            key.files.push_back(join_path(parent_path(nvcc->real_path), "nvcc.profile"));
        }
    }
    for (const std::string& wrapper : toolkit.wrappers) key.files.push_back(wrapper);
    if (const Part* libdevice = toolkit.part(PartKind::libdevice)) key.files.push_back(libdevice->path);
    if (!host_compiler.path.empty()) key.files.push_back(host_compiler.path);
    if (path_decides) add_variable(host, "PATH", key.question);
    return key;
}

CacheKey key_for(const CacheKey& toolkit_key, ProbeKind kind, const Command& command) {
    CacheKey key = toolkit_key;
    key.question += std::string(to_string(kind)) + "\n" + command_line(command) + "\n";
    return key;
}

CacheKey file_key(const std::string& path, const std::string& real_path, const std::string& question) {
    CacheKey key;
    key.question = own_version() + path + "\n" + question + "\n";
    key.files = {path};
    if (!real_path.empty() && real_path != path) key.files.push_back(real_path);
    return key;
}

CacheKey jit_key(const JitLibrary& library, const Command& command, const std::string& ptx) {
    CacheKey key;
    key.question = own_version() + "jit\n";
    for (std::size_t i = 3; i < command.argv.size(); ++i)
        key.question += command.argv[i] + "\n";  // library and archs
    key.question += digest(ptx) + "\n";
    key.files = {library.path};
    if (!library.real_path.empty()) key.files.push_back(library.real_path);
    return key;
}

}  // namespace ptxguard
